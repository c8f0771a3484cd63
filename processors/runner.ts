import { Effect, Result, Schedule, type Scope, Stream } from "effect"
import type { EventReader, MalformedEvent, NewerEvent } from "../schemas/event.ts"
import type {
  Batch,
  ClaimFailed,
  CommitFailed,
  EventLog,
  FencedWriter,
  LogRecord,
  Offset,
  ReadFailed,
} from "../schemas/ports/event-log.ts"
import { eventReader } from "../schemas/registry.ts"
import type { Topic } from "../schemas/topics.ts"
import { breath, SLICE_MS } from "./breath.ts"
import { type CheckpointUnreadable, EventsTrimmed, loadCheckpoint } from "./checkpoint.ts"
import { chunksBelow, chunksOfOthers } from "./digest-chunks.ts"
import { type Folding, makeFolding } from "./folding.ts"
import * as metrics from "./metrics.ts"
import { type Problem, type Processor, stateIn } from "./processor.ts"

/** Events of one commit, at most. */
const COMMIT_EVENTS_MAX = 500
/**
 * Size of one commit at which it is made, in UTF-16 units: one event may bring it above. What a large event has made is
 * not held back, nor does it hold back what came before it, until all that waits is folded.
 */
const COMMIT_UNITS_MAX = 1024 * 1024
/** Keys that one commit removes. */
const REMOVED_EACH = 1000

const patience = Schedule.min([Schedule.exponential("200 millis"), Schedule.spaced("5 seconds")]).pipe(
  Schedule.jittered,
)

/** The name of a processor's writer. */
export const writerOf = (processor: string): string => `processor/${processor}`
/** The topics that a processor's writer replays and writes. */
export const writerTopics: ReadonlyArray<Topic> = ["checkpoints", "digests", "views", "deltas"]

/** Why a processor stopped. `NewerEvent` and `MalformedEvent` come again until somebody acts: nothing is skipped. */
export type ProcessorStopped =
  | ClaimFailed
  | CommitFailed
  | ReadFailed
  | NewerEvent
  | MalformedEvent
  | CheckpointUnreadable
  | EventsTrimmed

/** What a runner needs. */
export interface RunnerOptions {
  readonly log: EventLog
  readonly processor: Processor
  /** Run once when the fold has reached what the log held when it began. */
  readonly ready?: Effect.Effect<void>
  /** Reads events; tests know more types than the product. */
  readonly reader?: EventReader
}

/**
 * Commits, again and again while nothing could be written (a full disk, an unreachable log): the records wait, and so
 * does the fold. Every other failure ends the processor, which begins again from the claim.
 */
const commitPatiently = (writer: FencedWriter, records: ReadonlyArray<LogRecord>) =>
  Effect.suspend(() => {
    let said = false
    return writer.commit(records).pipe(
      Effect.tapError((error) => {
        if (said || (error._tag !== "LogFull" && error._tag !== "LogUnavailable")) return Effect.void
        said = true
        return Effect.logWarning(`the commit waits: ${error.message}`)
      }),
      Effect.retry({
        schedule: patience,
        while: (error) => error._tag === "LogFull" || error._tag === "LogUnavailable",
      }),
    )
  })

/** Removes keys of a compacted topic. */
const remove = (writer: FencedWriter, topic: "checkpoints" | "digests", keys: ReadonlyArray<string>) =>
  Effect.forEach(
    Array.from({ length: Math.ceil(keys.length / REMOVED_EACH) }, (_, part) => part * REMOVED_EACH),
    (at) =>
      commitPatiently(
        writer,
        keys.slice(at, at + REMOVED_EACH).map((key) => ({ topic, key, value: null })),
      ),
    { discard: true },
  )

const tell = (name: string, problems: ReadonlyArray<Problem>) =>
  Effect.forEach(
    problems,
    ({ subject, problem }) => {
      metrics.problems.inc({ processor: name })
      return Effect.logError(`${subject}: ${problem}`)
    },
    { discard: true },
  )

/**
 * Follows the topic of a processor with it, for ever: claims its writer, loads its state, folds, and commits after each
 * batch, everything in one commit: views, derived events, changed state, position. So a fold is exactly once in the log,
 * whatever is killed when. It ends only by failing, and holds nothing that the log does not.
 */
