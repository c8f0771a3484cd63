import { randomBytes } from "node:crypto"
import type { Worker } from "node:worker_threads"
import { Deferred, Effect, Fiber, Schedule, type Scope } from "effect"
import type { FastifyInstance } from "fastify"
import type pino from "pino"
import { buildAdmin } from "../../api/admin.ts"
import { makePayments } from "../../ledger/client.ts"
import type { Demand } from "../../schemas/ports/demand.ts"
import type { EventLog, LogUnavailable, ReadFailed } from "../../schemas/ports/event-log.ts"
import type { ChainMisconfigured } from "../chain/chain-options.ts"
import {
  closeDirectory,
  type DirectoryHeld,
  type DirectoryUnusable,
  holdDirectory,
  keptSecret,
} from "../config/data-directory.ts"
import type { Role } from "../config/setting-table.ts"
import type { Settings } from "../config/settings.ts"
import { demandRoutes, makeHttpDemand } from "../demand/http.ts"
import type { ClickHouseOptions } from "../history/connection.ts"
import type { EngineFailed } from "../history/engine.ts"
import { OPERATOR_SECRET_FILE } from "../ledger/edges.ts"
import { makeHttpLedger } from "../ledger/http.ts"
import { makeRemotePayments } from "../ledger/remote-payments.ts"
import { ledgerRoutes } from "../ledger/routes.ts"
import { openWholeLog } from "../log/open.ts"
import type { ImportUnfinished } from "../log/transfer/imported.ts"
import type { SecretsUnusable } from "../secrets/secrets.ts"
import { collectNodeMetrics, exportProcess, metricsText, ownMetrics, watchLogSizes } from "../telemetry/metrics.ts"
import { prepareApi } from "./api.ts"
import { openBilling } from "./billing.ts"
import { watchLedgers } from "./billing-status.ts"
import { chainFactsOf, directoryOf, openChainOf, secretsOf, startLedger } from "./ledger.ts"
import { listen } from "./listen.ts"
import { endPipelineWorker, type PipelineEnded, startPipelineWorker } from "./pipeline-worker.ts"
import { adminPort, checkPorts, type ListenFailed, portsOf } from "./ports.ts"
import type { UnknownProcessor } from "./process.ts"
import { watchLog } from "./reporting-log.ts"
import { historyEngine, startHistory } from "./start-history.ts"
import { exportStates, makeStatus, type PartReport, readinessOf } from "./status.ts"

/** The failures that end a process, at its start or later. */
export type RolesFailed =
  | ChainMisconfigured
  | DirectoryHeld
  | DirectoryUnusable
  | EngineFailed
  | ImportUnfinished
  | ListenFailed
  | LogUnavailable
  | PipelineEnded
  | ReadFailed
  | SecretsUnusable
  | UnknownProcessor

/** Listens on the admin port. `extend` registers routes of the role. */
const startAdmin = (
  settings: Settings,
  reports: () => ReadonlyArray<PartReport>,
  metrics: () => Promise<string>,
  extend: (app: FastifyInstance) => void = () => {},
): Effect.Effect<string, ListenFailed, Scope.Scope> => {
  const app = buildAdmin({ metrics, ready: () => readinessOf(reports()) })
  extend(app)
  return listen(app, adminPort(settings))
}

/** Reports the addresses of the process: in the log, and to a parent process with an IPC channel. */
const reportStarted = (where: Readonly<Record<string, string>>): Effect.Effect<void> =>
  Effect.logInfo("started").pipe(
    Effect.annotateLogs(where),
    // Errors are ignored: the parent may have ended.
    Effect.andThen(Effect.sync(() => void process.send?.({ type: "started", ...where }, undefined, {}, () => {}))),
  )

/** Resolved lazily: the address is known once the pipeline runs. */
const deferredDemand = (known: Deferred.Deferred<Demand>): Demand => ({
  observe: (path, parameters) => Effect.flatMap(Deferred.await(known), (demand) => demand.observe(path, parameters)),
})

/** The longest delay of the ClickHouse engine while the other roles start. */
const ENGINE_WAITS_MAX = "3 seconds"
const READY_CHECK_EVERY = "25 millis"

