import { setImmediate } from "node:timers/promises"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { Counter, Histogram } from "prom-client"
import {
  type Batch,
  type CommitFailed,
  type EventLog,
  Fenced,
  type FencedWriter,
  type LogRecord,
  type LogUnavailable,
  type Offset,
  OutcomeUnknown,
  RECORD_MAX_BYTES,
  RecordTooLarge,
  UnknownTopic,
} from "../../../schemas/ports/event-log.ts"
import { type Topic, topicNames } from "../../../schemas/topics.ts"
import {
  bytesOf,
  claimName,
  endOf,
  isLatestClaim,
  REMOVALS_KEPT,
  readSlice,
  startOf,
  trimSlice,
  write,
} from "./operations.ts"
import { makeSignal } from "./signal.ts"
import { acquireStore, type Frame, frameOf, releaseStore } from "./store.ts"
import {
  logFull,
  type OpenLog,
  readStore,
  type TransactionFailure,
  transact,
  transactFrames,
  transactWithSpace,
  unavailable,
} from "./transaction.ts"

/** The most bytes that may wait to be written; beyond it commits fail with `LogUnavailable`. */
const WAITING_MAX_BYTES = 256 * 1024 * 1024

interface LmdbLogOptions {
  /** The directory of the log; it is created if absent. */
  readonly path: string
  /** The most bytes of records that the log keeps, keys and values together; beyond it commits fail with `LogFull`. */
  readonly bytesMax?: number
  /** Removals that a compacted topic keeps for readers that are behind. */
  readonly removalsKept?: number
  /** Topics whose records are compressed; by default those that the benchmark chose. A log must always be opened with the same. */
  readonly compressed?: ReadonlyArray<Topic>
  /** The most bytes that may wait to be written at a time; 256 MiB by default. */
  readonly waitingBytesMax?: number
  /** Whether it is opened to be read alone: nothing is written or created, and every write fails. */
  readonly readOnly?: boolean
}

/** Reads batches from `from` on. Between two of them no part of the log is held, and other work can run. */
const readBatches = (opened: OpenLog, topic: Topic, from: Offset, mode: "read" | "follow") => {
  const { store, signal } = opened
  const pages = (upTo: Offset) =>
    Stream.paginate(from, (next: Offset) =>
      Effect.gen(function* () {
        if (mode === "follow") yield* signal.past(topic, next)
        yield* Effect.promise(() => setImmediate())
        const slice = yield* readStore(opened, () => readSlice(store, topic, next, upTo))
        const batches: ReadonlyArray<Batch> =
          slice.next > next ? [{ topic, records: slice.records, next: slice.next }] : []
        const isMore = mode === "follow" || slice.next < upTo
        return [batches, isMore ? Option.some(slice.next) : Option.none<Offset>()] as const
      }),
    )
  return Stream.unwrap(
    Effect.gen(function* () {
      yield* requireTopics([topic])
      if (mode === "follow") return pages(Number.MAX_SAFE_INTEGER)
      const end = yield* readStore(opened, () => endOf(store, topic))
      return from < end ? pages(end) : Stream.empty
    }),
  )
}

const trimTopic = Effect.fnUntraced(function* (opened: OpenLog, topic: Topic, before: Offset) {
  yield* requireTopics([topic])
  for (let more = true; more; )
    more = yield* transact(opened, () => trimSlice(opened.store, topic, before)).pipe(
      Effect.mapError(({ cause }) => unavailable("it cannot be trimmed")(cause)),
    )
  opened.store.room.freed()
})

/**
 * Opens the embedded log: LMDB in a directory. Any number of threads and processes of one machine may open the same
 * directory; offsets are dense from 0. Fails with `LogUnavailable` when the directory cannot be used or was written by a
 * newer Tidewire.
 *
 * A commit waits for the lock of the one write transaction, which a process holds while it writes. A killed process loses
 * the lock; one that is stopped (SIGSTOP) during a commit keeps it: other writers wait until it continues, and opening the
 * log fails after a minute.
 */
