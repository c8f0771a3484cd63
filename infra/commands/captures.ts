import { existsSync } from "node:fs"
import { listCaptures, reportCaptures } from "../../ingestors/captures.ts"
import { sources } from "../../ingestors/registry.ts"
import { EXIT_CODES, readArguments, refuseUsage } from "../config/arguments.ts"
import { type Shown, showCaptures } from "./captures-show.ts"

const USAGE = `usage: npm run captures -- DIR [--show [--rows N]]

Tries recorded answers of upstreams against the documents of the sources. DIR holds one folder for each source.

  --show     prints what each answer becomes as well: items, rows that cannot be read, and the replies of its endpoints
  --rows N   of longer lists only the first N are printed (20); 0 prints all

${EXIT_CODES}`

const { positionals, values } = readArguments(
  USAGE,
  { show: { type: "boolean", default: false }, rows: { type: "string", default: "20" } },
  { min: 1, max: 1 },
)
const [directory = ""] = positionals
if (!existsSync(directory)) refuseUsage(`${directory}: there is no such folder`, USAGE)
if (!/^\d{1,6}$/.test(values.rows)) refuseUsage("--rows takes a whole number", USAGE)
const rowsMax = Number(values.rows) || Number.POSITIVE_INFINITY

/** A value whose lists are cut to their first rows, with a word on the rest. */
const cut = (value: unknown): unknown => {
  if (Array.isArray(value)) {
    const rows = value.slice(0, rowsMax).map(cut)
    return value.length > rows.length ? [...rows, `... ${value.length - rows.length} more`] : rows
  }
  return typeof value === "object" && value !== null
    ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, cut(one)]))
    : value
}

const byName = new Map(sources.map((source) => [source.name, source]))
const shown = new Map<string, ReadonlyArray<Shown>>(
  !values.show
    ? []
    : listCaptures(directory).flatMap((folder) => {
        const source = byName.get(folder.name)
        return source === undefined
          ? []
          : [...showCaptures(source, folder)].map(([file, results]) => [`${folder.name}/${file}`, results] as const)
      }),
)

const lines = reportCaptures(directory, sources)
for (const { text, path } of lines) {
  process.stdout.write(`${text}\n`)
  for (const one of shown.get(path) ?? []) process.stdout.write(`${JSON.stringify(cut(one), null, 2)}\n`)
}
const failed = lines.filter((line) => line.failed)
process.stdout.write(`${lines.length} lines, ${failed.length} failed\n`)
process.exitCode = failed.length === 0 ? 0 : 1
