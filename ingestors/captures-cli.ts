import { existsSync } from "node:fs"
import { reportCaptures } from "./captures.ts"
import { sources } from "./registry.ts"

const [directory, ...rest] = process.argv.slice(2)
if (directory === undefined || rest.length > 0 || !existsSync(directory)) {
  process.stderr.write("usage: npm run captures -- DIR    (DIR holds one folder of recorded answers for each source)\n")
  process.exit(2)
}

const lines = reportCaptures(directory, sources)
const failed = lines.filter((line) => line.failed)
process.stdout.write(
  [...lines.map(({ text }) => text), `${lines.length} lines, ${failed.length} failed`, ""].join("\n"),
)
process.exitCode = failed.length === 0 ? 0 : 1
