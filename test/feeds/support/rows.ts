import { expect } from "vitest"
import type { Source } from "../../../ingestors/source.ts"
import type { Table } from "../../../processors/table.ts"
import { makeEvent } from "../../../schemas/event.ts"
import { itemAppeared, itemChanged, itemGone } from "../../../schemas/events/deltas.ts"
import type { Feed, Parameters } from "../../../schemas/feed.ts"
import type { Row } from "../../../schemas/ports/history.ts"
import { columnsOf, fits, partitionOf } from "./table-columns.ts"

const types = { appeared: itemAppeared, changed: itemChanged, gone: itemGone } as const

/** The kinds of changes of an item. */
export type ChangeKind = keyof typeof types
const kinds = Object.keys(types) as ReadonlyArray<ChangeKind>

/** The time and provider of the changes behind rows that are written by hand. */
export const OBSERVED_AT = "2026-11-20T12:34:56.789Z"
export const PROVIDER = "Provider.metric"

interface ItemOf {
  readonly item: unknown
  readonly parameters: Parameters
}

const rowsOf = (
  table: Table,
  feed: Feed,
  kind: ChangeKind,
  { item, parameters }: ItemOf,
  provider: string,
  observedAt: string,
): ReadonlyArray<Row> => {
  const data = { feed: feed.name, parameters, provider, key: feed.key(item), item: item as never, observedAt }
  return table.rows(makeEvent(types[kind], { id: "1", source: "test", subject: feed.name, time: observedAt, data }))
}

const expectFits = (table: Table, row: Row): void => {
  const columns = columnsOf(table.name)
  expect(Object.keys(row).sort()).toEqual([...columns.types.keys()].sort())
  const misfits = Object.entries(row).filter(([name, value]) => !fits(columns.types.get(name) ?? "", value))
  expect(misfits.map(([name, value]) => `${name} ${columns.types.get(name)}: ${value}`)).toEqual([])
  expect(table.partitions.of(row)).toBe(partitionOf(columns, row))
}

/** Items of the world are many and alike: the first of each list are enough. */
const ITEMS_MAX = 100

/** Checks the rows of every kind of change of items against the table's columns and partitions; returns their number. */
export const rowsOfItems = (
  table: Table,
  feed: Feed,
  source: Source,
  items: ReadonlyArray<ItemOf>,
  atMs: number,
): number => {
  const observedAt = new Date(atMs).toISOString()
  let count = 0
  for (const one of items.slice(0, ITEMS_MAX))
    for (const kind of kinds)
      for (const row of rowsOf(table, feed, kind, one, source.provider(one.parameters), observedAt)) {
        expectFits(table, row)
        count += 1
      }
  return count
}

/** Compares the row of one change, observed at `OBSERVED_AT`, with one written by hand; null: the change makes no row. */
export const expectRow = (
  table: Table,
  feed: Feed,
  { kind, makes, ...one }: ItemOf & { readonly kind: ChangeKind; readonly makes: Row | null },
): void => {
  const rows = rowsOf(table, feed, kind, one, PROVIDER, OBSERVED_AT)
  expect(rows).toEqual(makes === null ? [] : [makes])
  for (const row of rows) expectFits(table, row)
}
