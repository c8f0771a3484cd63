import type { MessagePort } from "node:worker_threads"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import { sourceFactsOf, sources } from "../../ingestors/registry.ts"
import type { EventLog } from "../../schemas/ports/event-log.ts"
import type { Settings } from "../config/settings.ts"
import type { Observe } from "../demand/observe.ts"
import { answerDemand } from "../demand/thread.ts"
import type { ClickHouseOptions } from "../history/connection.ts"
import { exportStates, makeStatus, type Status } from "../parts/part.ts"
import { effectLogger, logConsole, makeLogger, processInstance } from "../telemetry/logger.ts"
import { collectNodeMetrics, ownMetrics, watchLogSizes } from "../telemetry/metrics.ts"
import { ingestRole } from "./ingest.ts"
import type { FromThread, PipelineData, ToThread } from "./pipeline-worker.ts"
import { processRole } from "./process.ts"
import type { ThreadTime } from "./process-time.ts"
import { openRoleLog } from "./role-log.ts"

const WITNESS_EVERY = "5 seconds"

/** Runs ingest and process together. Succeeds with what observes on request: null while ingest is not active. */
const startPipeline = (options: {
  readonly settings: Settings
  /** Null where no history is kept. */
  readonly clickhouse: ClickHouseOptions | null
  readonly polls: boolean
  readonly log: EventLog
  readonly status: Status
  /** Called periodically with the time on which several upstreams agree. */
  readonly witness: (atMs: number) => void
  readonly time: ThreadTime | null
}): Effect.Effect<() => Observe | null, never, Scope.Scope> =>
  Effect.gen(function* () {
    const ingest = options.polls ? ingestRole(options.settings, options.log, options.status, options.time) : null
    if (ingest !== null) {
      yield* Effect.forkScoped(ingest.run)
      const reportTime = Effect.sync(() => {
        const atMs = ingest.upstreamsNowMs()
        if (atMs !== null) options.witness(atMs)
      })
      yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(WITNESS_EVERY), reportTime)))
    }
    // A single process runs every processor and ignores PROCESSORS, so no name can be unknown.
    const processors = yield* Effect.orDie(
      processRole(options.clickhouse, options.log, options.status, { ...options.settings, processors: null }),
    )
    yield* Effect.forkScoped(processors)
    options.time?.folding(options.log, options.clickhouse !== null)
    return ingest?.observe ?? (() => null)
  })

/** Runs the pipeline until interrupted. `observing` is called with what observes on request, once there is one. */
const pipeline = (
  { settings, clickhouse, polls }: PipelineData,
  send: (message: FromThread) => void,
  observing: (observe: () => Observe | null) => void,
  time: ThreadTime | null,
): Effect.Effect<never, unknown> => {
  const status = makeStatus(() => send({ type: "status", reports: status.reports() }))
  exportStates(status)
  const instance = settings.instance ?? processInstance()
  const logger = makeLogger(settings.logLevel, { role: "all", instance, thread: "pipeline" })
  logConsole(logger)
  return Effect.scoped(
    Effect.gen(function* () {
      // A log that can never be opened ends the process through the main thread.
      const { log } = yield* openRoleLog(settings, status)
      yield* Effect.forkScoped(watchLogSizes(log))
      const witness = (atMs: number) => send({ type: "witness", atMs })
      observing(yield* startPipeline({ settings, clickhouse, polls, log, status, witness, time }))
      send({ type: "started", reports: status.reports() })
      return yield* Effect.never
    }),
  ).pipe(Effect.provide(effectLogger(logger)))
}

/**
 * Serves the messages of the main thread. This thread decodes, folds and writes in the embedded mode, so that the HTTP thread
 * stays responsive. `time`: where that is not the machine's. Throws without a port: it must run in a worker thread.
 */
export const runPipeline = (port: MessagePort | null, time: ThreadTime | null = null): void => {
  if (port === null) throw new Error("the pipeline must run in a worker thread")
  const send = (message: FromThread) => port.postMessage(message)
  collectNodeMetrics({ thread: "pipeline" })
  let stopping = false
  let observe: () => Observe | null = () => null
  let fiber: Fiber.Fiber<never, unknown> | null = null

  const begin = (data: PipelineData) => {
    send({ type: "sources", sources: sources.map(sourceFactsOf) })
    const observing = (observer: () => Observe | null) => {
      observe = observer
    }
    const running = pipeline(data, send, observing, time)
    fiber = Effect.runFork(running)
    fiber.addObserver((exit) => {
      // A defect reaches the main thread as an error of the worker, and ends the process.
      if (exit._tag === "Failure" && !stopping) throw new Error(`the pipeline ended: ${String(exit.cause)}`)
    })
  }

  port.on("message", async (message: ToThread) => {
    if (message.type === "begin") begin(message.data)
    else if (message.type === "demand") send(await Effect.runPromise(answerDemand(observe(), message)))
    else if (message.type === "metrics")
      send({ type: "metrics", id: message.id, metrics: await ownMetrics(["ingest", "process"]) })
    else {
      stopping = true
      if (fiber !== null) await Effect.runPromise(Fiber.interrupt(fiber))
      process.exit()
    }
  })
}
