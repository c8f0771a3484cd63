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

/** Opens the log, held against a running service, and the history; that is null where none is kept. */
const openAll = (settings: Parameters<Command>[0]) =>
  Effect.gen(function* () {
    yield* refuseMissing(settings)
    if (settings.kafkaBrokers === null) yield* refuseReplay(settings.dataDirectory)
    yield* holdLog(settings)
    const log = yield* openWholeLog(settings)
    const history = settings.history === "off" ? null : yield* openClickHouse(yield* startHistory(settings))
    return { log, history, progress: yield* openProgress() }
  })

/** The log was trimmed by age, and no history has what is missing: no fold of it would hold what the views hold. */
class NothingToFold extends Schema.TaggedError<NothingToFold>()("NothingToFold", {}) {
  override get message() {
    return "the log was trimmed by age, and HISTORY=off keeps no archive: views cannot be made anew from the first event, and stay as they are"
  }
}

const rebuild: Command = (settings) =>
  Effect.flatMap(openAll(settings), (given) => rebuildEverything({ ...given, print }))

/** Where no history is kept, the refusal of a trimmed log names no archive. */
const withoutArchive =
  (command: Command): Command =>
  (settings) =>
    settings.history === "on"
      ? command(settings)
      : Effect.mapError(command(settings), (failed) =>
          "_tag" in failed && failed._tag === "EventsTrimmed" ? new NothingToFold() : failed,
        )

const verify: Command = (settings) =>
  Effect.gen(function* () {
    const { log, history, progress } = yield* openAll(settings)
    yield* refuseImported(log)
    const processors = yield* Effect.promise(loadProcessors)
    if (history !== null) yield* history.prepare
    const viewsCode = yield* rebuildMain({
      ...{ log, processors, verify: true, print, progress },
      ...(history === null ? {} : { prefix: archivedEvents(history) }),
    })
    if (history === null) return viewsCode
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
    ? runWithSettings(withoutArchive(verify))
    : runWithSettings(withoutArchive(rebuild), {
        interrupted: "the previous generation stays live; run the command again",
      })

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
 * Rebuilds views and tables from the log and the archive; without a history the views from the log. For an imported log the history must be empty, and the checkpoints
 * of the origin's history are deleted, since they describe other tables. After an interruption it may be repeated.
 */
export const rebuildEverything = (options: {
  readonly log: EventLog
  readonly history: History | null
  readonly progress: Progress
  readonly print: (line: string) => void
}): Effect.Effect<number, { readonly message: string }, Scope.Scope> =>
  Effect.gen(function* () {
    const { log, history, progress, print } = options
    const processors = yield* Effect.promise(loadProcessors)
    if (history !== null) yield* history.prepare
    const mark = yield* readMark(log)
    if (mark?.state === "imported") {
      if (history !== null) yield* refuseFilledHistory(history)
      yield* forgetHistory(log)
      yield* setMark(log, { state: "rebuilding" })
    }
    const code = yield* rebuildMain({
      ...{ log, processors, verify: false, print, progress },
      ...(history === null ? {} : { prefix: archivedEvents(history) }),
      ...(mark === null ? {} : { nextOf: nextByEvent(log) }),
    })
    const rebuilt = history === null ? [] : yield* rebuildTables({ log, history, tables, progress })
    for (const { table, generation, rows } of rebuilt)
      print(`table ${table}: generation ${generation} of ${rows} rows is live`)
    if (mark !== null) yield* setMark(log, null)
    return code
  })
