import { Worker } from "node:worker_threads"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import Fastify, { type FastifyInstance } from "fastify"
import { hostAndPort } from "../config/address.ts"
import type { Settings } from "../config/settings.ts"
import { readinessOf, type Status } from "../parts/part.ts"
import { STANDARD_OUTPUT } from "../telemetry/logger.ts"
import { isTerminal } from "../telemetry/terminal.ts"
import { adminPort, type ListenFailed, listen, listenFailed, livePort, type WantedPort } from "./ports.ts"

/** Whether the process is ready for traffic, and the state of its parts. */
interface Readiness {
  readonly ready: boolean
  /** Why it is not ready; empty when it is. */
  readonly reasons: ReadonlyArray<string>
  /** Faults that do not keep callers from being served. */
  readonly degraded: ReadonlyArray<string>
  /** The state of each part of the process. */
  readonly parts: ReadonlyArray<object>
}

/** The sources of the admin port's pages. */
interface AdminOptions {
  /** All metrics, in the text format of Prometheus. */
  readonly metrics: () => Promise<string>
  readonly ready: () => Readiness
}

const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"
const TIMEOUT_MS = 10_000

/**
 * Builds the admin port: `/metrics`, `/livez` (answered by the event loop, so slow if that is starved) and `/readyz` (503
 * with reasons until the process is ready). It serves operators and must not be reachable from outside; it reveals no secret
 * and changes nothing. The caller starts it.
 */
export const buildAdmin = (options: AdminOptions): FastifyInstance => {
  const app = Fastify({
    logger: false,
    bodyLimit: 1024,
    requestTimeout: TIMEOUT_MS,
    forceCloseConnections: "idle",
    http: { headersTimeout: TIMEOUT_MS },
  })
  app.addHook("onSend", async (_, reply) => {
    reply.headers({ "cache-control": "no-store", "x-content-type-options": "nosniff" })
  })
  app.get("/livez", () => ({ live: true }))
  app.get("/readyz", (_, reply) => {
    const readiness = options.ready()
    return reply.code(readiness.ready ? 200 : 503).send(readiness)
  })
  app.get("/metrics", async (_, reply) => reply.type(METRICS_TYPE).send(await options.metrics()))
  return app
}

/** Listens on the admin port, and at `LIVE_PORT` where it is set. `extend` registers routes of the role. */
export const startAdmin = (
  settings: Settings,
  { reports, warnings }: Pick<Status, "reports" | "warnings">,
  metrics: () => Promise<string>,
  extend: (app: FastifyInstance) => void = () => {},
): Effect.Effect<string, ListenFailed, Scope.Scope> => {
  const app = buildAdmin({ metrics, ready: () => readinessOf(reports(), warnings()) })
  extend(app)
  const live = livePort(settings)
  return Effect.andThen(
    live === null ? Effect.void : startLiveness(live),
    Effect.tap(listen(app, adminPort(settings)), () =>
      isTerminal(STANDARD_OUTPUT) ? Effect.forkScoped(sayState(() => readinessOf(reports(), warnings()))) : Effect.void,
    ),
  )
}

const SAID_EVERY = "1 second"

/** Says at a terminal whether the process is ready, and what it lacks, whenever that changes. */
const sayState = (read: () => Readiness): Effect.Effect<never> =>
  Effect.suspend(() => {
    let said = ""
    return Effect.suspend(() => {
      const { ready, reasons, degraded } = read()
      const lacks = [...reasons, ...degraded]
      const text = `${ready ? "ready" : "not ready yet"}${lacks.length === 0 ? "" : `: ${lacks.join("; ")}`}`
      if (text === said) return Effect.void
      said = text
      return Effect.annotateLogs(Effect.logInfo(text), { part: "state" })
    }).pipe(Effect.andThen(Effect.sleep(SAID_EVERY)), Effect.forever)
  })

/** Reports the addresses of the process: in the log, and to a parent process with an IPC channel. */
export const reportStarted = (where: Readonly<Record<string, string>>): Effect.Effect<void> =>
  Effect.logInfo("started").pipe(
    Effect.annotateLogs(where),
    // Errors are ignored: the parent may have ended.
    Effect.andThen(Effect.sync(() => void process.send?.({ type: "started", ...where }, undefined, {}, () => {}))),
  )

/** The longest silence of the main thread with which the process counts as alive: a longer one is a hang. */
const SILENT_MAX_MS = 60_000
const BEAT_EVERY_MS = 500

/** The input of the thread. */
export interface LivenessData {
  readonly host: string
  readonly port: number
  /** The last beat of the main thread, by the monotonic clock of the process, in nanoseconds. */
  readonly beats: BigInt64Array
  readonly silentMsMax: number
}

/** Messages from the thread. */
export type LivenessMessage =
  | { readonly type: "listening" }
  | { readonly type: "failed"; readonly code: string; readonly problem: string }

/** A server without heavy code: the defaults would reserve far more for it. */
const resourceLimits = { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 32 }

/**
 * Serves `/livez` for the scope on a thread of its own, so that a main thread that is starved of processor time, or blocked, is
 * seen as slow and not as dead: 200 with the milliseconds since its last beat, 503 beyond `silentMsMax`.
 */
export const startLiveness = (
  wanted: WantedPort,
  silentMsMax: number = SILENT_MAX_MS,
): Effect.Effect<string, ListenFailed, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<{ readonly worker: Worker; readonly timer: NodeJS.Timeout }, ListenFailed>((resume) => {
      const { host, port } = wanted
      const beats = new BigInt64Array(new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT))
      const beat = () => void Atomics.store(beats, 0, process.hrtime.bigint())
      beat()
      const timer = setInterval(beat, BEAT_EVERY_MS)
      const workerData: LivenessData = { host, port, beats, silentMsMax }
      const worker = new Worker(new URL("./liveness-thread.ts", import.meta.url), { workerData, resourceLimits })
      worker.once("message", (message: LivenessMessage) => {
        if (message.type === "listening") return resume(Effect.succeed({ worker, timer }))
        clearInterval(timer)
        void worker.terminate()
        const cause = Object.assign(new Error(message.problem), { code: message.code })
        resume(Effect.fail(listenFailed(wanted, cause)))
      })
    }),
    ({ worker, timer }) =>
      Effect.promise(async () => {
        clearInterval(timer)
        await worker.terminate()
      }),
  ).pipe(Effect.as(`http://${hostAndPort(wanted.host, wanted.port)}`))
