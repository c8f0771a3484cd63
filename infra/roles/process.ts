import { Effect } from "effect"
import { runHistory } from "../../processors/history/consumer.ts"
import { loadProcessors, tables } from "../../processors/registry.ts"
import { runProcessor } from "../../processors/runner.ts"
import { type ClickHouseOptions, openClickHouse } from "../history/clickhouse.ts"
import type { EventLog } from "../log/event-log.port.ts"
import { type Status, supervise } from "./supervise.ts"

/** Runs every processor, and the writer of the history, each by itself: what stops one does not stop another. */
export const processRole = (clickhouse: ClickHouseOptions, log: EventLog, status: Status): Effect.Effect<never> =>
  Effect.gen(function* () {
    const processors = yield* Effect.promise(loadProcessors)
    const parts = processors.map((processor) =>
      supervise(`processor ${processor.name}`, status, (ready) => runProcessor({ log, processor, ready })),
    )
    const history = supervise("history", status, (ready) =>
      Effect.gen(function* () {
        const history = yield* openClickHouse(clickhouse)
        // The views never wait for ClickHouse, so neither does readiness.
        yield* ready
        return yield* runHistory({ log, history, tables })
      }),
    )
    return yield* Effect.all([...parts, history], { concurrency: "unbounded" }).pipe(Effect.andThen(Effect.never))
  })
