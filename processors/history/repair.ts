import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { EventLog, ReadFailed } from "../../schemas/ports/event-log.ts"
import type { History } from "../../schemas/ports/history.ts"
import type { ItemPurge } from "../purges/item-purge.ts"
import type { Availability } from "./availability.ts"
import { heldSql } from "./cut.ts"
import { metrics } from "./metrics.ts"
import { type HistoryStopped, lostFrom, repaired, repairing, type States, type TableState } from "./state.ts"
import { stuck, type Target, type TargetStuck } from "./targets.ts"

/** The dependencies of writing and repairing tables. */
export interface TableDependencies {
  readonly log: EventLog
  readonly history: History
  readonly states: States
  readonly availability: Availability
  /** The purges of the log: at least as many as a table of these states is without. */
  readonly purges: () => ReadonlyArray<ItemPurge>
}

const Count = Schema.Struct({ rows: Schema.Natural })
const Counts = Schema.Struct({ counts: Schema.Array(Schema.Natural) })

/** Restricts a condition to the rows of a target. */
export const whereTarget = (target: Target, condition: string) =>
  target.condition === null ? condition : `${target.condition} AND ${condition}`

/** Restricts a condition to the rows of a target that are counted: of those that its cut leaves. */
export const whereHeld = (target: Target, { cut }: TableState, condition: string) =>
  cut === undefined ? whereTarget(target, condition) : whereTarget(target, `${heldSql(cut)} AND ${condition}`)

/** How many rows of a target stand below each mark, of those that a condition accepts. */
export const countsBelow = (
  { history }: Pick<TableDependencies, "history">,
  { table }: Pick<Target, "table">,
  { marks }: Pick<TableState, "marks">,
  condition: string,
) =>
  Effect.map(
    marks.length === 0
      ? Effect.succeed([])
      : history.query(
          `SELECT [${marks.map(({ to }) => `countIf(log_offset < ${to})`).join(", ")}] AS counts FROM ${table} WHERE ${condition}`,
          Counts,
        ),
    ([answer]) => answer?.counts ?? [],
  )

/** Completes a repair: removes the rows of events from `repair` on, so that they can be written again. */
export const finishRepair = ({ history, states, availability: { persistently } }: TableDependencies, target: Target) =>
  Effect.gen(function* () {
    const { repair } = states.get(target.name)
    if (repair === null) return
    yield* persistently(
      history.execute(`ALTER TABLE ${target.table} DELETE WHERE ${whereTarget(target, `log_offset >= ${repair}`)}`),
    )
    const [left] = yield* persistently(
      history.query(
        `SELECT count() AS rows FROM ${target.table}
         WHERE ${whereHeld(target, states.get(target.name), `log_offset < ${repair}`)}`,
        Count,
      ),
    )
    yield* states.commit([[target.name, repaired(states.get(target.name), left?.rows ?? 0)]])
  }).pipe(Effect.catchTag(["HistoryRefused", "HistoryUndecodable"], (cause) => Effect.fail(stuck(target)(cause))))

/**
 * Compares a table with the marks of its last batches. If rows were lost, removes the rows from the first gap on, to be
 * written again.
 */
export const checkTable = (
  dependencies: TableDependencies,
  target: Target,
): Effect.Effect<void, TargetStuck | HistoryStopped | ReadFailed> =>
  Effect.gen(function* () {
    const { log, states, availability } = dependencies
    const state = states.get(target.name)
    if (state.marks.length === 0 || state.plan !== null) return
    const counts = yield* availability
      .persistently(countsBelow(dependencies, target, state, whereHeld(target, state, "true")))
      .pipe(Effect.mapError(stuck(target)))
    const lost = lostFrom(state.marks, counts)
    if (lost === null) return
    // Rows that the archive lost can be written again only if the log still holds their events.
    const from = target.takesUnreadable ? Math.max(lost, yield* log.start(target.topic)) : lost
    metrics.repairs.inc({ table: target.table })
    yield* Effect.logError("a table of the history has lost rows; they are written again").pipe(
      Effect.annotateLogs({ table: target.name, from, marks: state.marks.length }),
    )
    yield* states.commit([[target.name, repairing(state, from)]])
    yield* finishRepair(dependencies, target)
  })
