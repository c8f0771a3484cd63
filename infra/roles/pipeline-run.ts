import { parentPort } from "node:worker_threads"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { openLog } from "../log/open.ts"
import { effectLogger, logConsole, makeLogger, processInstance } from "../telemetry/logger.ts"
import { collectNodeMetrics, ownMetrics, watchLogSizes } from "../telemetry/metrics.ts"
import { startPipeline } from "./pipeline.ts"
import type { FromThread, PipelineData, ToThread } from "./pipeline-worker.ts"
import { exportStates, makeStatus } from "./status.ts"

// The worker thread of the embedded mode: it decodes, folds and writes, so that the HTTP thread stays responsive.

if (parentPort === null) throw new Error("this module must run in a worker thread")
const port = parentPort
const send = (message: FromThread) => port.postMessage(message)

collectNodeMetrics({ thread: "pipeline" })

let stopping = false
let fiber: Fiber.Fiber<never, unknown> | null = null

const begin = ({ settings, secret, clickhouse }: PipelineData) => {
  const status = makeStatus(() => send({ type: "status", reports: status.reports() }))
  exportStates(status)
  const instance = settings.instance ?? processInstance()
  const logger = makeLogger(settings.logLevel, { role: "all", instance, thread: "pipeline" })
  logConsole(logger)
  fiber = Effect.runFork(
    Effect.scoped(
      Effect.gen(function* () {
        const log = yield* openLog(settings)
        yield* Effect.forkScoped(watchLogSizes(log))
        const demandUrl = yield* startPipeline({
          settings,
          secret,
          clickhouse,
          log,
          status,
          witness: (atMs) => send({ type: "witness", atMs }),
        })
        send({ type: "started", demandUrl, reports: status.reports() })
        return yield* Effect.never
      }),
    ).pipe(Effect.provide(effectLogger(logger))),
  )
  fiber.addObserver((exit) => {
    // A defect reaches the main thread as an error of the worker, and ends the process.
    if (exit._tag === "Failure" && !stopping) throw new Error(`the pipeline ended: ${String(exit.cause)}`)
  })
}

port.on("message", async (message: ToThread) => {
  if (message.type === "begin") begin(message.data)
  else if (message.type === "metrics")
    send({ type: "metrics", id: message.id, metrics: await ownMetrics(["ingest", "process"]) })
  else {
    stopping = true
    if (fiber !== null) await Effect.runPromise(Fiber.interrupt(fiber))
    process.exit()
  }
})
