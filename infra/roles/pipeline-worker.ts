import { Worker } from "node:worker_threads"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
// The thread locks files through a native library. A library that only a thread has loaded is unloaded when the thread ends,
// which crashes the process (SIGSEGV). Loaded here first, it stays loaded.
import "../system/file-lock.ts"
import type { SourceFacts } from "../../ingestors/registry.ts"
import type { Settings } from "../config/settings.ts"
import type { Observe } from "../demand/observe.ts"
import { type DemandedMessage, type DemandMessage, makeThreadObserve } from "../demand/thread.ts"
import type { ClickHouseOptions } from "../history/connection.ts"
import type { PartReport } from "../parts/part.ts"
import type { Metrics } from "../telemetry/metrics.ts"

/** The input of the thread. */
export interface PipelineData {
  readonly settings: Settings
  /** Null where no history is kept. */
  readonly clickhouse: ClickHouseOptions | null
  /** Whether upstreams are polled. */
  readonly polls: boolean
}

/** Messages from the thread. */
export type FromThread =
  | { readonly type: "sources"; readonly sources: ReadonlyArray<SourceFacts> }
  | { readonly type: "started"; readonly reports: ReadonlyArray<PartReport> }
  | { readonly type: "status"; readonly reports: ReadonlyArray<PartReport> }
  | { readonly type: "metrics"; readonly id: number; readonly metrics: Metrics }
  | DemandedMessage
  /** The time on which several upstreams agree. */
  | { readonly type: "witness"; readonly atMs: number }

/** Messages to the thread; the first one is `begin`. */
export type ToThread =
  | { readonly type: "begin"; readonly data: PipelineData }
  | { readonly type: "metrics"; readonly id: number }
  | DemandMessage
  | { readonly type: "stop" }

/** The thread ended by itself, which is a defect; `problem` describes it. */
export class PipelineEnded extends Schema.TaggedError<PipelineEnded>()("PipelineEnded", { problem: Schema.String }) {
  override get message() {
    return `the pipeline thread ended: ${this.problem}`
  }
}

/** Called with what the thread reports by itself. */
export interface PipelineCallbacks {
  /** With the time on which several upstreams agree, now and then. */
  readonly witness: (atMs: number) => void
  /** Once, with the facts of every source. */
  readonly sources: (sources: ReadonlyArray<SourceFacts>) => void
}

/** The worker thread that ingests and folds. */
export interface PipelineWorker {
  readonly observe: Observe
  readonly reports: () => ReadonlyArray<PartReport>
  readonly metrics: () => Promise<Metrics>
  /** Fails if the thread ends by itself. */
  readonly ended: Effect.Effect<never, PipelineEnded>
}

/**
 * On a large machine V8 lets the young generation of each thread grow beyond 100 MiB, without benefit, because the objects of
 * a poll are short-lived. The command line bounds that of the main thread.
 */
const resourceLimits = { maxYoungGenerationSizeMb: 12 }

const STOP_MAX_MS = 20_000
const METRICS_MAX_MS = 2_000

const ENTRY = new URL("pipeline-thread.js", import.meta.url)

/**
 * Starts the thread, which only loads its code, in parallel with the main thread. Messages to it wait until then.
 */
export const loadPipelineWorker = (entry: URL = ENTRY): Worker => new Worker(entry, { resourceLimits })

/**
 * Stops the thread and waits until it has ended; does nothing if it has ended already. `terminate` crashes the whole process
 * while the thread evaluates modules with top-level await or runs a native call of the log's engine
 * (https://github.com/nodejs/node/issues/53238), so it is only used after `msMax` milliseconds.
 */
export const endPipelineWorker = async (worker: Worker, msMax = STOP_MAX_MS): Promise<void> => {
  if (worker.threadId === -1) return
  const ended = new Promise<void>((resolve) => worker.once("exit", () => resolve()))
  const deadline = setTimeout(() => void worker.terminate(), msMax)
  worker.postMessage({ type: "stop" } satisfies ToThread)
  await ended
  clearTimeout(deadline)
}

/** Starts the pipeline and waits until it runs. The scope stops the thread and awaits its end. */
export const startPipelineWorker = (
  loaded: Worker,
  data: PipelineData,
  callbacks: PipelineCallbacks,
): Effect.Effect<PipelineWorker, PipelineEnded, Scope.Scope> =>
  Effect.gen(function* () {
    const waiting = new Map<number, (metrics: Metrics) => void>()
    let reports: ReadonlyArray<PartReport> = []
    let questions = 0
    const started = Promise.withResolvers<void>()
    const failed = Promise.withResolvers<PipelineEnded>()
    const worker = yield* Effect.acquireRelease(Effect.succeed(loaded), (one) =>
      Effect.promise(() => endPipelineWorker(one)),
    )
    const post = (message: ToThread) => worker.postMessage(message)
    const demands = makeThreadObserve({ send: post })
    const fail = (problem: string) => failed.resolve(new PipelineEnded({ problem }))
    worker.on("error", (error) => fail(error instanceof Error ? (error.stack ?? error.message) : String(error)))
    worker.on("exit", (code) => fail(`exit code ${code}`))
    worker.on("message", (message: FromThread) => {
      if (message.type === "started") started.resolve()
      if (message.type === "witness") callbacks.witness(message.atMs)
      if (message.type === "sources") callbacks.sources(message.sources)
      if (message.type === "started" || message.type === "status") reports = message.reports
      if (message.type === "demanded") demands.answered(message)
      if (message.type === "metrics") waiting.get(message.id)?.(message.metrics)
    })
    post({ type: "begin", data })
    const ended = Effect.promise(() => failed.promise).pipe(Effect.flatMap((error) => Effect.fail(error)))
    yield* Effect.promise(() => started.promise).pipe(Effect.raceFirst(ended))

    const metrics = (): Promise<Metrics> =>
      new Promise((resolve) => {
        const id = ++questions
        const deadline = setTimeout(() => answer([]), METRICS_MAX_MS)
        const answer = (values: Metrics) => {
          clearTimeout(deadline)
          waiting.delete(id)
          resolve(values)
        }
        waiting.set(id, answer)
        post({ type: "metrics", id })
      })
    return { observe: demands.observe, reports: () => reports, metrics, ended }
  })
