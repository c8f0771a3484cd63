import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { runHistory } from "../../processors/history/consumer.ts"
import { WRITER } from "../../processors/history/state.ts"
import { runTrimmer, type TrimFloors } from "../../processors/history/trimmer.ts"
import type { Processor } from "../../processors/processor.ts"
import { loadProcessors, tables } from "../../processors/registry.ts"
import { parsePosition, positionKey } from "../../processors/run/checkpoint.ts"
import { runProcessor } from "../../processors/run/runner.ts"
import { readCompacted } from "../../processors/run/stored-values.ts"
import type { EventLog, Offset } from "../../schemas/ports/event-log.ts"
import type { Settings } from "../config/settings.ts"
import { openClickHouse } from "../history/clickhouse.ts"
import type { ClickHouseOptions } from "../history/connection.ts"
import { watchClickHouse } from "../history/connection.ts"
import { refuseImported } from "../log/transfer/import-mark.ts"
import type { Status } from "../parts/part.ts"
import { supervise } from "../parts/part.ts"
import { foldingLog, reportingLog } from "../parts/part-log.ts"
import { keptHistoryOf } from "./kept-history.ts"

/** How long the import check is cached, in milliseconds: less than any restart pause. */
const IMPORT_CHECK_MS = 250

/**
 * The offset of each topic up to which all of its processors have folded: records above it must not be trimmed, so that a
 * delayed processor finds no gap. A processor without a checkpoint, or a failed read, gives 0.
 */
const foldedByAll = (log: EventLog, processors: ReadonlyArray<Processor>): TrimFloors => {
  const keys = new Set(processors.map(({ name }) => positionKey(name)))
  const byTopic = Map.groupBy(processors, ({ topic }) => topic)
  const floors = (folded: (processor: Processor) => Offset) =>
    Object.fromEntries([...byTopic].map(([topic, all]) => [topic, Math.min(...all.map(folded))]))
  return readCompacted(log, "checkpoints", (key) => keys.has(key)).pipe(
    Effect.map((stored) =>
      floors(({ name, topic }) => {
        const value = stored.get(positionKey(name))
        const position = value === undefined ? null : parsePosition(value)
        return position?.topic === topic ? position.next : 0
      }),
    ),
    Effect.catch((error) =>
      Effect.as(
        Effect.logWarning(`trimming is paused: ${error.message}`),
        floors(() => 0),
      ),
    ),
  )
}

/** The name of the history writer, beside the processors; it trims the log behind the archive. */
const HISTORY = "history"
/** The name of what trims the log by age, where there is no history. */
const TRIMMING = "trimming"

/** A setting names a processor that does not exist. */
export class UnknownProcessor extends Schema.TaggedError<UnknownProcessor>()("UnknownProcessor", {
  unknown: Schema.String,
  names: Schema.Array(Schema.String),
}) {
  override get message() {
    return `PROCESSORS: there is no "${this.unknown}"; there are ${this.names.join(", ")}`
  }
}

/**
 * Makes a part of each processor and of the history writer, and gives the effect that runs them independently: a failure of
 * one does not stop another. `processors` names those that this process may run; null means all. `clickhouse` is null where
 * no history is kept: then the log is trimmed by age.
 */
export const processRole = (
  clickhouse: ClickHouseOptions | null,
  log: EventLog,
  status: Status,
  { processors: chosen, keepDays, keepHistory }: Pick<Settings, "keepDays" | "keepHistory" | "processors">,
): Effect.Effect<Effect.Effect<never>, UnknownProcessor> =>
  Effect.gen(function* () {
    const processors = yield* Effect.promise(loadProcessors)
    const keeper = clickhouse === null ? TRIMMING : HISTORY
    const names = [...processors.map(({ name }) => name), keeper]
    const unknown = chosen?.find((name) => !names.includes(name))
    if (unknown !== undefined) return yield* new UnknownProcessor({ unknown, names })
    const runs = (name: string) => chosen === null || chosen.includes(name)
    // Shared by the parts that start together; a later restart checks again.
    const refuseForeign = yield* Effect.cachedWithTTL(refuseImported(log), IMPORT_CHECK_MS)
    const parts = processors
      .filter(({ name }) => runs(name))
      .map((processor) => {
        const part = status.part("process", processor.name)
        return supervise(`processor ${processor.name}`, part, (ready) =>
          Effect.suspend(() => {
            const folding = foldingLog(reportingLog(log, part), part, processor.topic)
            const run = runProcessor({ log: folding.log, processor, ready: folding.readyThen(ready) })
            return Effect.andThen(refuseForeign, run)
          }),
        )
      })
    // Wrong values were refused at the start.
    const keptHistory = Result.getOrThrow(keptHistoryOf({ keepDays, keepHistory }))
    const trimming = { floors: foldedByAll(log, processors), keptDays: keepDays ?? {} }
    // Views need neither ClickHouse nor a short log, so readiness does not either. A stopped part needs an operator.
    const makePart = () => status.part("process", keeper, { optional: (state) => state !== "stopped" })
    const makeTrimming = () => {
      const part = makePart()
      return supervise(TRIMMING, part, (ready) =>
        Effect.gen(function* () {
          yield* refuseForeign
          // The turn of the history writer: where another process keeps a history, what it has not archived is not trimmed.
          yield* reportingLog(log, part).awaitTurn(WRITER)
          yield* ready
          return yield* runTrimmer({ log, history: null, ...trimming })
        }),
      )
    }
    const makeHistory = (options: ClickHouseOptions) => {
      const historyPart = makePart()
      const watched = watchClickHouse(options, (problem) =>
        historyPart.hinder("watch", problem === null ? null : `ClickHouse: ${problem}`),
      )
      const history = supervise(HISTORY, historyPart, (ready) =>
        Effect.gen(function* () {
          yield* refuseForeign
          const history = yield* openClickHouse(options)
          return yield* runHistory({
            log: reportingLog(log, historyPart),
            history,
            tables,
            ...trimming,
            keptHistory,
            ready,
            unavailable: (problem) => historyPart.hinder("engine", problem === null ? null : `ClickHouse: ${problem}`),
          })
        }),
      )
      return Effect.raceFirst(Effect.scoped(watched), history)
    }
    const keeping = () => (clickhouse === null ? makeTrimming() : makeHistory(clickhouse))
    return Effect.all([...parts, ...(runs(keeper) ? [keeping()] : [])], { concurrency: "unbounded" }).pipe(
      Effect.andThen(Effect.never),
    )
  })
