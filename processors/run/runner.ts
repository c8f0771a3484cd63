import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { EventReader, MalformedEvent, NewerEvent } from "../../schemas/event.ts"
import { parseInstanceKey } from "../../schemas/feed.ts"
import type {
  Batch,
  ClaimFailed,
  CommitFailed,
  EventLog,
  FencedWriter,
  LogRecord,
  Offset,
  ReadFailed,
} from "../../schemas/ports/event-log.ts"
import { eventReader } from "../../schemas/registry.ts"
import type { Topic } from "../../schemas/topics.ts"
import { freshnessKey, parseViewRecordKey, viewBodyText } from "../../schemas/view-record.ts"
import { beginRecords, monthOf, SETTLES_EVERY_MS, versionsRecord } from "../past/versions.ts"
import { type Problem, type Processor, type State, stateIn } from "../processor.ts"
import {
  type CheckpointUnreadable,
  chunksBelow,
  chunksOfOthers,
  EventsTrimmed,
  loadCheckpoint,
  type Position,
} from "./checkpoint.ts"
import { jsonText, rendered } from "./digest.ts"
import { type Folding, makeFolding } from "./folding.ts"
import { lastChangeOf } from "./last-change.ts"
import * as metrics from "./metrics.ts"
import { type LogValue, makeValueStore, readLogKeys, readValues, type ValueStore } from "./stored-values.ts"
import { SLICE_MS, yieldThread } from "./yielding.ts"

/** Events of one commit, at most. */
const COMMIT_EVENTS_MAX = 500
/**
 * UTF-16 units at which a commit is made, counted as if every value were written whole: at most three times as many bytes,
 * and mostly a small part of them, as patches. A single event may exceed it.
 */
const COMMIT_MAX_UNITS = 4 * 1024 * 1024
/**
 * Event time of one commit, at most: of a view that changes within a commit one version is kept, also where a fold catches up. An
 * event after a longer gap begins the next commit, so that what was known before the gap is known as of then.
 */
export const COMMIT_SPAN_MAX_MS = 900_000
/** The most keys that one commit removes. */
const REMOVED_KEYS_MAX = 1000

const NO_KEYS: ReadonlySet<string> = new Set()

const retryPauses = Schedule.min([Schedule.exponential("200 millis"), Schedule.spaced("5 seconds")]).pipe(
  Schedule.jittered,
)

/** The name of a processor's writer. */
export const writerOf = (processor: string): string => `processor/${processor}`
/** The topics that a processor's writer claims. */
export const writerTopics: ReadonlyArray<Topic> = ["checkpoints", "digests", "views", "deltas", "versions"]

/** Why a processor stopped. `NewerEvent` and `MalformedEvent` recur until an operator acts: no event is skipped. */
export type ProcessorStopped =
  | ClaimFailed
  | CommitFailed
  | ReadFailed
  | NewerEvent
  | MalformedEvent
  | CheckpointUnreadable
  | EventsTrimmed

/** Options of a runner. */
export interface RunnerOptions {
  readonly log: EventLog
  readonly processor: Processor
  /** Run once, when the fold has reached the end that the log had at the start. */
  readonly ready?: Effect.Effect<void>
  /** Decodes events; tests add event types of their own. */
  readonly reader?: EventReader
}

/**
 * Commits, and retries while nothing can be written (a full disk, an unreachable log); the fold waits meanwhile. Every
 * other failure ends the processor, whose supervisor claims the writer again.
 */
const commitWithRetries = (writer: FencedWriter, records: ReadonlyArray<LogRecord>) =>
  Effect.suspend(() => {
    let isLogged = false
    return writer.commit(records).pipe(
      Effect.tapError((error) => {
        if (isLogged || (error._tag !== "LogFull" && error._tag !== "LogUnavailable")) return Effect.void
        isLogged = true
        return Effect.logWarning(`the commit waits: ${error.message}`)
      }),
      Effect.retry({
        schedule: retryPauses,
        while: (error) => error._tag === "LogFull" || error._tag === "LogUnavailable",
      }),
    )
  })