const allRoles = (settings: Settings, logger: pino.Logger, thread: Worker) =>
  Effect.gen(function* () {
    // If the start fails, the thread may still be loading its code.
    yield* Effect.addFinalizer(() => Effect.promise(() => endPipelineWorker(thread)))
    yield* holdDirectory(settings.dataDirectory)
    // In the background: the folder itself is already restricted to its owner.
    yield* Effect.forkScoped(closeDirectory(settings.dataDirectory))
    yield* checkPorts(portsOf("all", settings))
    const { options: clickhouse, start } = yield* historyEngine(settings, true)
    const ready = yield* Deferred.make<void>()
    // ClickHouse starts last, because its start saturates a core; its scope opens first so that it closes last, after the
    // roles that insert.
    const engine = yield* Deferred.await(ready).pipe(
      Effect.timeoutOption(ENGINE_WAITS_MAX),
      Effect.andThen(start),
      Effect.andThen(Effect.never),
      Effect.scoped,
      Effect.forkScoped,
    )
    return yield* Effect.raceFirst(
      rolesBesideEngine({ settings, logger, thread, clickhouse, ready }),
      Fiber.join(engine),
    )
  })

/** Runs everything but the ClickHouse engine. `ready` is completed once the process is ready for traffic. */
const rolesBesideEngine = ({
  settings,
  logger,
  thread,
  clickhouse,
  ready,
}: {
  readonly settings: Settings
  readonly logger: pino.Logger
  readonly thread: Worker
  readonly clickhouse: ClickHouseOptions
  readonly ready: Deferred.Deferred<void>
}) =>
  Effect.gen(function* () {
    // Both ends are in this process, so the secret is new at each start.
    const demandSecret = randomBytes(32).toString("hex")
    const operatorSecrets = settings.ledgerOperatorSecret ?? [
      yield* keptSecret(settings.dataDirectory, OPERATOR_SECRET_FILE),
    ]
    const secrets = yield* secretsOf(settings, settings.dataDirectory)
    const log = yield* openWholeLog(settings)
    const status = makeStatus()
    exportStates(status)
    const chain = yield* openChainOf(settings)
    // Started first: the ledger folds its log while the other thread starts.
    const ledger = yield* startLedger({ log, status, chain, directory: settings.dataDirectory })
    const payments = chain === null ? null : makePayments({ ledger: ledger.client, chain })
    const billing = yield* openBilling({ settings, log, ledger: ledger.client, payments, secrets, clickhouse })
    const demand = yield* Deferred.make<Demand>()
    // In parallel: neither needs the other to start, and each takes a large part of a second.
    const [pipeline, api] = yield* Effect.all(
      [
        startPipelineWorker(thread, { settings, secret: demandSecret, clickhouse }, (atMs) =>
          ledger.clock.testify("the upstreams' Date", atMs),
        ),
        prepareApi(settings, log, status, deferredDemand(demand), billing, logger),
      ],
      { concurrency: "unbounded" },
    )
    yield* Deferred.succeed(demand, yield* makeHttpDemand({ urls: [pipeline.demandUrl], secret: demandSecret }))
    const url = yield* api.listen
    const metrics = async () =>
      metricsText(await Promise.all([ownMetrics(["main", "engine", "api", "ledger"]), pipeline.metrics()]))
    const reports = () => [...status.reports(), ...pipeline.reports()]
    const admin = yield* startAdmin(settings, reports, metrics, (app) =>
      // The API of this process calls the ledger directly, so only the operator routes are served.
      app.register(ledgerRoutes({ holder: ledger, payments: null, secrets: { operator: operatorSecrets } })),
    )
    yield* reportStarted({ api: url, admin, clickhouse: clickhouse.url })
    const isReady = Effect.suspend(() => (readinessOf(reports()).ready ? Effect.void : Effect.fail("not yet")))
    yield* isReady.pipe(
      Effect.retry(Schedule.spaced(READY_CHECK_EVERY)),
      Effect.andThen(Deferred.succeed(ready, undefined)),
      Effect.timeoutOption(ENGINE_WAITS_MAX),
      Effect.forkScoped,
    )
    return yield* pipeline.ended
  })

