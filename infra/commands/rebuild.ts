import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { makeAvailability } from "../../processors/history/availability.ts"
import { rebuildTables } from "../../processors/history/rebuild.ts"
import { readArchive } from "../../processors/history/slices.ts"
import { verifyTables } from "../../processors/history/verify.ts"
import { loadProcessors, tables } from "../../processors/registry.ts"
import { nextByEvent, rebuildMain } from "../../processors/run/rebuild.ts"
import type { EventLog } from "../../schemas/ports/event-log.ts"
import type { History, HistoryFailed, HistoryUndecodable } from "../../schemas/ports/history.ts"
import type { Progress } from "../../schemas/ports/progress.ts"
import type { FoldableTopic } from "../../schemas/topics.ts"
import { openClickHouse } from "../history/clickhouse.ts"
import { holdLog, openWholeLog, refuseMissing } from "../log/open.ts"
import { forgetHistory, readMark, refuseImported, setMark } from "../log/transfer/import-mark.ts"
import { startHistory } from "../roles/start-history.ts"
import { refuseReplay } from "../system/replay-folder.ts"
import { openProgress } from "../telemetry/progress.ts"
import { type Command, runWithSettings } from "./command.ts"

const print = (line: string) => process.stdout.write(`${line}\n`)

/** Opens the log, held against a running service, and the history. */
const openAll = (settings: Parameters<Command>[0]) =>
  Effect.gen(function* () {
    yield* refuseMissing(settings)
    if (settings.kafkaBrokers === null) yield* refuseReplay(settings.dataDirectory)
    yield* holdLog(settings)
    const log = yield* openWholeLog(settings)
    const history = yield* openClickHouse(yield* startHistory(settings))
    return { log, history, progress: yield* openProgress() }
  })

const rebuild: Command = (settings) =>
  Effect.flatMap(openAll(settings), (given) => rebuildEverything({ ...given, print }))

const verify: Command = (settings) =>
  Effect.gen(function* () {
    const { log, history, progress } = yield* openAll(settings)
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

export const run = ({ values }: { readonly values: { readonly verify: boolean } }): Promise<number> =>
  values.verify
    ? runWithSettings(verify)
    : runWithSettings(rebuild, { interrupted: "the previous generation stays live; run the command again" })

/** The history beside an imported log contains rows of another log. */
class HistoryNotEmpty extends Schema.TaggedError<HistoryNotEmpty>()("HistoryNotEmpty", {
  table: Schema.String,
  rows: Schema.Natural,
}) {
  override get message() {
    return `the history is not empty: ${this.table} holds ${this.rows} rows of another log; use an empty ClickHouse`
  }
}

const Rows = Schema.Struct({ rows: Schema.Natural })

/** Fails if any table of the history holds rows. The tables must exist (`history.prepare`). */
export const refuseFilledHistory = (
  history: History,
): Effect.Effect<void, HistoryFailed | HistoryUndecodable | HistoryNotEmpty> =>
  Effect.gen(function* () {
    for (const table of ["events", ...tables.map(({ name }) => name)]) {
      const [count] = yield* history.query(`SELECT count() AS rows FROM ${table}`, Rows)
      if (count !== undefined && count.rows > 0) return yield* new HistoryNotEmpty({ table, rows: count.rows })
    }
  })

/** Reads the events of a topic that were trimmed from the log, from the archive. */
export const archivedEvents = (history: History) => (topic: FoldableTopic, before: number) =>
  readArchive(history, topic, 0, before, makeAvailability()).pipe(
    Stream.map(({ records, to }) => ({ topic, records, next: to })),
  )

/**
 * Rebuilds views and tables from the log and the archive. For an imported log the history must be empty, and the checkpoints
 * of the origin's history are deleted, since they describe other tables. After an interruption it may be repeated.
 */
export const rebuildEverything = (options: {
  readonly log: EventLog
  readonly history: History
  readonly progress: Progress
  readonly print: (line: string) => void
}): Effect.Effect<number, { readonly message: string }, Scope.Scope> =>
  Effect.gen(function* () {
    const { log, history, progress, print } = options
    const processors = yield* Effect.promise(loadProcessors)
    yield* history.prepare
    const mark = yield* readMark(log)
    if (mark?.state === "imported") {
      yield* refuseFilledHistory(history)
      yield* forgetHistory(log)
      yield* setMark(log, { state: "rebuilding" })
    }
    const code = yield* rebuildMain({
      log,
      processors,
      prefix: archivedEvents(history),
      verify: false,
      print,
      progress,
      ...(mark === null ? {} : { nextOf: nextByEvent(log) }),
    })
    for (const { table, generation, rows } of yield* rebuildTables({ log, history, tables, progress }))
      print(`table ${table}: generation ${generation} of ${rows} rows is live`)
    if (mark !== null) yield* setMark(log, null)
    return code
  })