/** Removes keys of a compacted topic. */
const remove = (writer: FencedWriter, topic: "checkpoints" | "digests", keys: ReadonlyArray<string>) =>
  Effect.forEach(
    Array.from({ length: Math.ceil(keys.length / REMOVED_KEYS_MAX) }, (_, part) => part * REMOVED_KEYS_MAX),
    (at) =>
      commitWithRetries(
        writer,
        keys.slice(at, at + REMOVED_KEYS_MAX).map((key) => ({ topic, key, value: null })),
      ),
    { discard: true },
  )

const reportProblems = (name: string, problems: ReadonlyArray<Problem>) =>
  Effect.forEach(
    problems,
    ({ subject, problem }) => {
      metrics.problems.inc({ processor: name })
      return Effect.logError(`${subject}: ${problem}`)
    },
    { discard: true },
  )

/** Claims the writer of a processor and loads its state. `target`: the offset up to which it catches up, by default the end of the log. */
const openFold = Effect.fnUntraced(function* (
  { log, processor, reader = eventReader }: Omit<RunnerOptions, "ready">,
  catchUpTo?: Offset,
): Effect.fn.Return<{ readonly live: RunningFold; readonly begun: Offset }, ProcessorStopped, Scope.Scope> {
  const { name, topic } = processor
  yield* log.awaitTurn(writerOf(name))
  const writer = yield* log.claim(writerOf(name), writerTopics)
  const checkpoint = yield* loadCheckpoint(log, processor)
  if (checkpoint.leftovers.length > 0) {
    // The digests first: a generation with digests is found by its other leftovers.
    const { generation } = checkpoint.position
    yield* remove(writer, "digests", yield* chunksOfOthers(log, name, generation))
    yield* remove(writer, "checkpoints", checkpoint.leftovers)
  }
  const views =
    processor.restate === undefined
      ? { logKeys: yield* readLogKeys(log, "views"), damaged: NO_KEYS }
      : yield* readValues(log, "views")
  const store = makeValueStore({ checkpoints: checkpoint.logKeys, views: views.logKeys })
  const lastChange = processor.numbersChanges ? yield* lastChangeOf(log, checkpoint.position.lastChange) : null
  const position = { ...checkpoint.position, lastChange }
  const folding = makeFolding(processor, reader, { ...checkpoint, position })
  const target = catchUpTo ?? (yield* log.end(topic))
  const start = yield* log.start(topic)
  const { next, count } = folding.position()
  if (count > 0 && start > next) return yield* new EventsTrimmed({ processor: name, topic, needed: next, start })
  const begun = Math.max(next, start)
  folding.skipTo(begun)
  yield* Effect.logInfo(`${name} folds from ${begun}; the log ends at ${target}`)
  if (count > 0)
    for (const message of processor.missingState(stateIn(checkpoint.state)))
      yield* Effect.logWarning(`${message}: this release keeps more than the one before; a rebuild fills it`)

  const { nowMs } = folding.position()
  for (const value of yield* mendedViews(processor, stateIn(folding.state), nowMs, views.damaged))
    yield* commitWithRetries(writer, store.recordsOf(value))

  const live: RunningFold = {
    log,
    writer,
    name,
    publishes: new Set(processor.publishes),
    topic,
    folding,
    store,
    target,
    digestsFrom: 0,
    changesFrom: lastChange?.ordinal ?? 0,
    settledMs: count > 0 ? folding.position().nowMs : Number.NEGATIVE_INFINITY,
    month: count > 0 ? monthOf(folding.position().nowMs) : null,
    hasPosition: count > 0,
  }
  return { live, begun }
})

/**
 * Runs a processor until it fails: claims its writer, loads its state, folds its topic as it grows, and commits after each
 * batch that changes something; while it catches up, only what is enough for a commit. Views, derived events, changed state
 * and position are in one commit, so the effect of each event is in the log exactly once, whenever a process is killed. All
 * state can be restored from the log.
 */
