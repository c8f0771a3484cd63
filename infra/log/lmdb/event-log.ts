import { setImmediate } from "node:timers/promises"
import { Effect, Exit, Option, type Scope, Stream } from "effect"
import { Counter, Histogram } from "prom-client"
import {
  type Batch,
  type CommitFailed,
  type EventLog,
  Fenced,
  type FencedWriter,
  LogFull,
  type LogRecord,
  LogUnavailable,
  type Offset,
  OutcomeUnknown,
  RECORD_BYTES_MAX,
  RecordTooLarge,
  UnknownTopic,
} from "../../../schemas/ports/event-log.ts"
import { type Topic, topicNames } from "../../../schemas/topics.ts"
import { lmdbFailure, saysFull } from "./failure.ts"
import { makeSignal, type Signal } from "./signal.ts"
import {
  acquireStore,
  BytesExceeded,
  bytesOf,
  endOf,
  type Frame,
  frameOf,
  holdsName,
  REMOVALS_KEPT,
  releaseStore,
  type Store,
  sliceOf,
  startOf,
  takeName,
  trimSome,
  write,
} from "./store.ts"

/** The largest commit, all keys and values together, in bytes: it is one transaction, held in memory. */
export const COMMIT_BYTES_MAX = 64 * 1024 * 1024

/** The most bytes that may wait to be written; beyond it commits fail with `LogUnavailable`. */
const WAITING_BYTES_MAX = 256 * 1024 * 1024

const commits = new Counter({
  name: "tidewire_log_lmdb_commits_total",
  help: "Commits of the embedded log, by writer and what became of them (done, or the name of the error)",
  labelNames: ["writer", "outcome"],
})
const commitSeconds = new Histogram({
  name: "tidewire_log_lmdb_commit_seconds",
  help: "Time from the call of a commit until it is on disk, waiting included",
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
})

export interface LmdbLogOptions {
  /** The directory of the log; it is made where it is absent. */
  readonly path: string
  /** The most bytes of records that the log keeps, keys and values together; beyond it commits fail with `LogFull`. */
  readonly bytesMax?: number
  /** Removals that a compacted topic keeps for readers that are behind. */
  readonly removalsKept?: number
  /** Topics whose records are packed, where it is to be others than those that a measurement chose. A log keeps its choice. */
  readonly compressed?: ReadonlyArray<Topic>
  /** The most bytes that may wait to be written at a time, where it is not to be 256 MiB. */
  readonly waitingBytesMax?: number
}

/** One opening of the log. Several in a thread share the store; each is closed by itself. */
interface Opened {
  readonly path: string
  readonly store: Store
  readonly closed: () => boolean
  readonly signal: Signal
  readonly bytesMax: number
  readonly removalsKept: number
  readonly waitingBytesMax: number
  readonly waiting: { bytes: number }
}

/** Why a transaction of the store failed. `aborted`: nothing was written. `unclear`: nobody knows. */
type Failure =
  | { readonly kind: "full"; readonly cause: unknown }
  | { readonly kind: "aborted"; readonly cause: unknown }
  | { readonly kind: "unclear"; readonly cause: unknown }

/**
 * Runs `work` in a write transaction of its own, undone when it throws, and succeeds when it is on disk. Those that are
 * started together are committed and flushed together, in the order in which they were started.
 */
const transact = <A>({ path, store, closed }: Opened, work: () => A): Effect.Effect<A, Failure> =>
  Effect.callback<A, Failure>((resume) => {
    const settle = async (): Promise<Effect.Effect<A, Failure>> => {
      const entering = store.gate.enter()
      if (entering !== undefined) await entering
      try {
        if (closed()) throw new Error("it is closed")
        return Effect.succeed(await store.root.childTransaction(work))
      } catch (error) {
        const { cause, committing } = await lmdbFailure(error)
        if (cause instanceof BytesExceeded) return Effect.fail({ kind: "full", cause })
        if (saysFull(path, cause)) {
          store.room.failed()
          return Effect.fail({ kind: "full", cause })
        }
        return Effect.fail({ kind: committing ? "unclear" : "aborted", cause })
      } finally {
        store.gate.leave()
      }
    }
    void settle().then(resume)
  })

/** Like `transact`, for work that adds to the log: refused without a try while the disk is known to be full. */
const adding = <A>(opened: Opened, work: () => A): Effect.Effect<A, Failure> =>
  Effect.suspend(() => {
    const refusal = opened.store.room.refusal()
    return refusal === null ? transact(opened, work) : Effect.fail<Failure>({ kind: "full", cause: refusal })
  })

