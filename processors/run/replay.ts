import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { type Cursor, sequenceOf } from "../../schemas/change.ts"
import { type EventReader, instant, type MalformedEvent, type NewerEvent } from "../../schemas/event.ts"
import type {
  Batch,
  ClaimFailed,
  CommitFailed,
  EventLog,
  LogRecord,
  StoredRecord,
} from "../../schemas/ports/event-log.ts"
import { eventReader } from "../../schemas/registry.ts"
import { isFoldable, type Topic } from "../../schemas/topics.ts"
import type { Processor } from "../processor.ts"
import { commitBuild } from "./rebuild.ts"
import { makeMemoryFold, readOnce } from "./refold.ts"
import { writerOf, writerTopics } from "./runner.ts"
import { recordsBytes } from "./stored-values.ts"
import { makeStretch, type Stretch, type StretchBounds } from "./stretch.ts"
import { yieldThread } from "./yielding.ts"

/** The topic whose times say where a log begins and ends: its clock ticks there. */
const CLOCK_TOPIC = "observations"
/** The topic of the changes that folds derive. */
const CHANGES_TOPIC = "deltas"

const WRITER = "replay"
/** Bounds of one commit of records that are kept. */
const COMMIT_RECORDS_MAX = 1_000
const COMMIT_MAX_BYTES = 4 * 1024 * 1024
const YIELD_RECORDS = 100

/** The stretch holds no event of the log. */
export class NothingToReplay extends Schema.TaggedError<NothingToReplay>()("NothingToReplay", {
  problem: Schema.String,
}) {
  override get message() {
    return `nothing to replay: ${this.problem}`
  }
}

/** Fails unless the log, of which a stretch was read, has an event in it. Gives its times. */
export const requireEvents = (stretch: Stretch, { fromMs, toMs }: StretchBounds) => {
  const times = stretch.times(CLOCK_TOPIC)
  const nothing = (problem: string) => Effect.fail(new NothingToReplay({ problem }))
  if (times === null)
    return nothing(
      toMs !== null && stretch.isOver(CLOCK_TOPIC) ? `the log begins after ${instant(toMs)}` : "the log holds no event",
    )
  if (fromMs !== null && times.lastMs < fromMs)
    return nothing(
      times.isOver
        ? `no event lies between ${instant(fromMs)} and ${toMs === null ? "its end" : instant(toMs)}`
        : `the log ends at ${instant(times.lastMs)}, before ${instant(fromMs)}`,
    )
  return Effect.succeed(times)
}

/** The topics that a replay reads: what its processors fold, and the changes. */
export const replayedTopics = (processors: ReadonlyArray<Processor>): ReadonlyArray<Topic> => [
  ...new Set<Topic>([CLOCK_TOPIC, ...processors.map(({ topic }) => topic), CHANGES_TOPIC]),
]

/** The inputs of a replay. */
export interface ReplayOptions<E> extends StretchBounds {
  readonly processors: ReadonlyArray<Processor>
  /** The records of `replayedTopics`, in order within each topic; what lies behind a topic that is over may be left out. */
  readonly read: (isOver: (topic: Topic) => boolean) => Stream.Stream<Batch, E>
  /** An empty log. */
  readonly into: EventLog
  readonly reader?: EventReader
}

/** What a replay has written. */
export interface Replayed {
  /** The event times of the log, as far as it was folded, in milliseconds since the epoch. */
  readonly firstMs: number
  readonly lastMs: number
  /** Whether the log goes on behind the stretch. */
  readonly isOver: boolean
  /** Events that were folded. */
  readonly events: number
  /** Records of each topic that the new log keeps. */
  readonly kept: Readonly<Partial<Record<Topic, number>>>
}

/**
 * Selects the changes that are known between two instants, in the order of the log and without a gap for each processor, and
 * remembers the last numbered one up to the end. Changes are facts of the log: changed code may derive others.
 */
const makeChangeSelection = (reader: EventReader, bounds: StretchBounds) => {
  const decoder = new TextDecoder()
  const byProcessor = new Map<string, Stretch>()
  let last: Cursor | null = null
  return {
    last: () => last,
    isKept: (record: StoredRecord): Result.Result<boolean, NewerEvent | MalformedEvent> => {
      if (record.value === null) return Result.succeed(false)
      const read = reader.readEvent(record.value)
      if (Result.isFailure(read)) return Result.fail(read.failure)
      const processor = read.success.id.split("/").at(-2) ?? ""
      const stretch = byProcessor.get(processor) ?? makeStretch(reader, bounds)
      byProcessor.set(processor, stretch)
      return Result.map(stretch.take(CHANGES_TOPIC, record), (taken) => {
        if (taken === null) return false
        last = sequenceOf(decoder.decode(record.value ?? undefined)) ?? last
        return taken.isWithin
      })
    },
  }
}