export const runProcessor = (options: RunnerOptions): Effect.Effect<never, ProcessorStopped, Scope.Scope> =>
  Effect.gen(function* () {
    const { log, processor, ready = Effect.void } = options
    const { live, begun } = yield* openFold(options)
    let isReady = false
    const readyWhenReached = Effect.suspend(() => {
      if (isReady || live.folding.position().next < live.target) return Effect.void
      isReady = true
      return ready
    })
    yield* readyWhenReached
    yield* Stream.runForEach(log.follow(processor.topic, begun), (batch) =>
      foldBatch(live, batch).pipe(Effect.andThen(readyWhenReached)),
    )
    return yield* Effect.never
  }).pipe(
    Effect.tapError((error) => {
      metrics.stopped.inc({ processor: options.processor.name, reason: error._tag })
      return error._tag === "NewerEvent" || error._tag === "MalformedEvent"
        ? Effect.logError(`stops, and skips nothing: ${error.message}`)
        : Effect.void
    }),
    Effect.annotateLogs({ processor: options.processor.name }),
  )

/**
 * Folds a topic to its end, event by event as a processor that was running when each of them came: it commits what each changes, so
 * that the views are there as they were known at every instant.
 */
export const foldEach = Effect.fn("foldEach")(function* (
  options: Omit<RunnerOptions, "ready">,
): Effect.fn.Return<void, ProcessorStopped, Scope.Scope> {
  const { log, processor } = options
  const { live, begun } = yield* openFold(options, 0)
  yield* Stream.runForEach(log.read(processor.topic, begun), ({ topic, records, next }) =>
    Effect.forEach(
      records,
      (record, index) => foldBatch(live, { topic, records: [record], next: records[index + 1]?.offset ?? next }),
      { discard: true },
    ),
  )
  if (live.folding.pendingEvents() > 0) yield* commit(live)
})

/** A processor with its claimed writer. */
interface RunningFold {
  readonly log: EventLog
  readonly writer: FencedWriter
  readonly name: string
  /** The paths of the endpoints whose views it publishes. */
  readonly publishes: ReadonlySet<string>
  readonly topic: Topic
  readonly folding: Folding
  readonly store: ValueStore
  /** The end that the log had at the start. */
  readonly target: Offset
  /** Whether the log holds a position of the processor. */
  hasPosition: boolean
  /** Digests of events below this offset were removed by this run. */
  digestsFrom: Offset
  /** The number of the last change that is committed. */
  changesFrom: number
  /** The time before which this run has said last that nothing changes any more. */
  settledMs: number
  /** The month of the last commit; null before the first. */
  month: string | null
}

const foldBatch = Effect.fnUntraced(function* (live: RunningFold, batch: Batch) {
  const { name, folding } = live
  let index = 0
  while (index < batch.records.length) {
    const slice = foldSlice(live, batch, index)
    index = slice.index
    yield* reportProblems(name, slice.problems)
    // Events before an unreadable record are committed.
    if ((slice.isFull || slice.failure !== null) && folding.pendingEvents() > 0) yield* commit(live)
    if (slice.failure !== null) return yield* slice.failure
    if (index < batch.records.length) yield* yieldThread
  }
  folding.skipTo(batch.next)
  // While the fold catches up no batch is committed by itself, so that a value that changes again is written once. A position
  // alone waits for the next change, for its chunk of digests, or until it settles what was known; the first one is written at
  // once, as it names the topic.
  const isDue = folding.hasChanges() || !live.hasPosition || settles(live)
  if (isDue && folding.pendingEvents() > 0 && batch.next >= live.target) yield* commit(live)
  const { next, nowMs } = folding.position()
  metrics.position.set({ processor: name }, next)
  metrics.eventTime.set({ processor: name }, nowMs / 1000)
})

interface Slice {
  readonly index: number
  /** Whether the next commit is due before the next record. */
  readonly isFull: boolean
  readonly problems: ReadonlyArray<Problem>
  readonly failure: NewerEvent | MalformedEvent | null
}

const isFull = ({ folding }: RunningFold): boolean =>
  folding.pendingEvents() >= COMMIT_EVENTS_MAX || folding.pendingUnits() >= COMMIT_MAX_UNITS

/** Whether a commit now says that nothing before its time changes any more. */
const settles = ({ folding, settledMs }: RunningFold): boolean =>
  folding.position().nowMs - settledMs >= SETTLES_EVERY_MS

