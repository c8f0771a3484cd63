import type { Json } from "../json.ts"
import type { RowList, Table, TableForm } from "./table.ts"

/** The object of a row. */
export type RowObject = { readonly [name: string]: Json }

/** A row, and the list that it stands in; null where there is one list. */
export interface Row {
  readonly list: string | null
  readonly value: RowObject
}

/** The rows of a reply's data, in their order. */
export interface Rows {
  readonly form: TableForm
  readonly rows: ReadonlyArray<Row>
}

/** Narrows JSON to an object. */
export const isRowObject = (value: Json | undefined): value is RowObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const listIn = (data: Json, { name }: RowList): Json | undefined =>
  name === null ? data : isRowObject(data) ? data[name] : undefined

const isOf =
  (data: Json) =>
  ({ lists }: TableForm): boolean =>
    lists.every((list) => Array.isArray(listIn(data, list)) || (list.optional && listIn(data, list) === undefined))

/** An item as rows: itself, or one for each item of its inner list; where that is empty, one without it. */
const unnested = (item: RowObject, member: string | null): ReadonlyArray<RowObject> => {
  const inner = member === null ? null : item[member]
  if (member === null || !Array.isArray(inner)) return [item]
  const { [member]: _, ...own } = item
  return inner.length === 0 ? [own] : inner.map((one: Json) => ({ ...own, [member]: one }))
}

/** The rows of data; null where a list that the schema declares is not there: data that could not be read has no rows. */
export const rowsOf = (table: Table, data: Json): Rows | null => {
  const form = table.find(isOf(data))
  if (form === undefined) return null
  const rows = form.lists.flatMap((list) => {
    const items = listIn(data, list)
    if (!Array.isArray(items)) return []
    const name = form.lists.length > 1 ? list.name : null
    return items
      .filter(isRowObject)
      .flatMap((item) => unnested(item, list.unnest).map((value) => ({ list: name, value })))
  })
  return { form, rows }
}
