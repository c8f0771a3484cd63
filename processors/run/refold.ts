import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { EventReader, MalformedEvent, NewerEvent } from "../../schemas/event.ts"
import type { Batch, EventLog, LogRecord, Offset, ReadFailed, StoredRecord } from "../../schemas/ports/event-log.ts"
import { noProgress, type Progress } from "../../schemas/ports/progress.ts"
import { eventReader } from "../../schemas/registry.ts"
import type { FoldableTopic } from "../../schemas/topics.ts"
import type { Processor } from "../processor.ts"
import { EventsTrimmed, firstPosition, generationOf, type Position, parsePosition, positionKey } from "./checkpoint.ts"
import { type Folded, type Folding, makeFolding } from "./folding.ts"
import { readCompacted } from "./stored-values.ts"
import { yieldThread } from "./yielding.ts"

/** Events and bytes that are folded before their values are collected: only the last value of each key is rendered. */
const COLLECT_EVENTS = 10_000
const COLLECT_BYTES = 32 * 1024 * 1024
/** Events between two yields to the event loop. */
const YIELD_EVENTS = 100

const encoder = new TextEncoder()

/** Reads from the archive the events of a topic below an offset, in order, with their offsets. */
type Prefix<E> = (topic: FoldableTopic, before: Offset) => Stream.Stream<Batch, E>

/** Maps a position to its offset in this log. */
type NextOf = (position: Position) => Effect.Effect<Offset, ReadFailed>

/** Options of a rebuild and of a verification. */
export interface RefoldOptions<E = never> {
  readonly processors: ReadonlyArray<Processor>
  /** Reads the events that the log no longer holds; without it the log must hold all of them. */
  readonly prefix?: Prefix<E>
  readonly reader?: EventReader
  /** The position's own `next`, unless the log was imported. See `nextByEvent`. */
  readonly nextOf?: NextOf
  readonly progress?: Progress
}

/** Called with each event that a refold has folded. */
type Seen = (record: StoredRecord, folded: Folded) => void

/** A fold from the first event on: it keeps in memory what a live one writes to the log. */
export interface MemoryFold {
  readonly folding: Folding
  /** The values of `views`, as bytes, without those that were removed. */
  readonly views: ReadonlyMap<string, Uint8Array>
  /** The records of sealed digests. */
  readonly chunks: ReadonlyArray<LogRecord>
  /** Folds one record. Its values are in `views` and `chunks` after the next `collect`. */
  readonly fold: Folding["fold"]
  readonly collect: () => void
}

/** A fold of a log in memory, beside the live one. */
export interface Refold extends MemoryFold {
  /** Folds the log up to an offset (exclusive). `seen` is called with each event. */
  readonly foldTo: (until: Offset, seen?: Seen) => Effect.Effect<void, ReadFailed | NewerEvent | MalformedEvent>
}

