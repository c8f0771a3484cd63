import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Demand } from "../../schemas/ports/demand.ts"
import type { EventLog } from "../../schemas/ports/event-log.ts"
import type { Settings } from "../config/settings.ts"
import type { ClickHouseOptions } from "../history/connection.ts"
import { ingestRole } from "./ingest.ts"
import { processRole } from "./process.ts"
import type { Status } from "./status.ts"

const WITNESS_EVERY = "5 seconds"

/** Runs ingest and process together. Succeeds with the observer of demand requests: null while ingest is not active. */
export const startPipeline = (options: {
  readonly settings: Settings
  readonly clickhouse: ClickHouseOptions
  readonly log: EventLog
  readonly status: Status
  /** Called periodically with the time on which several upstreams agree. */
  readonly witness: (atMs: number) => void
}): Effect.Effect<() => Demand | null, never, Scope.Scope> =>
  Effect.gen(function* () {
    const ingest = ingestRole(options.settings, options.log, options.status)
    yield* Effect.forkScoped(ingest.run)
    const reportTime = Effect.sync(() => {
      const atMs = ingest.upstreamsNowMs()
      if (atMs !== null) options.witness(atMs)
    })
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(WITNESS_EVERY), reportTime)))
    // A single process runs every processor and ignores PROCESSORS, so no name can be unknown.
    const processors = yield* Effect.orDie(
      processRole(options.clickhouse, options.log, options.status, { ...options.settings, processors: null }),
    )
    yield* Effect.forkScoped(processors)
    return ingest.demand
  })