export const runProcessor = ({
  log,
  processor,
  ready = Effect.void,
  reader = eventReader,
}: RunnerOptions): Effect.Effect<never, ProcessorStopped, Scope.Scope> =>
  Effect.gen(function* () {
    const { name, topic } = processor
    yield* log.awaitTurn(writerOf(name))
    const writer = yield* log.claim(writerOf(name), writerTopics)
    const checkpoint = yield* loadCheckpoint(log, processor)
    if (checkpoint.leftovers.length > 0) {
      // The digests first: that a generation has some is told by what else it has left.
      const { generation } = checkpoint.position
      yield* remove(writer, "digests", yield* chunksOfOthers(log, name, generation))
      yield* remove(writer, "checkpoints", checkpoint.leftovers)
    }
    const folding = makeFolding(processor, reader, checkpoint)
    const target = yield* log.end(topic)
    const start = yield* log.start(topic)
    const { next, count } = folding.position()
    if (count > 0 && start > next) return yield* new EventsTrimmed({ processor: name, topic, needed: next, start })
    const begun = Math.max(next, start)
    folding.skipTo(begun)
    yield* Effect.logInfo(`${name} folds from ${begun}; the log ends at ${target}`)
    if (count > 0)
      for (const wanting of processor.wanting(stateIn(checkpoint.state)))
        yield* Effect.logWarning(`${wanting}: this release keeps more than the one before; a rebuild fills it`)

    let isReady = false
    const readyWhenReached = Effect.suspend(() => {
      if (isReady || folding.position().next < target) return Effect.void
      isReady = true
      return ready
    })
    yield* readyWhenReached
    const live: Live = { log, writer, name, topic, folding, forgotten: 0 }
    yield* Stream.runForEach(log.follow(topic, begun), (batch) =>
      foldBatch(live, batch).pipe(Effect.andThen(readyWhenReached)),
    )
    return yield* Effect.never
  }).pipe(
    Effect.tapError((error) => {
      metrics.stopped.inc({ processor: processor.name, reason: error._tag })
      return error._tag === "NewerEvent" || error._tag === "MalformedEvent"
        ? Effect.logError(`stops, and skips nothing: ${error.message}`)
        : Effect.void
    }),
    Effect.annotateLogs({ processor: processor.name }),
  )

/** A processor that folds and commits. */
interface Live {
  readonly log: EventLog
  readonly writer: FencedWriter
  readonly name: string
  readonly topic: Topic
  readonly folding: Folding
  /** Below which offset no digest is kept any more, as far as this run has looked. */
  forgotten: Offset
}

const foldBatch = (live: Live, batch: Batch) =>
  Effect.gen(function* () {
    const { name, folding } = live
    let index = 0
    while (index < batch.records.length) {
      const slice = foldSlice(folding, batch, index)
      index = slice.index
      yield* tell(name, slice.problems)
      const full = folding.pendingEvents() >= COMMIT_EVENTS_MAX || folding.pendingBytes() >= COMMIT_UNITS_MAX
      // What was folded before a record that cannot be read is good, and is kept.
      if ((full || slice.failure !== null) && folding.pendingEvents() > 0) yield* commit(live)
      if (slice.failure !== null) return yield* slice.failure
      if (index < batch.records.length) yield* breath
    }
    folding.skipTo(batch.next)
    if (folding.pendingEvents() > 0) yield* commit(live)
  })

interface Slice {
  readonly index: number
  readonly problems: ReadonlyArray<Problem>
  readonly failure: NewerEvent | MalformedEvent | null
}

const foldSlice = (folding: Folding, batch: Batch, from: number): Slice => {
  const begun = performance.now()
  const problems: Array<Problem> = []
  let index = from
  while (index < batch.records.length) {
    const record = batch.records[index]
    if (record !== undefined) {
      const folded = folding.fold(record)
      if (Result.isFailure(folded)) return { index, problems, failure: folded.failure }
      problems.push(...folded.success.problems)
    }
    index += 1
    if (
      folding.pendingEvents() >= COMMIT_EVENTS_MAX ||
      folding.pendingBytes() >= COMMIT_UNITS_MAX ||
      performance.now() - begun >= SLICE_MS
    )
      break
  }
  return { index, problems, failure: null }
}

const commit = (live: Live) =>
  Effect.gen(function* () {
    const { writer, name, folding } = live
    const events = folding.pendingEvents()
    const { records, position, sealed } = folding.take()
    const begun = performance.now()
    yield* commitPatiently(writer, records)
    metrics.commitSeconds.observe({ processor: name }, (performance.now() - begun) / 1000)
    metrics.folded.inc({ processor: name }, events)
    metrics.position.set({ processor: name }, position.next)
    metrics.eventTime.set({ processor: name }, position.nowMs / 1000)
    if (sealed) yield* forgetDigests(live, position.generation)
  })

/** Gives up digests of events that the log no longer holds: nothing could be compared with them. */
const forgetDigests = (live: Live, generation: number) =>
  Effect.gen(function* () {
    const { log, writer, name, topic } = live
    const start = yield* log.start(topic)
    if (start <= live.forgotten) return
    yield* remove(writer, "digests", yield* chunksBelow(log, name, generation, start))
    live.forgotten = start
  })
