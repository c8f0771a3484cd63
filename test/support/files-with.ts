import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { eventually } from "./eventually.ts"

/** The paths of all files below a folder. Throws if a folder goes meanwhile, as ClickHouse's do when it merges. */
export const filesBelow = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))

/** How a secret of hex digits may be written: as it is, in another alphabet, or as its bytes. */
export const spellings = (digits: string): ReadonlyArray<Buffer> => {
  const bytes = Buffer.from(digits, "hex")
  return [
    bytes,
    ...[digits, digits.toUpperCase(), bytes.toString("base64").replaceAll("=", ""), bytes.toString("base64url")].map(
      (text) => Buffer.from(text),
    ),
  ]
}

/** Files of a data folder, its secrets left out, that hold one of these. */
export const filesWith = (folder: string, needles: ReadonlyArray<Buffer>): Promise<ReadonlyArray<string>> =>
  // ClickHouse merges meanwhile, and a file may go before it is read: then all are read again.
  eventually("no file goes while all are read", async () =>
    filesBelow(folder).filter((path) => {
      if (path.startsWith(join(folder, "secrets"))) return false
      const bytes = readFileSync(path)
      return needles.some((needle) => bytes.includes(needle))
    }),
  )