const foldSlice = (live: RunningFold, batch: Batch, from: number): Slice => {
  const begun = performance.now()
  const problems: Array<Problem> = []
  let index = from
  while (index < batch.records.length) {
    const record = batch.records[index]
    if (record !== undefined) {
      if (live.folding.laterMs(record) >= COMMIT_SPAN_MAX_MS) return { index, isFull: true, problems, failure: null }
      const folded = live.folding.fold(record)
      if (Result.isFailure(folded)) return { index, isFull: false, problems, failure: folded.failure }
      problems.push(...folded.success.problems)
    }
    index += 1
    if (isFull(live) || performance.now() - begun >= SLICE_MS) break
  }
  return { index, isFull: isFull(live), problems, failure: null }
}

const commit = Effect.fnUntraced(function* (live: RunningFold) {
  const { writer, name, folding, store } = live
  const events = folding.pendingEvents()
  const isSettling = settles(live)
  const { values, records, position, sealed } = folding.take()
  const startedAt = performance.now()
  const stored = values.flatMap(store.recordsOf)
  const { changesFrom } = live
  const begun = yield* beginsMonth(live, position)
  const versions = versionsRecord(stored, { processor: name, position, changesFrom, settles: isSettling })
  yield* commitWithRetries(writer, [...begun, ...stored, ...(versions === null ? [] : [versions]), ...records])
  if (isSettling) live.settledMs = position.nowMs
  live.month = monthOf(position.nowMs)
  live.changesFrom = position.lastChange?.ordinal ?? 0
  metrics.commitSeconds.observe({ processor: name }, (performance.now() - startedAt) / 1000)
  metrics.folded.inc({ processor: name }, events)
  live.hasPosition = true
  if (sealed) yield* removeTrimmedDigests(live, position.generation)
})

/** The records that begin a month with this commit; none within a month. The views are read from the log, as no fold holds them all. */
const beginsMonth = Effect.fnUntraced(function* (
  { log, name, publishes, changesFrom, month }: RunningFold,
  position: Position,
): Effect.fn.Return<ReadonlyArray<LogRecord>, ReadFailed> {
  if (month === monthOf(position.nowMs)) return []
  const { values } = month === null ? { values: new Map<string, Uint8Array>() } : yield* readValues(log, "views")
  const own = new Map(
    [...values].filter(([key]) => publishes.has(parseInstanceKey(parseViewRecordKey(key).viewKey).name)),
  )
  const { lastChange } = position
  const before = lastChange === null || changesFrom === 0 ? null : { ...lastChange, ordinal: changesFrom }
  return beginRecords(own, { processor: name, position, lastChange: before })
})

/** Removes the digests of events that the log has trimmed: they cannot be compared any more. */
const removeTrimmedDigests = Effect.fnUntraced(function* (live: RunningFold, generation: number) {
  const { log, writer, name, topic } = live
  const start = yield* log.start(topic)
  if (start <= live.digestsFrom) return
  yield* remove(writer, "digests", yield* chunksBelow(log, name, generation, start))
  live.digestsFrom = start
})

/**
 * The values of damaged keys of `views` as this processor wrote them last, made of its state. Keys that do not follow from
 * the state are logged: their views stay as they are until they change, or a rebuild writes them.
 */
const mendedViews = Effect.fnUntraced(function* (
  { restate }: Processor,
  state: State,
  nowMs: number,
  damaged: ReadonlySet<string>,
) {
  const mended: Array<LogValue> = []
  for (const key of damaged) {
    const { viewKey, part } = parseViewRecordKey(key)
    const view = restate?.(state, viewKey, nowMs) ?? null
    if (view === null) continue
    const { body, freshness } = view
    if (part === "body" && body != null)
      mended.push({ topic: "views", key: viewKey, text: viewBodyText(body, rendered(body.data).text) })
    else if (part === "freshness" && freshness != null)
      mended.push({ topic: "views", key: freshnessKey(viewKey), text: jsonText(freshness) })
    else yield* Effect.logWarning(`the view record ${key} is damaged and does not follow from the state of now`)
  }
  if (mended.length > 0)
    yield* Effect.logWarning(`writes damaged view records anew: ${mended.map(({ key }) => key).join(", ")}`)
  return mended
})
