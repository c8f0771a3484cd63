import { Effect, Schema, Stream } from "effect"
import type { EventLog, Offset, ReadFailed } from "../../schemas/ports/event-log.ts"
import type { History } from "../../schemas/ports/history.ts"
import { eventReader } from "../../schemas/registry.ts"
import { inSlices } from "../breath.ts"
import { archivedTopics } from "../tables/events/table.ts"
import { readArchive } from "./archive.ts"
import type { Availability, HistoryAnswered } from "./availability.ts"
import type { HistoryStopped, States } from "./checkpoints.ts"
import { metrics } from "./metrics.ts"
import { part, type Slice, slicesOf } from "./slices.ts"
import { done, exchanged, lostFrom, planned, repaired, repairing } from "./state.ts"
import { insertsOf, type PlacedRow, type ReadSlice, readSlice, type Target } from "./targets.ts"

/** A target cannot go on now: ClickHouse refuses its rows, or an event cannot be read, or its table's code fails. */
export class TargetStuck extends Schema.TaggedError<TargetStuck>()("TargetStuck", {
  target: Schema.String,
  problem: Schema.String,
}) {
  override get message() {
    return `the table ${this.target} cannot go on: ${this.problem}`
  }
}

/** Whether events that the log no longer holds may be had from the archive: it does not keep every topic. */
const isArchived = ({ topic }: Target): boolean => archivedTopics.includes(topic)

/** Writes events into the tables of targets, each exactly once, and knows how far each has come. */
export interface TableWriter {
  /** Ends what a former run has left: an exchange, a repair, a planned batch; then compares the table with its marks. */
  readonly resume: (target: Target) => Effect.Effect<void, TargetStuck | HistoryStopped | ReadFailed>
  /** Compares the table with its marks, and removes what must be written again when rows have been lost. */
  readonly check: (target: Target) => Effect.Effect<void, TargetStuck | HistoryStopped | ReadFailed>
  /** Writes a slice into every target that has not had it. Gives those that are stuck; the others are done. */
  readonly write: (
    targets: ReadonlyArray<Target>,
    slice: Slice,
  ) => Effect.Effect<ReadonlyArray<TargetStuck>, HistoryStopped>
  /** Brings targets up to an offset of their topic: from the archive where the log begins later, then from the log. */
  readonly catchUp: (
    targets: ReadonlyArray<Target>,
    to: Offset,
  ) => Effect.Effect<ReadonlyArray<TargetStuck>, HistoryStopped | ReadFailed | TargetStuck>
}

const INSERTS_AT_ONCE = 2

const Count = Schema.Struct({ rows: Schema.Natural })
const Counts = Schema.Struct({ counts: Schema.Array(Schema.Natural) })

const between = (read: ReadSlice, from: Offset, to: Offset): ReadSlice => ({
  ...read,
  entries: read.entries.filter(({ record: { offset } }) => offset >= from && offset < to),
})

