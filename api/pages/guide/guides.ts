import { readdirSync, readFileSync } from "node:fs"
import { blocksOf } from "./markdown.ts"

// Guides are the files of `guides/`, in the order of the numbers before their names. `# Title` stands first, then one
// paragraph that says what the guide is for.

/** A guide with its placeholders. */
export interface Guide {
  /** In its address `/docs/<name>`. */
  readonly name: string
  readonly title: string
  /** What it is for, in one sentence or two; the first paragraph of its text. */
  readonly summary: string
  /** Everything after the title. */
  readonly source: string
}

/** The address of the documentation. */
export const DOCS_PATH = "/docs"

const FILE = /^\d+-(?<name>[a-z-]+)\.md$/
const TITLE = /^# (?<title>.+)\n\n(?<source>[\s\S]+)$/

/** Reads a guide; throws where its form is another. */
export const guideOf = (file: string, text: string): Guide => {
  const name = FILE.exec(file)?.groups?.name
  const { title, source } = TITLE.exec(text)?.groups ?? {}
  const [first] = source === undefined ? [] : blocksOf(source)
  if (name === undefined || title === undefined || source === undefined || first?.kind !== "text")
    throw new Error(`${file} is no guide: NN-name.md with "# Title" and a first paragraph`)
  return { name, title, summary: first.text, source }
}

const folder = new URL("../guides/", import.meta.url)

let loaded: ReadonlyArray<Guide> | null = null

/** All guides in their order, read when they are first needed. */
export const guides = (): ReadonlyArray<Guide> => {
  loaded ??= readdirSync(folder)
    .sort()
    .map((file) => guideOf(file, readFileSync(new URL(file, folder), "utf8")))
  return loaded
}

/** The address of a guide. */
export const guidePath = ({ name }: Pick<Guide, "name">): string => `${DOCS_PATH}/${name}`

const PLACEHOLDER = /\{\{([^{}]+)\}\}/g

/** The names of the placeholders of a text. */
export const placeholdersIn = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(PLACEHOLDER)].map(([, name = ""]) => name)

/** A text with its placeholders filled in; throws at one that does not exist. */
export const filled = (text: string, facts: ReadonlyMap<string, () => string>): string =>
  text.replace(PLACEHOLDER, (_, name: string) => {
    const fact = facts.get(name)
    if (fact === undefined) throw new Error(`there is no fact ${name}`)
    return fact()
  })
