import { parseArgs } from "node:util"
import { Effect, Schema, type Scope, Stream } from "effect"
import { readArchive } from "../processors/history/archive.ts"
import { makeAvailability } from "../processors/history/availability.ts"
import { rebuildTables } from "../processors/history/rebuild.ts"
import { verifyTables } from "../processors/history/verify.ts"
import { nextByEvent } from "../processors/rebuild.ts"
import { rebuildMain } from "../processors/rebuild-cli.ts"
import { loadProcessors, tables } from "../processors/registry.ts"
import { runCommand } from "./config/command.ts"
import { holdDirectory } from "./config/data-directory.ts"
import type { Settings } from "./config/settings.ts"
import { openClickHouse } from "./history/clickhouse.ts"
import type { History } from "./history/history.port.ts"
import { clearImported, forgetHistory, isImported, LogImported } from "./log/imported.ts"
import { openLog } from "./log/open.ts"
import { startHistory } from "./roles/start-history.ts"

const USAGE = `usage: npm run rebuild [-- --verify]

Makes the views and the history's tables anew from the log and the archive. With --verify it changes nothing, folds beside
what stands, and names the first event at which they part (exit code 1). Stop the service first.
`

const Rows = Schema.Struct({ rows: Schema.Natural })

/** The log was imported, and the archive beside it holds events of the log before. */
class ArchiveOfAnotherLog extends Schema.TaggedError<ArchiveOfAnotherLog>()("ArchiveOfAnotherLog", {
  rows: Schema.Natural,
}) {
  override get message() {
    return `the log was imported, and the archive holds ${this.rows} events of another log: give it an empty ClickHouse`
  }
}

/** Observations that the log no longer holds, from the archive. */
const archived = (history: History) => (before: number) =>
  readArchive(history, "observations", 0, before, makeAvailability()).pipe(
    Stream.map(({ records, to }) => ({ topic: "observations" as const, records, next: to })),
  )

const print = (line: string) => process.stdout.write(`${line}\n`)

const rebuild = (
  settings: Settings,
  verify: boolean,
): Effect.Effect<number, { readonly message: string }, Scope.Scope> =>
  Effect.gen(function* () {
    // The embedded engines serve one process; on Kafka the claim of the names keeps everybody else out.
    if (settings.kafkaBrokers === null) yield* holdDirectory(settings.dataDirectory)
    const log = yield* openLog(settings)
    const history = yield* openClickHouse(yield* startHistory(settings))
    const processors = yield* Effect.promise(loadProcessors)
    yield* history.prepare
    const imported = yield* isImported(log)
    if (imported && verify) return yield* new LogImported()
    if (imported) {
      const [archive] = yield* history.query("SELECT count() AS rows FROM events", Rows)
      if (archive !== undefined && archive.rows > 0) return yield* new ArchiveOfAnotherLog({ rows: archive.rows })
      yield* forgetHistory(log)
    }
    const viewsCode = yield* rebuildMain({
      log,
      processors,
      prefix: archived(history),
      verify,
      print,
      ...(imported ? { nextOf: nextByEvent(log) } : {}),
    })
    if (!verify) {
      for (const { table, generation, rows } of yield* rebuildTables({ log, history, tables }))
        print(`table ${table}: generation ${generation} of ${rows} rows is live`)
      if (imported) yield* clearImported(log)
      return viewsCode
    }
    const verified = yield* verifyTables({ log, history, tables })
    for (const { table, rows, difference } of verified)
      print(
        difference === null
          ? `table ${table}: ${rows} rows, equal`
          : `table ${table}: DIFFERENT from event ${difference.eventId} (offset ${difference.offset}) on: ` +
              `${difference.liveRows} rows live, ${difference.freshRows} in a fresh fold`,
      )
    return verified.every(({ difference }) => difference === null) ? viewsCode : 1
  })

runCommand(USAGE, () => {
  const { verify } = parseArgs({ options: { verify: { type: "boolean", default: false } } }).values
  return (settings) => rebuild(settings, verify)
})
