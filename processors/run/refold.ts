import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { EventReader, MalformedEvent, NewerEvent } from "../../schemas/event.ts"
import type { Batch, EventLog, LogRecord, Offset, ReadFailed, StoredRecord } from "../../schemas/ports/event-log.ts"
import type { FoldableTopic } from "../../schemas/topics.ts"
import type { Processor } from "../processor.ts"
import { yieldThread } from "./breath.ts"
import { firstPosition } from "./checkpoint.ts"
import { type Folded, type Folding, makeFolding } from "./folding.ts"

/** Reads from the archive the events of a topic below an offset, in order, with their offsets. */
export type Prefix<E> = (topic: FoldableTopic, before: Offset) => Stream.Stream<Batch, E>

/** Events and bytes that are folded before their values are collected: only the last value of each key is rendered. */
const COLLECT_EVENTS = 10_000
const COLLECT_BYTES = 32 * 1024 * 1024
/** Events between two yields to the event loop. */
const YIELD_EVENTS = 100

const encoder = new TextEncoder()

/** Is given each event that a refold has folded. */
type Seen = (record: StoredRecord, folded: Folded) => void

/** A fold from the first event on, beside the live one, that keeps in memory what the live one has in the log. */
export interface Refold {
  readonly folding: Folding
  /** The values of `views`, as bytes, without those that were removed. */
  readonly views: ReadonlyMap<string, Uint8Array>
  /** The records of sealed digests. */
  readonly chunks: ReadonlyArray<LogRecord>
  /** Folds one record. Its values are in `views` and `chunks` after the next `collect`. */
  readonly fold: Folding["fold"]
  readonly collect: () => void
  /** Folds up to an offset (exclusive). `seen` is called with each event. */
  readonly foldTo: (until: Offset, seen?: Seen) => Effect.Effect<void, ReadFailed | NewerEvent | MalformedEvent>
  /** Folds records that the log does not hold. */
  readonly foldAll: <E>(
    batches: Stream.Stream<Batch, E>,
    seen?: Seen,
  ) => Effect.Effect<void, E | NewerEvent | MalformedEvent>
}

/** Starts a refold as the given generation; see `Position.derivedFrom`. */
export const makeRefold = (
  log: EventLog,
  processor: Processor,
  reader: EventReader,
  generation: number,
  derivedFrom: Offset,
): Refold => {
  const folding = makeFolding(processor, reader, {
    position: firstPosition(processor.topic, generation, derivedFrom),
    state: new Map(),
  })
  const views = new Map<string, Uint8Array>()
  const chunks: Array<LogRecord> = []
  let eventBytes = 0
  const refold: Refold = {
    folding,
    views,
    chunks,
    fold: (record) => {
      const folded = folding.fold(record)
      eventBytes += record.value?.length ?? 0
      if (folding.pendingEvents() >= COLLECT_EVENTS || eventBytes >= COLLECT_BYTES) refold.collect()
      return folded
    },
    collect: () => {
      const { values, records } = folding.take()
      for (const { topic, key, text } of values)
        if (topic === "views") {
          if (text === null) views.delete(key)
          else views.set(key, encoder.encode(text))
        }
      chunks.push(...records.filter(({ topic }) => topic === "digests"))
      eventBytes = 0
    },
    foldTo: (until, seen) => foldTogether(log, [{ refold, until, seen }]),
    foldAll: (batches, seen) => foldBatches(batches, [{ refold, until: Number.POSITIVE_INFINITY, seen }]),
  }
  return refold
}

/** One of the refolds that fold the same records. */
export interface RefoldTarget {
  readonly refold: Refold
  /** Folds up to this offset (exclusive). */
  readonly until: Offset
  readonly seen?: Seen | undefined
}

/** Folds batches of one topic with several refolds, record by record: with a reader of `readOnce` each is parsed once. */
export const foldBatches = <E>(
  batches: Stream.Stream<Batch, E>,
  targets: ReadonlyArray<RefoldTarget>,
): Effect.Effect<void, E | NewerEvent | MalformedEvent> => {
  let sinceYield = 0
  const foldBatch = Effect.fnUntraced(function* ({ records, next }: Batch) {
    for (const record of records) {
      for (const { refold, until, seen } of targets) {
        if (record.offset >= until) continue
        const folded = refold.fold(record)
        if (Result.isFailure(folded)) return yield* folded.failure
        seen?.(record, folded.success)
      }
      sinceYield += 1
      if (sinceYield % YIELD_EVENTS === 0) yield* yieldThread
    }
    for (const { refold, until } of targets) refold.folding.skipTo(Math.min(next, until))
  })
  return Stream.runForEach(batches, foldBatch).pipe(
    Effect.andThen(
      Effect.sync(() => {
        for (const { refold } of targets) refold.collect()
      }),
    ),
  )
}

/** Folds the log with several refolds of one topic that stand at the same offset, each up to an offset of its own. */
export const foldTogether = Effect.fnUntraced(function* (
  log: EventLog,
  targets: ReadonlyArray<RefoldTarget>,
): Effect.fn.Return<void, ReadFailed | NewerEvent | MalformedEvent> {
  const [first] = targets
  if (first === undefined) return
  const { topic, next } = first.refold.folding.position()
  const from = Math.max(next, yield* log.start(topic))
  if (targets.some(({ until }) => from < until)) yield* foldBatches(log.read(topic, from), targets)
})

/**
 * A reader that remembers the event that it read last, by the bytes themselves: for folds that take turns with each record.
 * They share the event, which none of them changes.
 */
export const readOnce = (reader: EventReader): EventReader => {
  let last: { readonly bytes: Uint8Array; readonly event: ReturnType<EventReader["readEvent"]> } | null = null
  return {
    ...reader,
    readEvent: (bytes) => {
      if (last?.bytes !== bytes) last = { bytes, event: reader.readEvent(bytes) }
      return last.event
    },
  }
}
