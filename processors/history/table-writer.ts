import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Offset, ReadFailed } from "../../schemas/ports/event-log.ts"
import { eventReader, feeds } from "../../schemas/registry.ts"
import { type ItemPurge, makeRedaction } from "../purges/item-purge.ts"
import { inSlices } from "../run/yielding.ts"
import { archivedTopics } from "../tables/events/table.ts"
import { isHeld } from "./cut.ts"
import { metrics } from "./metrics.ts"
import { checkTable, finishRepair, type TableDependencies } from "./repair.ts"
import { readArchive, readLog, type Slice } from "./slices.ts"
import { done, exchanged, type HistoryStopped, planned, type States, type TableState } from "./state.ts"
import {
  insertsOf,
  type PlacedRow,
  type ReadSlice,
  readSlice,
  redactedEntry,
  stuck,
  type Target,
  TargetStuck,
} from "./targets.ts"

/** Tests whether the archive keeps the topic of a target. */
const isArchived = ({ topic }: Target): boolean => archivedTopics.includes(topic)

/** Writes the events of each target's topic to its table, exactly once. */
export interface TableWriter {
  /** Completes what an earlier run left: an exchange, a repair, a planned batch; then checks the table. */
  readonly resume: (target: Target) => Effect.Effect<void, TargetStuck | HistoryStopped | ReadFailed>
  /** Compares the table with its marks, and starts a repair if rows were lost. */
  readonly check: (target: Target) => Effect.Effect<void, TargetStuck | HistoryStopped | ReadFailed>
  /** Writes a slice to every target that has not written it. Gives the failures; the other targets are done. */
  readonly write: (
    targets: ReadonlyArray<Target>,
    slice: Slice,
  ) => Effect.Effect<ReadonlyArray<TargetStuck>, HistoryStopped>
  /**
   * Writes the events of a topic up to an offset: from the archive up to the start of the log, then from the log. Gives the
   * failures, one for each target that did not get there; the other targets are done.
   */
  readonly catchUp: (
    targets: ReadonlyArray<Target>,
    to: Offset,
  ) => Effect.Effect<ReadonlyArray<TargetStuck>, HistoryStopped | ReadFailed>
}

const INSERTS_AT_ONCE = 2

const between = (read: ReadSlice, from: Offset, to: Offset): ReadSlice => ({
  ...read,
  entries: read.entries.filter(({ record: { offset } }) => offset >= from && offset < to),
})

/**
 * Makes the rows of a table, but for those that its cut drops, and without what the purges that it knows have taken out. A defect in
 * the code of the table stops that table only.
 */
const placedRowsOf = (
  { purges }: Pick<TableDependencies, "purges">,
  target: Target,
  { cut, purges: purged = 0 }: TableState,
  read: ReadSlice,
): Effect.Effect<ReadonlyArray<PlacedRow>, TargetStuck> =>
  inSlices(read.entries, purged === 0 ? target.rows : rowsWithout(target, purges().slice(0, purged))).pipe(
    Effect.map((rows) => rows.flat().filter(({ partition }) => isHeld(cut, partition))),
    Effect.catchDefect((cause) => Effect.fail(new TargetStuck({ target: target.name, problem: String(cause) }))),
  )

/** The rows of a target without what purges have taken out. */
const rowsWithout = (target: Target, purges: ReadonlyArray<ItemPurge>): Target["rows"] => {
  const redact = makeRedaction(purges, feeds)
  return (entry) => target.rows(redactedEntry(redact, entry))
}

/** Steps two and three of a batch: inserts the planned rows, in order, and marks the plan as done in memory. */
const insertPlan = Effect.fnUntraced(function* (
  { history, states, availability: { persistently } }: TableDependencies,
  target: Target,
  placed: ReadonlyArray<PlacedRow>,
) {
  const state = states.get(target.name)
  if (state.plan === null) return
  for (const { rows, token } of insertsOf(state.plan.token, placed)) {
    yield* persistently(history.insert({ table: target.table, rows, token })).pipe(Effect.mapError(stuck(target)))
    metrics.rows.inc({ table: target.table }, rows.length)
  }
  states.set(target.name, done(state, state.plan.to, placed.length))
})

/** Reads the events of a planned batch again, from the archive and the log. */
const readPlanned = Effect.fnUntraced(function* (
  { log, history, availability }: TableDependencies,
  target: Target,
  from: Offset,
  to: Offset,
) {
  const records: Array<Slice["records"][number]> = []
  const take = (slice: Slice) => Effect.sync(() => void records.push(...slice.records))
  const start = yield* log.start(target.topic)
  if (from < start && isArchived(target))
    yield* readArchive(history, target.topic, from, Math.min(start, to), availability).pipe(
      Stream.runForEach(take),
      Effect.mapError(stuck(target)),
    )
  yield* readLog(log, target.topic, Math.max(from, start), to).pipe(Stream.runForEach(take))
  return { from, to, records }
})

