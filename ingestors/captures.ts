import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Result } from "effect"
import { decodeDocument } from "./decode.ts"
import type { Source } from "./source.ts"
import { cleanText } from "./text.ts"

/** Describes where the captures of a folder come from; not a capture itself. */
const ABOUT = "SOURCE.md"
/** Files that an upstream's own refusals were kept in: no document has to accept them. */
const REFUSAL = /(^|[^a-z])(errors?|nulls?|empty|not-found|rate-limited)([^a-z]|$)/i
const PROBLEM_LENGTH_MAX = 160

/** One recorded answer of an upstream. */
export interface Capture {
  readonly folder: string
  readonly file: string
  readonly bytes: Uint8Array
}

/** The recorded answers of one upstream. */
export interface CaptureFolder {
  readonly name: string
  readonly files: ReadonlyArray<string>
  readonly read: (file: string) => Capture
}

/** The folders of a directory of captures and their files, sorted. Throws where the directory cannot be read. */
export const listCaptures = (directory: string): ReadonlyArray<CaptureFolder> =>
  readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => ({
      name,
      files: readdirSync(join(directory, name), { withFileTypes: true })
        .filter((entry) => entry.isFile() && entry.name !== ABOUT)
        .map((entry) => entry.name)
        .sort(),
      read: (file: string) => ({ folder: name, file, bytes: readFileSync(join(directory, name, file)) }),
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))

/** What the documents of a source make of a capture. */
export interface Verdict {
  /** The documents that accept it, by name, with what they decode it to. */
  readonly decoded: ReadonlyArray<{ readonly document: string; readonly wire: unknown }>
  /** Why each of the others does not. */
  readonly problems: ReadonlyArray<string>
  /** Whether the file's name says that no document has to accept it. */
  readonly isRefusal: boolean
}

/** Tries every document of a source on a capture. */
export const judgeCapture = (source: Source, { file, bytes }: Capture): Verdict => {
  const decoded: Array<Verdict["decoded"][number]> = []
  const problems: Array<string> = []
  for (const [name, document] of Object.entries(source.documents)) {
    const result = decodeDocument(name, document, bytes)
    if (Result.isSuccess(result)) decoded.push({ document: name, wire: result.success })
    else problems.push(`${name}: ${cleanText(result.failure.problem, PROBLEM_LENGTH_MAX)}`)
  }
  return { decoded, problems, isRefusal: REFUSAL.test(file) }
}

/** One line for people, and whether it is a failure. */
export interface CaptureLine {
  readonly text: string
  readonly failed: boolean
}

/**
 * A line for each file below each folder that is named as a source (decoded as what, or why not), and one for each folder
 * whose source is not built. A file fails that no document accepts, unless its name says that it is a refusal.
 */
export const reportCaptures = (directory: string, sources: ReadonlyArray<Source>): ReadonlyArray<CaptureLine> => {
  const byName = new Map(sources.map((source) => [source.name, source]))
  return listCaptures(directory).flatMap(({ name, files, read }): ReadonlyArray<CaptureLine> => {
    const source = byName.get(name)
    if (source === undefined) return [{ text: `-     ${name}: no such source is built`, failed: false }]
    return files.map((file) => {
      const { decoded, problems, isRefusal } = judgeCapture(source, read(file))
      const path = `${name}/${file}`
      if (decoded.length > 0)
        return { text: `ok    ${path}: ${decoded.map(({ document }) => document).join(", ")}`, failed: false }
      const why = problems.join("; ") || "the source has no documents"
      return isRefusal
        ? { text: `ok    ${path}: accepted by none, as its name says (${why})`, failed: false }
        : { text: `FAIL  ${path}: ${why}`, failed: true }
    })
  })
}