export const openLmdbLog = Effect.fnUntraced(function* (
  options: LmdbLogOptions,
): Effect.fn.Return<EventLog, LogUnavailable, Scope.Scope> {
  const { path, store } = yield* Effect.acquireRelease(
    Effect.try({
      try: () => acquireStore(options.path, options.compressed, options.readOnly),
      catch: unavailable(`${options.path} cannot be opened`),
    }),
    (shared) => Effect.promise(() => releaseStore(shared.path)),
  )
  let closed = false
  const signal = yield* Effect.acquireRelease(
    Effect.sync(() => makeSignal(path, (topic) => endOf(store, topic))),
    (opened) =>
      Effect.sync(() => {
        closed = true
        opened.close()
      }),
  )
  const opened: OpenLog = {
    path,
    store,
    closed: () => closed,
    signal,
    bytesMax: options.bytesMax ?? Number.POSITIVE_INFINITY,
    removalsKept: options.removalsKept ?? REMOVALS_KEPT,
    waitingBytesMax: options.waitingBytesMax ?? WAITING_MAX_BYTES,
    waiting: { bytes: 0 },
  }
  return {
    claim: (writer, topics) => claimWriter(opened, writer, topics),
    // Every process that opens the directory may write to it: there is no leader to wait for.
    awaitTurn: () => Effect.void,
    read: (topic, from) => readBatches(opened, topic, from, "read"),
    follow: (topic, from) => readBatches(opened, topic, from, "follow"),
    start: (topic) =>
      Effect.andThen(
        requireTopics([topic]),
        readStore(opened, () => startOf(store, topic)),
      ),
    end: (topic) =>
      Effect.andThen(
        requireTopics([topic]),
        readStore(opened, () => endOf(store, topic)),
      ),
    risks: Effect.succeed(new Map()),
    bytes: (topic) =>
      Effect.andThen(
        requireTopics([topic]),
        readStore(opened, () => bytesOf(store, topic)),
      ),
    append: Effect.fnUntraced(function* (records) {
      const frames = yield* encodeRecords(records)
      yield* transactFrames(opened, frames, () => write(store, frames, opened.bytesMax, opened.removalsKept)).pipe(
        // At least once: on an unclear outcome the caller appends again.
        Effect.mapError(({ kind, cause }) => (kind === "full" ? logFull(cause) : unavailable("append")(cause))),
      )
      signal.committed()
    }),
    trim: (topic, before) => trimTopic(opened, topic, before),
  }
})

/** The largest commit, keys and values together, in bytes: it is one transaction, held in memory. */
const COMMIT_MAX_BYTES = 64 * 1024 * 1024

const commits = new Counter({
  name: "tidewire_log_lmdb_commits_total",
  help: "Commits of the embedded log, by writer and outcome (done, or the name of the error)",
  labelNames: ["writer", "outcome"],
})
const commitSeconds = new Histogram({
  name: "tidewire_log_lmdb_commit_seconds",
  help: "Time from the call of a commit until it is on disk, including the time in the queue",
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
})

const known: ReadonlySet<string> = new Set(topicNames)
/** Fails if a topic does not exist. */
const requireTopics = (topics: ReadonlyArray<Topic>): Effect.Effect<void, UnknownTopic> => {
  const unknown = topics.find((topic) => !known.has(topic))
  return unknown === undefined ? Effect.void : Effect.fail(new UnknownTopic({ topic: unknown }))
}

/** Encodes records; fails if one of them, or all together, are too large. */
const encodeRecords = (
  records: ReadonlyArray<LogRecord>,
): Effect.Effect<ReadonlyArray<Frame>, RecordTooLarge | UnknownTopic> => {
  let commitBytes = 0
  for (const { topic, key, value } of records) {
    if (!known.has(topic)) return Effect.fail(new UnknownTopic({ topic }))
    const sizeBytes = Buffer.byteLength(key) + (value?.length ?? 0)
    commitBytes += sizeBytes
    if (sizeBytes > RECORD_MAX_BYTES)
      return Effect.fail(new RecordTooLarge({ topic, key, sizeBytes, maxBytes: RECORD_MAX_BYTES }))
    if (commitBytes > COMMIT_MAX_BYTES)
      return Effect.fail(new RecordTooLarge({ topic, key, sizeBytes: commitBytes, maxBytes: COMMIT_MAX_BYTES }))
  }
  return Effect.succeed(records.map(frameOf))
}

/** Claims a writer's name, and fences the claims before. */
const claimWriter = (opened: OpenLog, writer: string, topics: ReadonlyArray<Topic>) =>
  Effect.gen(function* () {
    const { store, signal, bytesMax, removalsKept } = opened
    yield* requireTopics(topics)
    const { epoch, ends } = yield* transactWithSpace(opened, () => claimName(store, writer, topics)).pipe(
      Effect.mapError(({ kind, cause }) => (kind === "full" ? logFull(cause) : unavailable("claim")(cause))),
    )
    let stopped: Fenced | OutcomeUnknown | undefined
    const stop = <E extends Fenced | OutcomeUnknown>(error: E): E => {
      stopped ??= error
      return error
    }
    const toCommitFailure = ({ kind, cause }: TransactionFailure): CommitFailed => {
      if (kind === "full") return logFull(cause)
      if (kind === "aborted") return unavailable("the commit was refused")(cause)
      return stop(new OutcomeUnknown({ writer, cause }))
    }
    const commitOnce: FencedWriter["commit"] = Effect.fnUntraced(function* (records) {
      if (stopped !== undefined) return yield* Effect.fail(stopped)
      const frames = yield* encodeRecords(records)
      const offsets = yield* transactFrames(opened, frames, () =>
        // Tested inside the transaction again: an earlier commit may have failed since this one was started.
        stopped === undefined && isLatestClaim(store, writer, epoch)
          ? write(store, frames, bytesMax, removalsKept)
          : undefined,
      ).pipe(Effect.mapError(toCommitFailure))
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