/** The billing of an API process. It stores nothing on disk: its keys come from the environment, the same for all processes. */
const remoteBilling = (settings: Settings, urls: ReadonlyArray<string>, log: EventLog) =>
  Effect.gen(function* () {
    const secrets = yield* secretsOf(settings, null)
    const [secret = ""] = settings.ledgerApiSecret ?? []
    const facts = yield* chainFactsOf(settings)
    const ledger = yield* makeHttpLedger({ urls, edge: "api", secret })
    const payments = facts === null ? null : yield* makeRemotePayments({ urls, secret, facts })
    const clickhouse = settings.clickhouseUrl === null ? null : (yield* historyEngine(settings)).options
    return yield* openBilling({ settings, log, ledger, payments, secrets, clickhouse })
  })

// The code of `ingest` and `process` is loaded where they run: with all roles in one process that is the other thread, and
// the parsers and folds would take memory twice.
const oneRole = (role: Exclude<Role, "all">, settings: Settings, logger: pino.Logger) =>
  Effect.gen(function* () {
    // A process of a single role locks no data folder, so its secrets must be given.
    const demandSecrets = settings.demandSecret ?? []
    yield* checkPorts(portsOf(role, settings))
    const log = yield* openWholeLog(settings)
    const status = makeStatus()
    exportStates(status)
    yield* Effect.forkScoped(watchLog(log, status))
    const metrics = async () =>
      metricsText([await ownMetrics(["main", role, ...(role === "api" ? ["ledgerClient" as const] : [])])])

    if (role === "ingest") {
      const { ingestRole } = yield* Effect.promise(() => import("./ingest.ts"))
      const ingest = ingestRole(settings, log, status)
      yield* Effect.forkScoped(ingest.run)
      const admin = yield* startAdmin(settings, status.reports, metrics, (app) =>
        app.register(demandRoutes(ingest.demand, demandSecrets)),
      )
      yield* reportStarted({ admin })
    } else if (role === "process") {
      const { processRole } = yield* Effect.promise(() => import("./process.ts"))
      yield* Effect.forkScoped(watchLogSizes(log))
      yield* Effect.forkScoped(yield* processRole(yield* startHistory(settings), log, status, settings))
      const admin = yield* startAdmin(settings, status.reports, metrics)
      yield* reportStarted({ admin })
    } else if (role === "ledger") {
      const chain = yield* openChainOf(settings)
      const ledger = yield* startLedger({ log, status, chain, directory: yield* directoryOf(settings) })
      const payments = chain === null ? null : makePayments({ ledger: ledger.client, chain })
      const secrets = { api: settings.ledgerApiSecret ?? [], operator: settings.ledgerOperatorSecret ?? [] }
      const admin = yield* startAdmin(settings, status.reports, metrics, (app) =>
        app.register(ledgerRoutes({ holder: ledger, payments, secrets })),
      )
      yield* reportStarted({ admin })
    } else {
      const urls = settings.demandUrls ?? []
      const demand = urls.length === 0 ? null : yield* makeHttpDemand({ urls, secret: demandSecrets[0] ?? "" })
      const billing = settings.ledgerUrls === null ? null : yield* remoteBilling(settings, settings.ledgerUrls, log)
      const api = yield* prepareApi(settings, log, status, demand, billing, logger)
      const url = yield* api.listen
      if (settings.ledgerUrls !== null) {
        const part = status.part("api", "billing", { optional: () => true })
        yield* Effect.forkScoped(watchLedgers(settings.ledgerUrls, part))
      }
      const admin = yield* startAdmin(settings, status.reports, metrics)
      yield* reportStarted({ api: url, admin })
    }
    return yield* Effect.never
  })

/** Runs every role until interrupted. Resources are closed in reverse order. */
export const runAllRoles = (
  settings: Settings,
  logger: pino.Logger,
  thread: Worker,
): Effect.Effect<never, RolesFailed, Scope.Scope> => {
  collectNodeMetrics({ thread: "main" })
  exportProcess(settings.dataDirectory)
  return allRoles(settings, logger, thread)
}

/** Runs one role until interrupted. */
export const runOneRole = (
  role: Exclude<Role, "all">,
  settings: Settings,
  logger: pino.Logger,
): Effect.Effect<never, RolesFailed, Scope.Scope> => {
  collectNodeMetrics({ role })
  // Only the ledger stores something on disk.
  exportProcess(role === "ledger" ? settings.dataDirectory : null)
  return oneRole(role, settings, logger)
}
