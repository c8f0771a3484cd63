import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import Fastify, { type FastifyInstance } from "fastify"
import type { EventLog } from "../../schemas/ports/event-log.ts"
import type { Settings } from "../config/settings.ts"
import { demandRoutes } from "../demand/http.ts"
import type { ClickHouseOptions } from "../history/connection.ts"
import { ingestRole } from "./ingest.ts"
import { listen } from "./listen.ts"
import type { ListenFailed } from "./ports.ts"
import { processRole } from "./process.ts"
import type { Status } from "./status.ts"

const WITNESS_EVERY = "5 seconds"

/** Runs ingest and process together, and serves demand requests on its own port. Succeeds with that address. */
export const startPipeline = (options: {
  readonly settings: Settings
  readonly secret: string
  readonly clickhouse: ClickHouseOptions
  readonly log: EventLog
  readonly status: Status
  /** Called periodically with the time on which several upstreams agree. */
  readonly witness: (atMs: number) => void
}): Effect.Effect<string, ListenFailed, Scope.Scope> =>
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
    const app: FastifyInstance = Fastify({ logger: false })
    app.register(demandRoutes(ingest.demand, [options.secret]))
    return yield* listen(app, {
      variable: "the port for demands",
      port: 0,
      host: "127.0.0.1",
      hostVariable: null,
    })
  })
