import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import type { MalformedEvent, NewerEvent } from "../../schemas/event.ts"
import type { Batch, ClaimFailed, EventLog, Offset, ReadFailed } from "../../schemas/ports/event-log.ts"
import type { History, HistoryRefused, HistoryUndecodable, MigrationRefused } from "../../schemas/ports/history.ts"
import type { KeptDays, Topic } from "../../schemas/topics.ts"
import { pastViews } from "../past/past-views.ts"
import { pastProcessors } from "../past/processors.ts"
import { makePurgeList } from "../purges/purge-list.ts"
import type { Table } from "../table.ts"
import { makeAvailability } from "./availability.ts"
import { eventTimeOf } from "./event-time.ts"
import { type KeeperDependencies, type KeptHistory, runKeeper } from "./keeper.ts"
import { forgetPending, metrics, reportPending } from "./metrics.ts"
import { runPurger } from "./purger.ts"
import { slicesOf } from "./slices.ts"
import { type CheckpointUnreadable, type HistoryStopped, makeStates, readStates, type States, WRITER } from "./state.ts"
import { makeTableWriter } from "./table-writer.ts"
import { archiveName, type Target, type TargetStuck, targetsOf } from "./targets.ts"
import { runTrimmer, type TrimFloors } from "./trimmer.ts"

/** How many batches are written together at most, and for how long the first of them waits. */
const GROUP_BATCHES_MAX = 16
const FLUSH_EVERY_MS = 2_000
/** Progress without rows is committed once in so many groups, as it is cheap to repeat. */
const NOTED_EVERY_GROUPS = 64
const STUCK_DELAY_MIN_MS = 60_000
const STUCK_DELAY_MAX_MS = 30 * 60_000
const READ_DELAY_MS = 1_000

/** The failures that end a run of the history. An outage of ClickHouse or of the log does not. */
export type HistoryRunFailed =
  | HistoryStopped
  | ClaimFailed
  | CheckpointUnreadable
  | HistoryRefused
  | HistoryUndecodable
  | MigrationRefused
  | NewerEvent
  | MalformedEvent

export interface RunHistoryOptions {
  readonly log: EventLog
  readonly history: History
  readonly tables: ReadonlyArray<Table>
  /** How long events may be collected before they are written. */
  readonly flushEveryMs?: number
  /** How often the lag is measured. */
  readonly lagEveryMs?: number
  /** The offsets below which no other reader needs the log; read before each trimming. */
  readonly floors?: TrimFloors
  /** Retention of topics, where it differs from their policy. */
  readonly keptDays?: KeptDays
  /** How long tables are kept, where that is not for ever. */
  readonly keptHistory?: KeptHistory
  /** The folds that build views with a past: what was known is settled when each of them says so. All of them unless given. */
  readonly pastProcessors?: ReadonlyArray<string>
  /** Runs once, after this run has got its turn and claimed the writer. */
  readonly ready?: Effect.Effect<void>
  /** Called with the problem whenever ClickHouse does not answer, and with null when it answers again. */
  readonly unavailable?: (problem: string | null) => void
}

interface Waiting {
  readonly until: number
  readonly times: number
}

/**
 * Runs the history: claims its writer, applies the migrations, and writes every event to the archive and the tables, exactly
 * once, until it is interrupted. Retries while ClickHouse is down, and catches up afterwards. Also trims the log behind the
 * archive. Fails when it is fenced, or when the outcome of a checkpoint is unknown.
 */
