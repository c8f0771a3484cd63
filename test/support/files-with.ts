import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { eventually } from "./eventually.ts"

/** Every file below a folder, without those of `except`. */
const filesBelow = (folder: string, except: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.startsWith(except))

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
    filesBelow(folder, join(folder, "secrets")).filter((path) => {
      const bytes = readFileSync(path)
      return needles.some((needle) => bytes.includes(needle))
    }),
  )
