import { setImmediate } from "node:timers/promises"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Batch, EventLog, LogUnavailable, Offset } from "../../../schemas/ports/event-log.ts"
import type { Topic } from "../../../schemas/topics.ts"
import { claimWriter, encodeRecords, requireTopics } from "./claim.ts"
import { makeSignal } from "./signal.ts"
import { acquireStore, releaseStore } from "./store.ts"
import { logFull, type OpenLog, readStore, transact, transactFrames, unavailable } from "./transact.ts"
import { bytesOf, endOf, REMOVALS_KEPT, readSlice, startOf, trimSlice, write } from "./transactions.ts"

/** The most bytes that may wait to be written; beyond it commits fail with `LogUnavailable`. */
const WAITING_BYTES_MAX = 256 * 1024 * 1024

export interface LmdbLogOptions {
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
 * log fails after ten seconds.
 */
export const openLmdbLog = Effect.fnUntraced(function* (
  options: LmdbLogOptions,
): Effect.fn.Return<EventLog, LogUnavailable, Scope.Scope> {
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
    waitingBytesMax: options.waitingBytesMax ?? WAITING_BYTES_MAX,
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
