import type { Ddl } from "./ddl.ts"
import { type DerivedView, derivedView } from "./derived-view.ts"

/** How the rows that hold now are found among all rows of a table. */
export interface NowRows {
  /**
   * The columns that say what a row is about, or expressions of columns. Of rows that agree in them the one of the latest event
   * counts; without columns, the latest row of all.
   */
  readonly identity: ReadonlyArray<string>
  /** A condition, in SQL, that the latest row does not meet where what it is about was withdrawn; null where nothing is. */
  readonly stands: string | null
  /** Whether one event makes one row at most: its offset alone then names the row, which is found five times as fast. */
  readonly isRowOfEvent: boolean
}

/** What a table declares of them; the rest follows from its DDL. */
export interface NowDeclaration {
  /** By default the sorting key without the time of observation. */
  readonly identity?: ReadonlyArray<string>
  /** By default the column that says whether an item is listed, where there is one. */
  readonly stands?: string
}

/** What orders the rows of a table: later events have higher offsets, also where the clocks of sources go back. */
const ORDER = "log_offset"
const OBSERVED = "observed_at"

/** How the rows that hold now are found in a table. */
export const nowRowsOf = (
  { columns, sortedBy }: Ddl,
  { identity = sortedBy.filter((column) => column !== OBSERVED), stands }: NowDeclaration,
  /** `listed`: the column that says whether an item is still listed, if the table has it. */
  { listed = null, isRowOfEvent }: { readonly listed?: string | null; readonly isRowOfEvent: boolean },
): NowRows => ({
  identity,
  stands: stands ?? columns.find(({ name }) => name === listed)?.name ?? null,
  isRowOfEvent,
})

/** The condition that a row is the latest of what it is about. */
const latestOf = (table: string, { identity, isRowOfEvent }: NowRows): string => {
  if (identity.length === 0) return `${ORDER} = (SELECT max(${ORDER}) FROM ${table})`
  const by = identity.join(", ")
  return isRowOfEvent
    ? `${ORDER} IN (SELECT max(${ORDER}) FROM ${table} GROUP BY ${by})`
    : `(${by}, ${ORDER}) IN (SELECT ${by}, max(${ORDER}) FROM ${table} GROUP BY ${by})`
}

/**
 * The view `<table>_now`: one row for each thing that the table is about, as it is known now. The offsets of the latest rows are
 * found first, in few columns; what a query asks of these rows is then read as from any table, with NULL where the latest row
 * has NULL. Both reads see the same parts (`enable_shared_storage_snapshot_in_query`, which is on by default): a row that
 * arrives meanwhile is in both or in neither.
 */
export const nowView = ({ name, comment: ofTable, columns, aliases }: Ddl, rows: NowRows): DerivedView => {
  const { identity, stands } = rows
  const view = `${name}_now`
  const hidden = new Set([ORDER, stands, ...aliases.values()])
  const shown = columns.filter((column) => !hidden.has(column.name))
  const about = identity.filter((one) => columns.some((column) => column.name === one))
  const latest = about.length === 0 ? "the latest row" : `the latest row of each ${about.join(", ")}`
  const comment = `What holds now: ${latest}${stands === null ? "" : ", unless it was withdrawn"}. Of ${name}: ${ofTable}`
  const conditions = [latestOf(name, rows), ...(stands === null ? [] : [`(${stands})`])]
  return derivedView(
    { name: view, comment, columns: shown },
    `SELECT ${shown.map((column) => column.name).join(", ")}
FROM ${name}
WHERE ${conditions.join(" AND ")}`,
  )
}