/** Runs `work`, which writes `frames`, unless too much waits already. */
const writing = <A>(opened: Opened, frames: ReadonlyArray<Frame>, work: () => A): Effect.Effect<A, Failure> =>
  Effect.suspend(() => {
    const { waiting, waitingBytesMax } = opened
    const bytes = frames.reduce((sum, { entry }) => sum + entry.bytes, 0)
    if (waiting.bytes + bytes > waitingBytesMax)
      return Effect.fail<Failure>({ kind: "aborted", cause: new Error(`${waiting.bytes} bytes wait to be written`) })
    waiting.bytes += bytes
    return adding(opened, work).pipe(
      Effect.ensuring(
        Effect.sync(() => {
          waiting.bytes -= bytes
        }),
      ),
    )
  })

const full = (cause: unknown): LogFull =>
  new LogFull({ problem: cause instanceof BytesExceeded ? "it keeps as many bytes as it may" : String(cause) })

const unavailable =
  (problem: string) =>
  (cause: unknown): LogUnavailable =>
    new LogUnavailable({ problem, cause })

/** A read of the store. Once closed, its memory is no longer ours to look at. */
const looking = <A>({ closed }: Opened, look: () => A): Effect.Effect<A, LogUnavailable> =>
  Effect.suspend(() =>
    closed()
      ? Effect.fail(unavailable("it is closed")(undefined))
      : Effect.try({ try: look, catch: unavailable("it cannot be read") }),
  )

const known: ReadonlySet<string> = new Set(topicNames)
const knownTopics = (topics: ReadonlyArray<Topic>): Effect.Effect<void, UnknownTopic> => {
  const unknown = topics.find((topic) => !known.has(topic))
  return unknown === undefined ? Effect.void : Effect.fail(new UnknownTopic({ topic: unknown }))
}

/** The frames of records that the log takes. */
const framed = (
  records: ReadonlyArray<LogRecord>,
): Effect.Effect<ReadonlyArray<Frame>, RecordTooLarge | UnknownTopic> => {
  let commitBytes = 0
  for (const { topic, key, value } of records) {
    if (!known.has(topic)) return Effect.fail(new UnknownTopic({ topic }))
    const sizeBytes = Buffer.byteLength(key) + (value?.length ?? 0)
    commitBytes += sizeBytes
    if (sizeBytes > RECORD_BYTES_MAX)
      return Effect.fail(new RecordTooLarge({ topic, key, sizeBytes, maxBytes: RECORD_BYTES_MAX }))
    if (commitBytes > COMMIT_BYTES_MAX)
      return Effect.fail(new RecordTooLarge({ topic, key, sizeBytes: commitBytes, maxBytes: COMMIT_BYTES_MAX }))
  }
  return Effect.succeed(records.map(frameOf))
}

const claimed = (opened: Opened, writer: string, topics: ReadonlyArray<Topic>) =>
  Effect.gen(function* () {
    const { store, signal, bytesMax, removalsKept } = opened
    yield* knownTopics(topics)
    const { epoch, ends } = yield* adding(opened, () => takeName(store, writer, topics)).pipe(
      Effect.mapError(({ kind, cause }) => (kind === "full" ? full(cause) : unavailable("claim")(cause))),
    )
    let stopped: Fenced | OutcomeUnknown | undefined
    const stop = <E extends Fenced | OutcomeUnknown>(error: E): E => {
      stopped ??= error
      return error
    }
    const refused = ({ kind, cause }: Failure): CommitFailed => {
      if (kind === "full") return full(cause)
      if (kind === "aborted") return unavailable("the commit was refused")(cause)
      return stop(new OutcomeUnknown({ writer, cause }))
    }
    const commitOnce: FencedWriter["commit"] = (records) =>
      Effect.gen(function* () {
        if (stopped !== undefined) return yield* Effect.fail(stopped)
        const frames = yield* framed(records)
        const offsets = yield* writing(opened, frames, () =>
          // Asked again here: a commit before this one may have failed since this one was made.
          stopped === undefined && holdsName(store, writer, epoch)
            ? write(store, frames, bytesMax, removalsKept)
            : undefined,
        ).pipe(Effect.mapError(refused))
        if (offsets === undefined) return yield* Effect.fail(stopped ?? stop(new Fenced({ writer })))
        signal.committed()
        return { offsets }
      })
    const commit: FencedWriter["commit"] = (records) =>
      Effect.suspend(() => {
        const end = commitSeconds.startTimer()
        return commitOnce(records).pipe(
          Effect.onExit((exit) =>
            Effect.sync(() => {
              end()
              const failure = Option.getOrUndefined(Exit.findErrorOption(exit))
              commits.inc({ writer, outcome: Exit.isSuccess(exit) ? "done" : (failure?._tag ?? "defect") })
            }),
          ),
        )
      })
    return { writer, ends, commit } satisfies FencedWriter
  })

