import type { Worker } from "node:worker_threads"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schedule from "effect/Schedule"
import type pino from "pino"
import type { SourceFacts } from "../../ingestors/registry.ts"
import { makePayments } from "../../ledger/client.ts"
import type { Settings } from "../config/settings.ts"
import type { Observe } from "../demand/observe.ts"
import { makeDemand } from "../demand/views.ts"
import { openClickHouse } from "../history/clickhouse.ts"
import type { ClickHouseOptions } from "../history/connection.ts"
import { OPERATOR_SECRET_FILE } from "../ledger/reach.ts"
import { ledgerRoutes } from "../ledger/routes.ts"
import { exportStates, makeStatus, type PartReport, readinessOf } from "../parts/part.ts"
import { closeDirectory, holdDirectory, keptSecret } from "../system/data-directory.ts"
import { type Replay, replayOf } from "../system/replay-folder.ts"
import { collectNodeMetrics, exportProcess, metricsText, ownMetrics } from "../telemetry/metrics.ts"
import { reportStarted, startAdmin } from "./admin.ts"
import { prepareApi } from "./api.ts"
import { openBilling, startRail } from "./billing.ts"
import { openChainOf, secretsOf, startLedger } from "./ledger.ts"
import { endPipelineWorker, startPipelineWorker } from "./pipeline-worker.ts"
import { checkPorts, portsOf } from "./ports.ts"
import type { ProcessTime } from "./process-time.ts"
import { openRoleLog } from "./role-log.ts"
import { historyEngine } from "./start-history.ts"

/** The longest delay of the ClickHouse engine while the other roles start. */
const ENGINE_WAITS_MAX = "3 seconds"
const READY_CHECK_EVERY = "25 millis"
const HISTORY_OFF =
  "HISTORY=off: no ClickHouse is started, the log is trimmed by age, and what reads the past answers not_configured"

/**
 * Runs every role until interrupted: the pipeline in a thread, the engine of ClickHouse as a child, the rest in this thread.
 * Resources are closed in reverse order.
 */
