import { Effect } from "effect"
import { verifyTables } from "../../processors/history/verify.ts"
import { rebuildMain } from "../../processors/rebuild-cli.ts"
import { loadProcessors, tables } from "../../processors/registry.ts"
import { EXIT_CODES, readArguments } from "../config/arguments.ts"
import { type Command, runCommand } from "../config/command.ts"
import { openProgress } from "../config/progress.ts"
import { openClickHouse } from "../history/clickhouse.ts"
import { holdLog, openWholeLog, refuseMissing } from "../log/open.ts"
import { refuseImported } from "../log/transfer/imported.ts"
import { startHistory } from "../roles/start-history.ts"
import { archivedEvents, rebuildEverything } from "./rebuild-everything.ts"

const USAGE = `usage: npm run rebuild [-- --verify]

Makes the views and the history's tables anew from the log and the archive. With --verify it changes nothing, folds beside
what stands, and names the first event at which they part (exit code 1).

Stop the service first: where it holds the data folder it is named, and nothing is done. On Kafka, --verify may run beside
it, and compares what stood at one moment.

${EXIT_CODES}`

const print = (line: string) => process.stdout.write(`${line}\n`)

/** What both need: the log, which no service uses meanwhile, and the history. */
const opened = (settings: Parameters<Command>[0]) =>
  Effect.gen(function* () {
    yield* refuseMissing(settings)
    yield* holdLog(settings)
    const log = yield* openWholeLog(settings)
    const history = yield* openClickHouse(yield* startHistory(settings))
    return { log, history, progress: yield* openProgress() }
  })

const rebuild: Command = (settings) =>
  Effect.flatMap(opened(settings), (given) => rebuildEverything({ ...given, print }))

const verify: Command = (settings) =>
  Effect.gen(function* () {
    const { log, history, progress } = yield* opened(settings)
    yield* refuseImported(log)
    const processors = yield* Effect.promise(loadProcessors)
    yield* history.prepare
    const viewsCode = yield* rebuildMain({
      log,
      processors,
      prefix: archivedEvents(history),
      verify: true,
      print,
      progress,
    })
    const verified = yield* verifyTables({ log, history, tables, progress })
    for (const { table, rows, difference } of verified)
      print(
        difference === null
          ? `table ${table}: ${rows} rows, equal`
          : `table ${table}: DIFFERENT from event ${difference.eventId} (offset ${difference.offset}) on: ` +
              `${difference.liveRows} rows live, ${difference.freshRows} in a fresh fold`,
      )
    return verified.every(({ difference }) => difference === null) ? viewsCode : 1
  })

const { values } = readArguments(USAGE, { verify: { type: "boolean", default: false } })
runCommand(USAGE, () => (values.verify ? verify : rebuild), {
  interrupted: values.verify ? "nothing was changed" : "what stood before stands still; run it again to go on",
})