/** Batches from `from`. Between two of them nothing is held and other work has its turn. */
const batches = (opened: Opened, topic: Topic, from: Offset, mode: "read" | "follow") => {
  const { store, signal } = opened
  const pages = (upTo: Offset) =>
    Stream.paginate(from, (next: Offset) =>
      Effect.gen(function* () {
        if (mode === "follow") yield* signal.past(topic, next)
        yield* Effect.promise(() => setImmediate())
        const slice = yield* looking(opened, () => sliceOf(store, topic, next, upTo))
        const found: ReadonlyArray<Batch> =
          slice.next > next ? [{ topic, records: slice.records, next: slice.next }] : []
        const goesOn = mode === "follow" || slice.next < upTo
        return [found, goesOn ? Option.some(slice.next) : Option.none<Offset>()] as const
      }),
    )
  return Stream.unwrap(
    Effect.gen(function* () {
      yield* knownTopics([topic])
      if (mode === "follow") return pages(Number.MAX_SAFE_INTEGER)
      const end = yield* looking(opened, () => endOf(store, topic))
      return from < end ? pages(end) : Stream.empty
    }),
  )
}

const trimmed = (opened: Opened, topic: Topic, before: Offset) =>
  Effect.gen(function* () {
    yield* knownTopics([topic])
    for (let more = true; more; )
      more = yield* transact(opened, () => trimSome(opened.store, topic, before)).pipe(
        Effect.mapError(({ cause }) => unavailable("it cannot be trimmed")(cause)),
      )
    opened.store.room.freed()
  })

/**
 * Opens the embedded log: LMDB in a directory. Any number of threads and processes of one machine may open the same
 * directory; offsets are dense from 0. Fails with `LogUnavailable` when the directory cannot be used or was written by a
 * newer Tidewire.
 *
 * A commit waits for the lock of the one writing transaction, which a process holds while it writes. Killed, it leaves
 * the lock; stopped (SIGSTOP) in the midst of a commit, it keeps it: other writers wait until it goes on, and whoever opens
 * the log meanwhile is refused after ten seconds.
 */
export const openLmdbLog = (options: LmdbLogOptions): Effect.Effect<EventLog, LogUnavailable, Scope.Scope> =>
  Effect.gen(function* () {
    const { path, store } = yield* Effect.acquireRelease(
      Effect.try({
        try: () => acquireStore(options.path, options.compressed),
        catch: unavailable(`${options.path} cannot be opened`),
      }),
      (shared) => Effect.promise(() => releaseStore(shared.path)),
    )
    let closed = false
    const signal = yield* Effect.acquireRelease(
      Effect.sync(() => makeSignal(path, (topic) => endOf(store, topic))),
      (one) =>
        Effect.sync(() => {
          closed = true
          one.close()
        }),
    )
    const opened: Opened = {
      path,
      store,
      closed: () => closed,
      signal,
      bytesMax: options.bytesMax ?? Number.POSITIVE_INFINITY,
      removalsKept: options.removalsKept ?? REMOVALS_KEPT,
      waitingBytesMax: options.waitingBytesMax ?? WAITING_BYTES_MAX,
      waiting: { bytes: 0 },
    }
    return {
      claim: (writer, topics) => claimed(opened, writer, topics),
      // Whoever opens the directory may write it: there is nobody to wait for.
      awaitTurn: () => Effect.void,
      read: (topic, from) => batches(opened, topic, from, "read"),
      follow: (topic, from) => batches(opened, topic, from, "follow"),
      start: (topic) =>
        Effect.andThen(
          knownTopics([topic]),
          looking(opened, () => startOf(store, topic)),
        ),
      end: (topic) =>
        Effect.andThen(
          knownTopics([topic]),
          looking(opened, () => endOf(store, topic)),
        ),
      bytes: (topic) =>
        Effect.andThen(
          knownTopics([topic]),
          looking(opened, () => bytesOf(store, topic)),
        ),
      append: (records) =>
        Effect.gen(function* () {
          const frames = yield* framed(records)
          yield* writing(opened, frames, () => write(store, frames, opened.bytesMax, opened.removalsKept)).pipe(
            // At least once: where the outcome is not known, the caller appends again.
            Effect.mapError(({ kind, cause }) => (kind === "full" ? full(cause) : unavailable("append")(cause))),
          )
          signal.committed()
        }),
      trim: (topic, before) => trimmed(opened, topic, before),
    }
  })