const resumeTable = Effect.fnUntraced(function* (
  dependencies: TableDependencies,
  target: Target,
): Effect.fn.Return<void, TargetStuck | HistoryStopped | ReadFailed> {
  const { history, states } = dependencies
  const { persistently } = dependencies.availability
  const { exchange } = states.get(target.name)
  if (exchange !== null) {
    const identity = yield* persistently(history.identity(target.table)).pipe(Effect.mapError(stuck(target)))
    yield* states.commit([[target.name, exchanged(states.get(target.name), identity)]])
    yield* persistently(history.dropGeneration(target.table, exchange.generation)).pipe(Effect.mapError(stuck(target)))
  }
  yield* finishRepair(dependencies, target)
  const { plan } = states.get(target.name)
  if (plan !== null) {
    const slice = yield* readPlanned(dependencies, target, plan.from, plan.to)
    const read = yield* readSlice(eventReader, slice.records)
    if (read.stop !== null && !target.takesUnreadable)
      return yield* new TargetStuck({ target: target.name, problem: read.stop.problem.message })
    yield* insertPlan(dependencies, target, yield* placedRowsOf(dependencies, target, states.get(target.name), read))
    yield* states.commit([[target.name, states.get(target.name)]])
  }
  yield* checkTable(dependencies, target)
})

const writeSlice = Effect.fnUntraced(function* (
  dependencies: TableDependencies,
  targets: ReadonlyArray<Target>,
  slice: Slice,
): Effect.fn.Return<ReadonlyArray<TargetStuck>, HistoryStopped> {
  const { states } = dependencies
  const failures: Array<TargetStuck> = []
  const read = yield* readSlice(eventReader, slice.records)
  const work: Array<{ readonly target: Target; readonly placed: ReadonlyArray<PlacedRow> }> = []
  const plans: Array<Parameters<States["commit"]>[0][number]> = []
  for (const target of targets) {
    const state = states.get(target.name)
    const to = target.takesUnreadable ? slice.to : Math.min(slice.to, read.stop?.at ?? slice.to)
    if (state.next < slice.from) {
      // Marking the slice as written would lose the events before it: the target has to catch up first.
      failures.push(new TargetStuck({ target: target.name, problem: `it is at ${state.next}, before ${slice.from}` }))
      continue
    }
    if (state.next < to) {
      const placed = yield* Effect.result(placedRowsOf(dependencies, target, state, between(read, state.next, to)))
      if (placed._tag === "Failure") {
        failures.push(placed.failure)
        continue
      }
      if (placed.success.length === 0) states.set(target.name, done(state, to, 0))
      else {
        work.push({ target, placed: placed.success })
        plans.push([target.name, planned(target.name, state, to)])
      }
    }
    if (read.stop !== null && !target.takesUnreadable)
      failures.push(new TargetStuck({ target: target.name, problem: read.stop.problem.message }))
  }
  yield* states.commit(plans)
  const outcomes = yield* Effect.forEach(
    work,
    ({ target, placed }) => Effect.result(insertPlan(dependencies, target, placed)),
    {
      concurrency: INSERTS_AT_ONCE,
    },
  )
  for (const outcome of outcomes) if (outcome._tag === "Failure") failures.push(outcome.failure)
  yield* states.commit(
    work
      .map(({ target }) => [target.name, states.get(target.name)] as const)
      .filter(([, state]) => state.plan === null),
  )
  return failures
})

const catchUp = Effect.fnUntraced(function* (
  dependencies: TableDependencies,
  targets: ReadonlyArray<Target>,
  to: Offset,
): Effect.fn.Return<ReadonlyArray<TargetStuck>, HistoryStopped | ReadFailed> {
  const { log, history, states, availability } = dependencies
  const failures: Array<TargetStuck> = []
  let active = targets
  const fail = (failed: ReadonlyArray<TargetStuck>) => {
    failures.push(...failed)
    active = active.filter(({ name }) => failed.every(({ target }) => target !== name))
  }
  const take = (those: ReadonlyArray<Target>, slice: Slice) =>
    writeSlice(dependencies, those, slice).pipe(Effect.map(fail))
  const lowest = (those: ReadonlyArray<Target>) => Math.min(...those.map(({ name }) => states.get(name).next))
  const [first] = targets
  if (first === undefined) return failures
  const start = yield* log.start(first.topic)
  for (const target of active.filter(({ takesUnreadable }) => takesUnreadable)) {
    const state = states.get(target.name)
    if (state.next >= start) continue
    yield* Effect.logError("the log begins after the end of the archive: the events between them are lost").pipe(
      Effect.annotateLogs({ topic: target.topic, from: state.next, to: start }),
    )
    states.set(target.name, { ...state, next: start })
  }
  // Targets that the log alone brings up to date do not depend on the archive.
  const behind = () => active.filter(({ name }) => states.get(name).next < start)
  if (behind().length > 0 && isArchived(first))
    yield* readArchive(history, first.topic, lowest(behind()), Math.min(start, to), availability).pipe(
      Stream.runForEach((slice) => Effect.suspend(() => take(behind(), slice))),
      Effect.catchTag(["HistoryRefused", "HistoryUndecodable"], (cause) =>
        Effect.sync(() => fail(behind().map((target) => stuck(target)(cause)))),
      ),
    )
  if (active.length > 0)
    yield* readLog(log, first.topic, Math.max(lowest(active), start), to).pipe(
      Stream.takeWhile(() => active.length > 0),
      Stream.runForEach((slice) => Effect.suspend(() => take(active, slice))),
    )
  return failures
})

/** Makes the writer of tables. */
export const makeTableWriter = (dependencies: TableDependencies): TableWriter => ({
  resume: (target) => resumeTable(dependencies, target),
  check: (target) => checkTable(dependencies, target),
  write: (targets, slice) => writeSlice(dependencies, targets, slice),
  catchUp: (targets, to) => catchUp(dependencies, targets, to),
})