/**
 * Folds a log up to the end of a stretch in memory, as a rebuild does, and writes a new log: the events and changes of the
 * stretch, and state and views at its end. Views are those of everything up to there: what lies before the stretch is folded
 * and not kept.
 */
export const replayInto = <E>(
  options: ReplayOptions<E>,
): Effect.Effect<
  Replayed,
  E | NewerEvent | MalformedEvent | NothingToReplay | ClaimFailed | CommitFailed,
  Scope.Scope
> =>
  Effect.gen(function* () {
    const { processors, into, read, fromMs, toMs } = options
    const reader = readOnce(options.reader ?? eventReader)
    const bounds = { fromMs, toMs }
    const stretch = makeStretch(reader, bounds)
    const changes = makeChangeSelection(reader, bounds)
    const folds = processors.map((processor) => ({ processor, fold: makeMemoryFold(processor, reader, 1, 0) }))
    const foldsOf = Map.groupBy(folds, ({ processor }) => processor.topic as Topic)
    const writer = yield* into.claim(WRITER, replayedTopics(processors))
    const kept: Partial<Record<Topic, number>> = {}
    let events = 0
    let seen = 0
    let waiting: Array<LogRecord> = []
    let waitingBytes = 0

    const flush = Effect.suspend(() => {
      if (waiting.length === 0) return Effect.void
      const records = waiting
      waiting = []
      waitingBytes = 0
      return writer.commit(records)
    })
    const keep = (topic: Topic, { key, value }: StoredRecord) => {
      const record = { topic, key, value }
      waiting.push(record)
      waitingBytes += recordsBytes([record])
      kept[topic] = (kept[topic] ?? 0) + 1
    }
    const takeEvent = (topic: Topic, record: StoredRecord): Result.Result<void, NewerEvent | MalformedEvent> => {
      const taken = stretch.take(topic, record)
      if (Result.isFailure(taken)) return Result.fail(taken.failure)
      if (taken.success === null) return Result.void
      for (const { fold } of foldsOf.get(topic) ?? []) {
        const folded = fold.fold(record)
        if (Result.isFailure(folded)) return Result.fail(folded.failure)
      }
      events += 1
      if (taken.success.isWithin) keep(topic, record)
      return Result.void
    }
    const takeChange = (record: StoredRecord): Result.Result<void, NewerEvent | MalformedEvent> =>
      Result.map(changes.isKept(record), (isKept) => (isKept ? keep(CHANGES_TOPIC, record) : undefined))

    const takeBatch = Effect.fnUntraced(function* ({ topic, records }: Batch) {
      for (const record of records) {
        const taken = topic === CHANGES_TOPIC ? takeChange(record) : takeEvent(topic, record)
        if (Result.isFailure(taken)) return yield* taken.failure
        seen += 1
        if (seen % YIELD_RECORDS === 0) yield* yieldThread
        if (waiting.length >= COMMIT_RECORDS_MAX || waitingBytes >= COMMIT_MAX_BYTES) yield* flush
      }
    })
    yield* Stream.runForEach(read(stretch.isOver), takeBatch)
    const times = yield* requireEvents(stretch, bounds)
    yield* flush

    for (const { processor, fold } of folds) {
      fold.collect()
      const reached = fold.folding.position()
      if (reached.count === 0 || !isFoldable(processor.topic)) continue
      const next = kept[processor.topic] ?? 0
      const position = {
        ...reached,
        // Offsets of the new log, which begins with the stretch.
        since: 0,
        next,
        derivedFrom: next,
        lastChange: processor.numbersChanges ? changes.last() : null,
      }
      const build = { refold: { ...fold, chunks: [] }, position, live: NO_VIEWS, removed: [] }
      yield* commitBuild(yield* into.claim(writerOf(processor.name), writerTopics), processor.name, build)
    }
    return { ...times, events, kept }
  })

/** An empty log has no view. */
const NO_VIEWS = { values: new Map<string, Uint8Array>(), logKeys: new Set<string>() }