export const allRoles = (settings: Settings, logger: pino.Logger, thread: Worker, time: ProcessTime | null) =>
  Effect.gen(function* () {
    collectNodeMetrics({ thread: "main" })
    exportProcess(settings.dataDirectory)
    // If the start fails, the thread may still be loading its code.
    yield* Effect.addFinalizer(() => Effect.promise(() => endPipelineWorker(thread)))
    const replay = yield* replayOf(settings)
    yield* holdDirectory(settings.dataDirectory)
    // In the background: the folder itself is already restricted to its owner.
    yield* Effect.forkScoped(closeDirectory(settings.dataDirectory))
    yield* checkPorts(portsOf("all", settings))
    const history = settings.history === "off" ? null : yield* historyEngine(settings, true)
    const ready = yield* Deferred.make<void>()
    // ClickHouse starts last, because its start saturates a core; its scope opens first so that it closes last, after the
    // roles that insert.
    const engine = yield* Deferred.await(ready).pipe(
      Effect.timeoutOption(ENGINE_WAITS_MAX),
      Effect.andThen(history?.start ?? Effect.void),
      Effect.andThen(Effect.never),
      Effect.scoped,
      Effect.forkScoped,
    )
    return yield* Effect.raceFirst(
      rolesBesideEngine({ settings, logger, thread, clickhouse: history?.options ?? null, ready, replay, time }),
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
  replay,
  time,
}: {
  readonly settings: Settings
  readonly logger: pino.Logger
  readonly thread: Worker
  /** Null where no history is kept. */
  readonly clickhouse: ClickHouseOptions | null
  readonly ready: Deferred.Deferred<void>
  /** What `npm run replay` put into the data folder: then nothing is polled, and replies are those of its instant. */
  readonly replay: Replay | null
  /** Where it is not the machine's. */
  readonly time: ProcessTime | null
}) =>
  Effect.gen(function* () {
    if (replay !== null) yield* Effect.logInfo(`answers from a replay as at ${replay.at}, and polls nothing`)
    const operatorSecrets = settings.ledgerOperatorSecret ?? [
      yield* keptSecret(settings.dataDirectory, OPERATOR_SECRET_FILE),
    ]
    const secrets = yield* secretsOf(settings, settings.dataDirectory)
    const status = makeStatus()
    exportStates(status)
    const { log, failed } = yield* openRoleLog(settings, status)
    const chain = yield* openChainOf(settings)
    // Started first: the ledger folds its log while the other thread starts.
    const ledger = yield* startLedger({
      ...{ log, status, chain },
      directory: settings.dataDirectory,
      stateSecrets: settings.ledgerOperatorSecret,
      servesAlone: settings.kafkaBrokers === null,
      ...(time === null ? {} : { clock: time.ledgerClock }),
    })
    const payments = chain === null ? null : makePayments({ ledger: ledger.client, chain })
    const history = clickhouse === null ? null : yield* openClickHouse(clickhouse)
    if (clickhouse === null) yield* Effect.logInfo(HISTORY_OFF)
    const billing = yield* openBilling({ settings, log, ledger: ledger.client, payments, secrets, history })
    const observer = yield* Deferred.make<Observe>()
    const sources = Promise.withResolvers<ReadonlyArray<SourceFacts>>()
    let pipelineReports: () => ReadonlyArray<PartReport> = () => []
    const reports = () => [...status.reports(), ...pipelineReports()]
    // In parallel: neither needs the other to start, and each takes a large part of a second.
    const [pipeline, api] = yield* Effect.all(
      [
        startPipelineWorker(
          thread,
          { settings, clickhouse, polls: replay === null },
          {
            witness: (atMs) => ledger.clock.testify("the upstreams' Date", atMs),
            sources: sources.resolve,
          },
        ),
        prepareApi({
          settings,
          log,
          status,
          // Requests wait until the pipeline runs.
          demand:
            replay === null
              ? makeDemand((request) => Effect.flatMap(Deferred.await(observer), (observe) => observe(request)))
              : null,
          billing,
          history,
          logger,
          sources: Effect.promise(() => sources.promise),
          reports,
          standsAtMs: replay === null ? null : Date.parse(replay.at),
        }),
      ],
      { concurrency: "unbounded" },
    )
    pipelineReports = pipeline.reports
    yield* Deferred.succeed(observer, pipeline.observe)
    const url = yield* api.listen
    time?.serving(api.isCaughtUp)
    const limits = time === null ? {} : { nowMs: time.signedNowMs }
    const rail = yield* startRail(settings, billing, logger, limits)
    const engines = clickhouse === null ? [] : (["engine"] as const)
    const metrics = async () =>
      metricsText(await Promise.all([ownMetrics(["main", ...engines, "api", "ledger"]), pipeline.metrics()]))
    const admin = yield* startAdmin(settings, { reports, warnings: status.warnings }, metrics, (app) =>
      // The API of this process calls the ledger directly, so only the operator routes are served.
      app.register(ledgerRoutes({ holder: ledger, payments: null, secrets: { operator: operatorSecrets }, limits })),
    )
    yield* reportStarted({ api: url, ...rail, admin, ...(clickhouse === null ? {} : { clickhouse: clickhouse.url }) })
    const isReady = Effect.suspend(() => (readinessOf(reports()).ready ? Effect.void : Effect.fail("not yet")))
    yield* isReady.pipe(
      Effect.retry(Schedule.spaced(READY_CHECK_EVERY)),
      Effect.andThen(Deferred.succeed(ready, undefined)),
      Effect.timeoutOption(ENGINE_WAITS_MAX),
      Effect.forkScoped,
    )
    return yield* Effect.raceFirst(pipeline.ended, failed)
  })
