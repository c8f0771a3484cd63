import { existsSync } from "node:fs"
import { reportCaptures } from "../ingestors/captures.ts"
import { sources } from "../ingestors/registry.ts"
import { EXIT_CODES, readArguments, refuseUsage } from "./config/arguments.ts"

const USAGE = `usage: npm run captures -- DIR

Tries recorded answers of upstreams against the documents of the sources. DIR holds one folder for each source.

${EXIT_CODES}`

const { positionals } = readArguments(USAGE, {}, { min: 1, max: 1 })
const [directory = ""] = positionals
if (!existsSync(directory)) refuseUsage(`${directory}: there is no such folder`, USAGE)

const lines = reportCaptures(directory, sources)
const failed = lines.filter((line) => line.failed)
process.stdout.write(
  [...lines.map(({ text }) => text), `${lines.length} lines, ${failed.length} failed`, ""].join("\n"),
)
process.exitCode = failed.length === 0 ? 0 : 1
