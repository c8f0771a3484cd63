import { existsSync, readdirSync } from "node:fs"

const FILE = /^[a-z0-9-]+\.ts$/
const FOLDER = /^[a-z0-9_-]+$/

/** One module of a directory that serves as a registry: its name (file name without ending, or folder name) and exports. */
export interface DirectoryModule {
  readonly name: string
  readonly exports: ReadonlyArray<unknown>
}

/** The names of the modules of a directory, in the order of their files, without loading them. */
export const moduleNames = (directory: URL): ReadonlyArray<string> =>
  readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isFile() && FILE.test(entry.name))
    .map(({ name }) => name)
    .sort()
    .map((name) => name.replace(/\.ts$/, ""))

/**
 * Loads a directory as a registry: imports every `name.ts` of `directory` in the order of their names, or, when `inner` is
 * given, every `name/<inner>` that there is. A new file is registered by its existence; there is no other list.
 */
export const loadDirectory = async (directory: URL, inner?: string): Promise<ReadonlyArray<DirectoryModule>> => {
  const names =
    inner === undefined
      ? moduleNames(directory).map((name) => `${name}.ts`)
      : readdirSync(directory, { withFileTypes: true })
          .filter((entry) => entry.isDirectory() && FOLDER.test(entry.name))
          .filter((entry) => existsSync(new URL(`${entry.name}/${inner}`, directory)))
          .map((entry) => entry.name)
          .sort()
  return Promise.all(
    names.map(async (name) => {
      const path = inner === undefined ? name : `${name}/${inner}`
      const module: Record<string, unknown> = await import(new URL(path, directory).href)
      return { name: name.replace(/\.ts$/, ""), exports: Object.values(module).flat() }
    }),
  )
}

/** Whether an exported value is one of our tagged definitions (`feed`, `endpoint`, `source`, `view`, `table`, ...). */
export const isTagged =
  <Definition extends { readonly _tag: string }>(tag: Definition["_tag"]) =>
  (value: unknown): value is Definition =>
    typeof value === "object" && value !== null && "_tag" in value && value._tag === tag