/** Makes the writer of tables. */
export const makeTableWriter = (dependencies: {
  readonly log: EventLog
  readonly history: History
  readonly states: States
  readonly availability: Availability
}): TableWriter => {
  const { log, history, states } = dependencies
  const { persistently } = dependencies.availability

  const stuck = (target: Target) => (cause: HistoryAnswered) =>
    new TargetStuck({ target: target.name, problem: cause.problem })

  // The rows of a table are its own code: a mistake there must stop that table only.
  const rowsOf = (target: Target, read: ReadSlice): Effect.Effect<ReadonlyArray<PlacedRow>, TargetStuck> =>
    inSlices(read.entries, target.rows).pipe(
      Effect.map((rows) => rows.flat()),
      Effect.catchDefect((cause) => Effect.fail(new TargetStuck({ target: target.name, problem: String(cause) }))),
    )

  /** Step two and three of a batch: insert what was planned, in order, and count it as done in memory. */
  const insertPlan = (target: Target, placed: ReadonlyArray<PlacedRow>) =>
    Effect.gen(function* () {
      const state = states.get(target.name)
      if (state.plan === null) return
      for (const { rows, token } of insertsOf(state.plan.token, placed)) {
        yield* persistently(history.insert({ table: target.table, rows, token })).pipe(Effect.mapError(stuck(target)))
        metrics.rows.inc({ table: target.table }, rows.length)
      }
      states.set(target.name, done(state, state.plan.to, placed.length))
    })

  const where = (target: Target, condition: string) =>
    target.condition === null ? condition : `${target.condition} AND ${condition}`

  const finishRepair = (target: Target) =>
    Effect.gen(function* () {
      const { repair } = states.get(target.name)
      if (repair === null) return
      yield* persistently(
        history.execute(`ALTER TABLE ${target.table} DELETE WHERE ${where(target, `log_offset >= ${repair}`)}`),
      )
      const [left] = yield* persistently(
        history.query(
          `SELECT count() AS rows FROM ${target.table} WHERE ${where(target, `log_offset < ${repair}`)}`,
          Count,
        ),
      )
      yield* states.commit([[target.name, repaired(states.get(target.name), left?.rows ?? 0)]])
    }).pipe(Effect.catchTag(["HistoryRefused", "HistoryUndecodable"], (cause) => Effect.fail(stuck(target)(cause))))

  const check: TableWriter["check"] = (target) =>
    Effect.gen(function* () {
      const state = states.get(target.name)
      if (state.marks.length === 0 || state.plan !== null) return
      const counters = state.marks.map(({ to }) => `countIf(log_offset < ${to})`).join(", ")
      const [found] = yield* persistently(
        history.query(
          `SELECT [${counters}] AS counts FROM ${target.table} WHERE ${target.condition ?? "true"}`,
          Counts,
        ),
      ).pipe(Effect.mapError(stuck(target)))
      const lost = lostFrom(state.marks, found?.counts ?? [])
      if (lost === null) return
      // What the log no longer holds can be had from nowhere when the archive itself has lost it.
      const from = target.takesUnreadable ? Math.max(lost, yield* log.start(target.topic)) : lost
      metrics.repairs.inc({ table: target.table })
      yield* Effect.logError("a table of the history does not hold what was written; it is written again").pipe(
        Effect.annotateLogs({ table: target.name, from, marks: state.marks.length }),
      )
      yield* states.commit([[target.name, repairing(state, from)]])
      yield* finishRepair(target)
    })

  const sliceOf = (target: Target, from: Offset, to: Offset) =>
    Effect.gen(function* () {
      const records: Array<Slice["records"][number]> = []
      const take = (slice: Slice) => Effect.sync(() => void records.push(...part(slice, from, to).records))
      const start = yield* log.start(target.topic)
      if (from < start && isArchived(target))
        yield* readArchive(history, target.topic, from, Math.min(start, to), dependencies.availability).pipe(
          Stream.runForEach(take),
          Effect.mapError(stuck(target)),
        )
      if (to > start)
        yield* log.read(target.topic, Math.max(from, start)).pipe(
          Stream.takeUntil((batch) => batch.next >= to),
          Stream.runForEach((batch) =>
            Effect.sync(
              () => void records.push(...part({ from, to: batch.next, records: batch.records }, from, to).records),
            ),
          ),
        )
      return { from, to, records }
    })

  const resume: TableWriter["resume"] = (target) =>
    Effect.gen(function* () {
      const { exchange } = states.get(target.name)
      if (exchange !== null) {
        const identity = yield* persistently(history.identity(target.table)).pipe(Effect.mapError(stuck(target)))
        yield* states.commit([[target.name, exchanged(states.get(target.name), identity)]])
        yield* persistently(history.dropGeneration(target.table, exchange.generation)).pipe(
          Effect.mapError(stuck(target)),
        )
      }
      yield* finishRepair(target)
      const { plan } = states.get(target.name)
      if (plan !== null) {
        const slice = yield* sliceOf(target, plan.from, plan.to)
        const read = yield* readSlice(eventReader, slice.records)
        if (read.stop !== null && !target.takesUnreadable)
          return yield* new TargetStuck({ target: target.name, problem: read.stop.problem.message })
        yield* insertPlan(target, yield* rowsOf(target, read))
        yield* states.commit([[target.name, states.get(target.name)]])
      }
      yield* check(target)
    })

  const write: TableWriter["write"] = (targets, slice) =>
    Effect.gen(function* () {
      const failures: Array<TargetStuck> = []
      const read = yield* readSlice(eventReader, slice.records)
      const work: Array<{ readonly target: Target; readonly placed: ReadonlyArray<PlacedRow> }> = []
      const plans: Array<Parameters<States["commit"]>[0][number]> = []
      for (const target of targets) {
        const state = states.get(target.name)
        const to = target.takesUnreadable ? slice.to : Math.min(slice.to, read.stop?.at ?? slice.to)
        if (state.next < to) {
          const placed = yield* Effect.result(rowsOf(target, between(read, state.next, to)))
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
      const outcomes = yield* Effect.forEach(work, ({ target, placed }) => Effect.result(insertPlan(target, placed)), {
        concurrency: INSERTS_AT_ONCE,
      })
      for (const outcome of outcomes) if (outcome._tag === "Failure") failures.push(outcome.failure)
      yield* states.commit(
        work
          .map(({ target }) => [target.name, states.get(target.name)] as const)
          .filter(([, state]) => state.plan === null),
      )
      return failures
    })

  const catchUp: TableWriter["catchUp"] = (targets, to) =>
    Effect.gen(function* () {
      const failures: Array<TargetStuck> = []
      let active = targets
      const take = (slice: Slice) =>
        Effect.gen(function* () {
          const failed = yield* write(active, part(slice, slice.from, to))
          failures.push(...failed)
          active = active.filter(({ name }) => failed.every((one) => one.target !== name))
        })
      const [first] = targets
      if (first === undefined) return failures
      const start = yield* log.start(first.topic)
      const lowest = () => Math.min(...active.map(({ name }) => states.get(name).next))
      for (const target of active.filter(({ takesUnreadable }) => takesUnreadable)) {
        const state = states.get(target.name)
        if (state.next >= start) continue
        yield* Effect.logError("the log begins later than the archive ends: events between are lost").pipe(
          Effect.annotateLogs({ topic: target.topic, from: state.next, to: start }),
        )
        states.set(target.name, { ...state, next: start })
      }
      if (active.length > 0 && lowest() < start && isArchived(first))
        yield* readArchive(history, first.topic, lowest(), Math.min(start, to), dependencies.availability).pipe(
          Stream.mapError(stuck(first)),
          Stream.runForEach(take),
        )
      if (active.length > 0 && lowest() < to) {
        let from = Math.max(lowest(), start)
        yield* log.read(first.topic, from).pipe(
          Stream.takeUntil((batch) => batch.next >= to),
          Stream.runForEach((batch) =>
            Effect.gen(function* () {
              for (const slice of slicesOf(from, [batch])) if (active.length > 0) yield* take(slice)
              from = batch.next
            }),
          ),
        )
      }
      return failures
    })

  return { resume, check, write, catchUp }
}