/** Starts a fold in memory as the given generation; see `Position.derivedFrom`. */
export const makeMemoryFold = (
  processor: Processor,
  reader: EventReader,
  generation: number,
  derivedFrom: Offset,
): MemoryFold => {
  const folding = makeFolding(processor, reader, {
    position: firstPosition(processor.topic, generation, derivedFrom),
    state: new Map(),
  })
  const views = new Map<string, Uint8Array>()
  const chunks: Array<LogRecord> = []
  let eventBytes = 0
  const fold: MemoryFold = {
    folding,
    views,
    chunks,
    fold: (record) => {
      const folded = folding.fold(record)
      eventBytes += record.value?.length ?? 0
      if (folding.pendingEvents() >= COLLECT_EVENTS || eventBytes >= COLLECT_BYTES) fold.collect()
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
  }
  return fold
}

/** Starts a refold of a log as the given generation; see `Position.derivedFrom`. */
export const makeRefold = (
  log: EventLog,
  processor: Processor,
  reader: EventReader,
  generation: number,
  derivedFrom: Offset,
): Refold => {
  const fold = makeMemoryFold(processor, reader, generation, derivedFrom)
  return { ...fold, foldTo: (until, seen) => foldLog(log, [{ refold: fold, until, seen }]) }
}

/** One of the refolds that fold the same records. */
interface RefoldTarget {
  readonly refold: MemoryFold
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
const foldLog = Effect.fnUntraced(function* (
  log: EventLog,
  targets: ReadonlyArray<RefoldTarget>,
): Effect.fn.Return<void, ReadFailed | NewerEvent | MalformedEvent> {
  const [first] = targets
  if (first === undefined) return
  const { topic, next } = first.refold.folding.position()
  const from = Math.max(next, yield* log.start(topic))
  if (targets.some(({ until }) => from < until)) yield* foldBatches(log.read(topic, from), targets)
})

/** Where the live build of a processor stands. */
interface LivePosition {
  /** Null where there is none of this version. */
  readonly position: Position | null
  readonly generationMax: number
  /** Whether the log holds a position of any version. */
  readonly known: boolean
}

/** Reads the position of a processor, and the generations that the log holds of it. */
export const livePosition = (
  log: EventLog,
  { name: processor, topic }: Processor,
): Effect.Effect<LivePosition, ReadFailed> =>
  Effect.gen(function* () {
    const kept = yield* readCompacted(log, "checkpoints", (key) => key.startsWith(`${processor}/`))
    const stored = kept.get(positionKey(processor))
    const generations = [...kept.keys()].flatMap((key) => generationOf(processor, key) ?? [])
    const parsed: Position | null = stored === undefined ? null : parsePosition(stored)
    const position = parsed?.topic === topic ? parsed : null
    return {
      position,
      generationMax: Math.max(0, position?.generation ?? 0, ...generations),
      known: stored !== undefined,
    }
  })

/** The events that only the archive holds; fails where they are needed and there is no archive. */
export const foldPrefix = <E>(
  log: EventLog,
  { name, topic }: Pick<Processor, "name" | "topic">,
  since: number | null,
  prefix: Prefix<E> | undefined,
): Effect.Effect<ReturnType<Prefix<E>> | null, ReadFailed | EventsTrimmed> =>
  Effect.gen(function* () {
    const start = yield* log.start(topic)
    if (prefix !== undefined) return prefix(topic, start)
    if (since !== null && start > since)
      return yield* new EventsTrimmed({ processor: name, topic, needed: since, start })
    return null
  })

const ownNext: NextOf = ({ next }) => Effect.succeed(next)

/** The offset up to which the live build has folded the log. */
export const reachedBy = (
  log: EventLog,
  { topic }: Processor,
  { position, known }: LivePosition,
  nextOf: NextOf = ownNext,
): Effect.Effect<Offset, ReadFailed> => {
  if (position !== null) return nextOf(position)
  // Without a readable position the derived events of the whole log count as appended.
  return known ? log.end(topic) : Effect.succeed(0)
}

/** The refold of a processor up to where its live build stood. */
interface Refolded {
  readonly processor: Processor
  readonly refold: Refold
  readonly first: Offset
}

/**
 * Folds each processor from the first event of its topic (the archive's, then the log's) up to where its live build stands.
 * The processors of a topic fold it together, so that each event is read and parsed once.
 */
export const refoldAll = <E>(
  log: EventLog,
  { processors, prefix, reader = eventReader, nextOf, progress = noProgress }: RefoldOptions<E>,
): Effect.Effect<ReadonlyArray<Refolded>, ReadFailed | EventsTrimmed | NewerEvent | MalformedEvent | E> =>
  Effect.gen(function* () {
    const shared = readOnce(reader)
    const begun = yield* Effect.forEach(processors, (processor) =>
      Effect.gen(function* () {
        const before = yield* livePosition(log, processor)
        const archived = yield* foldPrefix(log, processor, before.position?.since ?? null, prefix)
        const first = yield* reachedBy(log, processor, before, nextOf)
        const refold = makeRefold(log, processor, shared, before.generationMax + 1, first)
        return { processor, before, archived, first, refold }
      }),
    )
    for (const topic of new Set(processors.map((one) => one.topic))) {
      const folds = begun.filter(({ processor }) => processor.topic === topic)
      const counts = folds.map(({ before }) => before.position?.count ?? null)
      const total = counts.includes(null) ? null : counts.reduce<number>((sum, count) => sum + (count ?? 0), 0)
      const names = folds.map(({ processor }) => processor.name).join(", ")
      const { advance } = progress.begin(`fold ${names}`, total, "events")
      const targets = folds.map(({ refold, first }) => ({ refold, until: first, seen: () => advance(1) }))
      const archived = folds[0]?.archived ?? null
      if (archived !== null)
        yield* foldBatches(
          archived,
          targets.map((one) => ({ ...one, until: Number.POSITIVE_INFINITY })),
        )
      yield* foldLog(log, targets)
    }
    return begun
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
