import { existsSync } from "node:fs"
import {
  listCaptures,
  loadRecordedDocuments,
  reportCaptures,
  sourcesRecordedIn,
  withRecordedDocuments,
} from "../../../ingestors/captures.ts"
import { sources } from "../../../ingestors/registry.ts"
import type { Source } from "../../../ingestors/source.ts"
import { DONE, FAILED, WrongUsage } from "../../config/arguments.ts"
import { type Shown, showCaptures } from "./show.ts"

/** Shortens every list of a value to its first rows, and adds the number of the rest. */
const shorten = (value: unknown, rowsMax: number): unknown => {
  if (Array.isArray(value)) {
    const rows = value.slice(0, rowsMax).map((row) => shorten(row, rowsMax))
    return value.length > rows.length ? [...rows, `... ${value.length - rows.length} more`] : rows
  }
  return typeof value === "object" && value !== null
    ? Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shorten(member, rowsMax)]))
    : value
}

/** Documents that are recorded and never requested: declared with the tests, which an installation may lack. */
const RECORDED_DOCUMENTS = new URL("../../../test/captures/", import.meta.url)

/** The results of every capture, by its path in the report. */
const resultsByPath = (
  directory: string,
  sources: ReadonlyArray<Source>,
): ReadonlyMap<string, ReadonlyArray<Shown>> => {
  const shown = new Map<string, ReadonlyArray<Shown>>()
  for (const folder of listCaptures(directory))
    for (const source of sourcesRecordedIn(folder.name, sources))
      for (const [file, results] of showCaptures(source, folder)) {
        const path = `${folder.name}/${file}`
        shown.set(path, [...(shown.get(path) ?? []), ...results])
      }
  return shown
}

export const run = async ({
  positionals: [directory = ""],
  values,
}: {
  readonly positionals: ReadonlyArray<string>
  readonly values: { readonly show: boolean; readonly rows: string }
}): Promise<number> => {
  if (!existsSync(directory)) throw new WrongUsage(`${directory}: there is no such folder`)
  if (!/^\d{1,6}$/.test(values.rows)) throw new WrongUsage("--rows takes a whole number")
  const rowsMax = Number(values.rows) || Number.POSITIVE_INFINITY
  const sourcesRecorded = withRecordedDocuments(sources, await loadRecordedDocuments(RECORDED_DOCUMENTS))
  const shown = values.show ? resultsByPath(directory, sourcesRecorded) : new Map<string, ReadonlyArray<Shown>>()
  const lines = reportCaptures(directory, sourcesRecorded)
  for (const { text, path } of lines) {
    process.stdout.write(`${text}\n`)
    for (const result of shown.get(path) ?? [])
      process.stdout.write(`${JSON.stringify(shorten(result, rowsMax), null, 2)}\n`)
  }
  const failed = lines.filter((line) => line.failed)
  process.stdout.write(`${lines.length} lines, ${failed.length} failed\n`)
  return failed.length === 0 ? DONE : FAILED
}