export const runHistory = Effect.fn("runHistory")(function* (
  options: RunHistoryOptions,
): Effect.fn.Return<never, HistoryRunFailed, Scope.Scope> {
  const { log, history } = options
  const availability = makeAvailability(options.unavailable)
  yield* log.awaitTurn(WRITER)
  const writer = yield* log.claim(WRITER, ["checkpoints", "versions"])
  const states = makeStates(writer, yield* persistentRead(readStates(log)))
  // Known before the first row is written: what was taken out of a table is not written to it again.
  const purges = makePurgeList(log)
  yield* persistentRead(purges.read)
  yield* options.ready ?? Effect.void
  const targets = targetsOf(options.tables)
  // Started before the first wait for ClickHouse: the lag matters most during an outage.
  yield* Effect.forkScoped(reportLag({ log, targets, states, everyMs: options.lagEveryMs }))
  yield* availability.persistently(history.prepare)
  // Left by a rebuild that was killed. A rebuild that still runs is fenced, and can no longer exchange its tables.
  yield* availability.persistently(history.dropGenerations)
  const tableWriter = makeTableWriter({ log, history, states, availability, purges: purges.all })
  const topics = [...new Set(targets.map(({ topic }) => topic))]
  // A table is cut while nothing writes to it: each topic writes while it has its turn.
  const turns = new Map(topics.map((topic) => [topic, Semaphore.makeUnsafe(1)]))
  const inTurn = <A, E>(topic: Topic, effect: Effect.Effect<A, E>): Effect.Effect<A, E> => {
    const turn = turns.get(topic)
    return turn === undefined ? effect : turn.withPermit(effect)
  }
  const alone: KeeperDependencies["alone"] = (own, effect) =>
    topics
      .filter((topic) => own.some((target) => target.topic === topic))
      .reduceRight((inner, topic) => inTurn(topic, inner), effect)

  const runTopic = Effect.fnUntraced(function* (topic: Topic) {
    const all = targets.filter((target) => target.topic === topic)
    const waiting = new Map<string, Waiting>()
    let checkedAt = availability.returns()
    let position: Offset = 0
    let groups = 0

    const suspend = (failures: ReadonlyArray<TargetStuck>) =>
      Effect.forEach(failures, (failure) => {
        const times = (waiting.get(failure.target)?.times ?? 0) + 1
        const delay = Math.min(STUCK_DELAY_MAX_MS, STUCK_DELAY_MIN_MS * 2 ** Math.min(times - 1, 10))
        waiting.set(failure.target, { until: performance.now() + delay, times })
        metrics.suspended.set({ table: failure.target }, 1)
        return Effect.logError("a table of the history has failed and is retried; the others continue").pipe(
          Effect.annotateLogs({ table: failure.target, problem: failure.problem, triedAgainInMs: delay }),
        )
      })
    const active = () => all.filter(({ name }) => !waiting.has(name))

    /** Resumes targets, lets them catch up with the others, and adds them to these. */
    const join = Effect.fnUntraced(function* (joining: ReadonlyArray<Target>, check: "resume" | "check") {
      const ready: Array<Target> = []
      for (const target of joining) {
        const failure = yield* tableWriter[check](target).pipe(
          Effect.as(null),
          Effect.catchTag("TargetStuck", (stuck) => Effect.succeed(stuck)),
        )
        if (failure === null) ready.push(target)
        else yield* suspend([failure])
      }
      position = Math.max(position, ...ready.map(({ name }) => states.get(name).next))
      const failures = yield* tableWriter.catchUp(ready, position)
      yield* suspend(failures)
      for (const { name } of ready) {
        if (failures.some(({ target }) => target === name)) continue
        waiting.delete(name)
        metrics.suspended.set({ table: name }, 0)
      }
      metrics.position.set({ topic }, position)
    })

    const handle = Effect.fnUntraced(function* (batches: ReadonlyArray<Batch>) {
      for (const slice of slicesOf(position, batches)) {
        yield* suspend(yield* tableWriter.write(active(), slice))
        position = slice.to
      }
      metrics.position.set({ topic }, position)
      groups += 1
      if (groups % NOTED_EVERY_GROUPS === 0) yield* states.commit(active().map(({ name }) => [name, states.get(name)]))
      const due = all.filter(({ name }) => (waiting.get(name)?.until ?? Number.POSITIVE_INFINITY) <= performance.now())
      if (due.length > 0) yield* join(due, "resume")
      // An engine that was down may have lost rows that were not on disk.
      if (checkedAt !== availability.returns()) {
        checkedAt = availability.returns()
        yield* join(active(), "check")
      }
    })

    yield* persistentRead(inTurn(topic, join(all, "resume")))
    while (true)
      yield* persistentRead(
        Stream.suspend(() => log.follow(topic, position)).pipe(
          Stream.groupedWithin(GROUP_BATCHES_MAX, options.flushEveryMs ?? FLUSH_EVERY_MS),
          Stream.runForEach((batches) => inTurn(topic, handle(batches))),
        ),
      )
  })

  const { floors, keptDays, keptHistory: kept = new Map() } = options
  const archiveCutOf = (topic: Topic) => states.get(archiveName(topic)).cut
  yield* Effect.forkScoped(runTrimmer({ log, history, floors, keptDays, archiveCutOf }))
  const keeper = runKeeper({ history, states, tables: options.tables, targets, kept, alone })
  const past = pastViews(history, options.pastProcessors ?? pastProcessors)
  const purger = runPurger({ log, history, states, tables: options.tables, targets, past, purges: purges.all, alone })
  const following = persistentRead(purges.follow(() => {}))
  return yield* Effect.all(
    [Effect.forEach(topics, runTopic, { concurrency: "unbounded", discard: true }), keeper, purger, following],
    { concurrency: "unbounded", discard: true },
  ).pipe(Effect.andThen(Effect.never))
})

