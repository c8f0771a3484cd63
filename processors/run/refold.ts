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

/** A fold from the first event on, beside the live one, that keeps in memory what the live one has in the log. */
export interface Refold {
  readonly folding: Folding
  /** The values of `views`, as bytes, without those that were removed. */
  readonly views: ReadonlyMap<string, Uint8Array>
  /** The records of sealed digests. */
  readonly chunks: ReadonlyArray<LogRecord>
  /** Folds up to an offset (exclusive). `seen` is called with each event. */
  readonly foldTo: (
    until: Offset,
    seen?: (record: StoredRecord, folded: Folded) => void,
  ) => Effect.Effect<void, ReadFailed | NewerEvent | MalformedEvent>
  /** Folds records that the log does not hold. */
  readonly foldAll: <E>(
    batches: Stream.Stream<Batch, E>,
    seen?: (record: StoredRecord, folded: Folded) => void,
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
  const collect = () => {
    const { values, records } = folding.take()
    for (const { topic, key, text } of values)
      if (topic === "views") {
        if (text === null) views.delete(key)
        else views.set(key, encoder.encode(text))
      }
    chunks.push(...records.filter(({ topic }) => topic === "digests"))
    eventBytes = 0
  }
  let sinceYield = 0
  const foldBatch = (batch: Batch, until: Offset, seen: (record: StoredRecord, folded: Folded) => void) =>
    Effect.gen(function* () {
      for (const record of batch.records) {
        if (record.offset >= until) return
        const folded = folding.fold(record)
        if (Result.isFailure(folded)) return yield* folded.failure
        seen(record, folded.success)
        eventBytes += record.value?.length ?? 0
        if (folding.pendingEvents() >= COLLECT_EVENTS || eventBytes >= COLLECT_BYTES) collect()
        sinceYield += 1
        if (sinceYield % YIELD_EVENTS === 0) yield* yieldThread
      }
      folding.skipTo(Math.min(batch.next, until))
    })
  const foldAll = <E>(
    batches: Stream.Stream<Batch, E>,
    until: Offset,
    seen: (record: StoredRecord, folded: Folded) => void,
  ) => Stream.runForEach(batches, (batch) => foldBatch(batch, until, seen)).pipe(Effect.andThen(Effect.sync(collect)))
  const ignore = () => {}
  return {
    folding,
    views,
    chunks,
    foldTo: (until, seen = ignore) =>
      Effect.gen(function* () {
        const from = Math.max(folding.position().next, yield* log.start(processor.topic))
        if (from < until) yield* foldAll(log.read(processor.topic, from), until, seen)
      }),
    foldAll: (batches, seen = ignore) => foldAll(batches, Number.POSITIVE_INFINITY, seen),
  }
}
