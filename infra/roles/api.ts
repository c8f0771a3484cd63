import { randomUUID } from "node:crypto"
import { Effect, type Scope } from "effect"
import type { FastifyInstance } from "fastify"
import type pino from "pino"
import { AccessLog } from "../../api/access-log.ts"
import type { Billing } from "../../api/billing.ts"
import { followViews } from "../../api/follow-views.ts"
import { buildApi } from "../../api/server.ts"
import { Traffic } from "../../api/traffic.ts"
import { closeApi } from "../../api/transport.ts"
import { reportUsage } from "../../api/usage.ts"
import { ViewStore } from "../../api/view-store.ts"
import { sources } from "../../ingestors/registry.ts"
import { views } from "../../processors/registry.ts"
import type { AttributionEntry } from "../../schemas/catalog.ts"
import { endpoints } from "../../schemas/registry.ts"
import type { Settings } from "../config/settings.ts"
import { VERSION } from "../config/version.ts"
import type { Demand } from "../demand/demand.port.ts"
import type { EventLog } from "../log/event-log.port.ts"
import { apiPort, type ListenFailed, listenFailed, type WantedPort } from "./ports.ts"
import { type Status, supervise } from "./supervise.ts"

/** Listens with a server for the scope; `close` ends it in order. */
export const listen = (
  app: FastifyInstance,
  wanted: WantedPort,
  close: (app: FastifyInstance) => Promise<void> = (one) => one.close(),
): Effect.Effect<string, ListenFailed, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.tryPromise({
      try: () => app.listen({ host: wanted.host, port: wanted.port }),
      catch: (cause) => listenFailed(wanted, cause),
    }),
    () => Effect.promise(() => close(app)),
  )

/** Who has made the data of each endpoint: the sources that fill the feeds which its views read. */
const attribution = new Map<string, ReadonlyArray<AttributionEntry>>(
  views.map(({ endpoint, reads }) => {
    const feeds = new Set(Object.values(reads).map(({ feed }) => feed.name))
    return [endpoint.path, sources.filter(({ fills }) => feeds.has(fills.name)).map((source) => source.attribution)]
  }),
)

/** How long running requests may take to end when the process stops, in milliseconds. */
const DRAIN_MS = 2_500

/** An API that could listen, and fills its memory meanwhile. */
export interface PreparedApi {
  /** Listens for the scope, and says where. */
  readonly listen: Effect.Effect<string, ListenFailed, Scope.Scope>
  /** Why it is not ready for traffic; nothing when it is. */
  readonly problems: () => ReadonlyArray<string>
}

/** Makes the API, which follows `views` and answers from memory, for the scope. */
export const prepareApi = (
  settings: Settings,
  log: EventLog,
  status: Status,
  demand: Demand | null,
  billing: Billing | null,
  logger: pino.Logger,
): Effect.Effect<PreparedApi, never, Scope.Scope> =>
  Effect.gen(function* () {
    const nowMs = Date.now
    const store = new ViewStore({ endpoints, nowMs })
    const traffic = new Traffic()
    const accessLog = logger.isLevelEnabled("info")
      ? new AccessLog((lines) => process.stdout.write(lines), nowMs)
      : null
    if (accessLog !== null) yield* Effect.addFinalizer(() => Effect.sync(() => accessLog.close()))

    yield* Effect.forkScoped(reportUsage({ log, traffic, instance: randomUUID(), nowMs }))
    yield* Effect.forkScoped(
      supervise("views", status, (ready) => ready.pipe(Effect.andThen(followViews(log, store, nowMs)))),
    )
    const app = yield* Effect.promise(() =>
      buildApi({
        endpoints,
        store,
        demand,
        billing,
        traffic,
        version: VERSION,
        startedAtMs: nowMs(),
        nowMs,
        limits: {
          requestsPerDay: settings.requestsPerDay,
          tokenRequestsPerMinute: settings.tokenRequestsPerMinute,
        },
        trustedProxies: settings.trustedProxies ?? [],
        baseUrl: settings.publicUrl?.replace(/\/$/, "") ?? null,
        attribution,
        logger,
        accessLog,
      }),
    )
    return {
      listen: listen(app, apiPort(settings), (one) => closeApi(one, DRAIN_MS)),
      problems: () => {
        if (store.halted !== null) return [`views: ${store.halted}`]
        return store.caughtUp ? [] : ["views: the log is being read"]
      },
    }
  })