/** Retries an effect until the log can be read. */
const persistentRead = <A, E>(effect: Effect.Effect<A, E | ReadFailed>): Effect.Effect<A, Exclude<E, ReadFailed>> =>
  Effect.catch(effect, (cause) => {
    const failure: unknown = cause
    if (!isReadFailed(failure)) return Effect.fail(cause as Exclude<E, ReadFailed>)
    return Effect.logWarning("the history cannot read the log; the read is retried").pipe(
      Effect.annotateLogs({ problem: failure.message }),
      Effect.andThen(Effect.sleep(READ_DELAY_MS)),
      Effect.andThen(Effect.suspend(() => persistentRead(effect))),
    )
  })

const isReadFailed = (failure: unknown): failure is ReadFailed =>
  typeof failure === "object" &&
  failure !== null &&
  "_tag" in failure &&
  (failure._tag === "LogUnavailable" || failure._tag === "UnknownTopic")

const LAG_EVERY_MS = 10_000

/**
 * Reports periodically the time of each topic's oldest event that is missing in a table. It is read from the log, at the
 * lowest offset that the tables have reached, so that it is right before the first batch, between two batches, and while
 * ClickHouse is down. If the log starts after that offset, its first event is used.
 */
const reportLag = (options: {
  readonly log: EventLog
  readonly targets: ReadonlyArray<Target>
  readonly states: States
  readonly everyMs?: number | undefined
}): Effect.Effect<never> => {
  const { log, targets, states } = options
  const topics = [...new Set(targets.map(({ topic }) => topic))]
  const known = new Map<Topic, { readonly offset: Offset; readonly timeMs: number | null }>()

  const oldestWaiting = (topic: Topic): Effect.Effect<number | null, ReadFailed> =>
    Effect.gen(function* () {
      const reached = targets.filter((target) => target.topic === topic).map(({ name }) => states.get(name).next)
      const offset = Math.max(Math.min(...reached), yield* log.start(topic))
      if (offset >= (yield* log.end(topic))) return null
      const before = known.get(topic)
      if (before?.offset === offset) return before.timeMs
      const times = yield* log.read(topic, offset).pipe(
        Stream.flatMap(({ records }) => Stream.fromIterable(records)),
        Stream.map(eventTimeOf),
        Stream.filter((timeMs) => timeMs !== null),
        Stream.take(1),
        Stream.runCollect,
      )
      const timeMs = times[0] ?? null
      known.set(topic, { offset, timeMs })
      return timeMs
    })

  return Effect.forEach(
    topics,
    (topic) =>
      oldestWaiting(topic).pipe(
        Effect.map((timeMs) => reportPending(topic, timeMs)),
        // Where the log cannot be read the last report stays, and the lag grows with time.
        Effect.ignore,
      ),
    { discard: true },
  ).pipe(
    Effect.andThen(Effect.sleep(options.everyMs ?? LAG_EVERY_MS)),
    Effect.forever,
    Effect.ensuring(Effect.sync(forgetPending)),
  )
}
