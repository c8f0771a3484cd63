import { Effect, Result, Stream } from "effect"
import type { EventReader, MalformedEvent, NewerEvent } from "../schemas/event.ts"
import type { Batch, EventLog, LogRecord, Offset, ReadFailed, StoredRecord } from "../schemas/ports/event-log.ts"
import type { FoldableTopic } from "../schemas/topics.ts"
import { breath } from "./breath.ts"
import { firstPosition } from "./checkpoint.ts"
import { type Folded, type Folding, makeFolding } from "./folding.ts"
import type { Processor } from "./processor.ts"

/** Events of a topic that the log no longer holds, below an offset and in order, with their offsets: from the archive. */
export type Prefix<E> = (topic: FoldableTopic, before: Offset) => Stream.Stream<Batch, E>

/** What is held before it is put aside: few and large portions, as all but the last record of each key is dropped. */
const EACH_EVENTS = 10_000
const EACH_UNITS = 32 * 1024 * 1024
/** Events between two moments in which others get the thread. */
const BREATH_EVENTS = 100

/** A fold from the first event on, beside the live one, that keeps in memory what would stand in the log. */
export interface Refold {
  readonly folding: Folding
  /** The records of `views`, as bytes, without those that were removed. */
  readonly views: ReadonlyMap<string, Uint8Array>
  /** The records of sealed digests. */
  readonly chunks: ReadonlyArray<LogRecord>
  /** Folds on, up to an offset (exclusive). `seen` is told of each event. */
  readonly foldTo: (
    until: Offset,
    seen?: (record: StoredRecord, folded: Folded) => void,
  ) => Effect.Effect<void, ReadFailed | NewerEvent | MalformedEvent>
  /** Like `foldTo`, for records that the log does not hold. */
  readonly foldAll: <E>(
    batches: Stream.Stream<Batch, E>,
    seen?: (record: StoredRecord, folded: Folded) => void,
  ) => Effect.Effect<void, E | NewerEvent | MalformedEvent>
}

/** Begins a refold as the given generation, whose own derived events begin at `toldFrom`. */
export const makeRefold = (
  log: EventLog,
  processor: Processor,
  reader: EventReader,
  generation: number,
  toldFrom: Offset,
): Refold => {
  const folding = makeFolding(processor, reader, {
    position: firstPosition(processor.topic, generation, toldFrom),
    state: new Map(),
  })
  const views = new Map<string, Uint8Array>()
  const chunks: Array<LogRecord> = []
  const collect = () => {
    for (const record of folding.take().records)
      if (record.topic === "views") {
        if (record.value === null) views.delete(record.key)
        else views.set(record.key, record.value)
      } else if (record.topic === "digests") chunks.push(record)
  }
  let sinceBreath = 0
  const foldBatch = (batch: Batch, until: Offset, seen: (record: StoredRecord, folded: Folded) => void) =>
    Effect.gen(function* () {
      for (const record of batch.records) {
        if (record.offset >= until) return
        const folded = folding.fold(record)
        if (Result.isFailure(folded)) return yield* folded.failure
        seen(record, folded.success)
        if (folding.pendingEvents() >= EACH_EVENTS || folding.pendingBytes() >= EACH_UNITS) collect()
        sinceBreath += 1
        if (sinceBreath % BREATH_EVENTS === 0) yield* breath
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
