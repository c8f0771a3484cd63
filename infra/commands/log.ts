import { Effect } from "effect"
import { EXIT_CODES, readArguments } from "../config/arguments.ts"
import { type Command, runCommand } from "../config/command.ts"
import { openProgress } from "../config/progress.ts"
import { holdLog, openLog, openWholeLog, refuseMissing } from "../log/open.ts"
import { exportLog, exportSize, trimmedTopics } from "../log/transfer/export.ts"
import type { Header } from "../log/transfer/export-format.ts"
import { readLines, writeLines } from "../log/transfer/file.ts"
import { discardImport, importLog } from "../log/transfer/import.ts"

const USAGE = `usage: npm run log -- export FILE
       npm run log -- import FILE
       npm run log -- import --discard

export   writes what the log holds as NDJSON. What was trimmed from the log stands in the archive alone: npm run backup
         writes that too. Stop the service first; where it writes meanwhile, the export is refused.
import   reads an export or a backup into an empty log. Interrupted, the same command with the same file goes on where it
         stopped; until then nothing else uses that log. Afterwards: npm run rebuild, on an empty ClickHouse.
         --discard throws an unfinished import away.

FILE may be - for standard output or input. KAFKA_BROKERS and DATA_DIR say which log.
${EXIT_CODES}`

const say = (text: string) =>
  Effect.sync(() => {
    process.stderr.write(`${text}\n`)
    return 0
  })

const without = (trimmed: ReadonlyArray<string>) =>
  `older events of ${trimmed.join(", ")} were trimmed from the log and stand in the archive alone`

const exportTo =
  (file: string): Command =>
  (settings) =>
    Effect.gen(function* () {
      yield* refuseMissing(settings)
      yield* holdLog(settings)
      const log = yield* openWholeLog(settings)
      const stage = (yield* openProgress()).begin("export", yield* exportSize(log, false), "offsets")
      let records = 0
      yield* writeLines(
        file,
        exportLog(log, {
          advance: stage.advance,
          finished: (count) => {
            records = count
          },
        }),
      )
      const trimmed = yield* trimmedTopics(log)
      if (trimmed.length > 0) yield* say(`without what npm run backup would add: ${without(trimmed)}`)
      return yield* say(`${records} records exported`)
    })

const importFrom =
  (file: string): Command =>
  (settings) =>
    Effect.gen(function* () {
      yield* holdLog(settings)
      const log = yield* openLog(settings)
      const lines = yield* readLines(file, yield* openProgress(), "import")
      let header: Header | undefined
      const { records, resumedFrom } = yield* importLog(log, lines, (found) => {
        header = found
        return undefined
      })
      if (resumedFrom > 0) yield* say(`went on behind ${resumedFrom} records that an earlier attempt had imported`)
      const trimmed = header?.trimmed ?? []
      if (trimmed.length > 0) yield* say(`this is no backup: ${without(trimmed)} of the log it came from`)
      return yield* say(`${records} records imported; npm run rebuild makes views and history of them`)
    })

const discard: Command = (settings) =>
  Effect.gen(function* () {
    yield* refuseMissing(settings)
    yield* holdLog(settings)
    return yield* say(`${yield* discardImport(yield* openLog(settings))} records of an unfinished import thrown away`)
  })

const { values, positionals } = readArguments(
  USAGE,
  { discard: { type: "boolean", default: false } },
  { min: 1, max: 2 },
)
const [word, file] = positionals
const interrupted =
  word === "import"
    ? "the import is not finished; the same command goes on with it, npm run log -- import --discard throws it away"
    : "no file was written"
runCommand(
  USAGE,
  () => {
    if (word === "import" && values.discard && file === undefined) return discard
    if (values.discard) throw new Error("--discard stands alone: import --discard")
    if (file === undefined) throw new Error("say with which file")
    if (word === "export") return exportTo(file)
    if (word === "import") return importFrom(file)
    throw new Error(`there is no ${word}`)
  },
  { interrupted },
)
