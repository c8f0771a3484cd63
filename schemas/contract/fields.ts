import type * as Schema from "effect/Schema"
import { columnsOfRow, isRowObject, type Table } from "../formats/table.ts"
import type { Json } from "../json.ts"
import { type ParameterSet, wordList } from "./parameters.ts"

// The selection of members (`fields`): of each item where the data is a table, of the data where it is none. What stands around them
// is not theirs: `_meta`, the envelope, the members of the data beside its lists, a place on a map.

/** The name of the parameter. */
export const FIELDS = "fields"

/** The fields that may be selected. */
export interface FieldFacts {
  /** Their names, in the order of the contract; empty where there is no choice among them. */
  readonly fields: ReadonlyArray<string>
}

/** The names of the fields of data: the members of the rows of its table, or without one its own. */
export const fieldNamesOf = (data: Pick<Schema.Top, "ast">, table: Table | null): ReadonlyArray<string> => {
  const columns = table === null ? columnsOfRow(data) : table.flatMap((form) => form.columns)
  const names = new Set(columns.flatMap(({ path: [name] }) => (name === undefined ? [] : [name])))
  return names.size < 2 ? [] : [...names]
}

/** The parameter that selects fields; none where there is no choice among them. */
export const fieldsParameter = ({ fields }: FieldFacts): ParameterSet =>
  fields.length === 0
    ? {}
    : {
        [FIELDS]: {
          schema: wordList(fields),
          optional: true,
          description:
            "The members to keep, as a comma list: of each item where the reply holds a list, else of its data. Whatever else a schema requires of them is then left out; _meta stays. Of csv they are the columns, of geojson the properties",
          example: fields.slice(0, 2).join(","),
        },
      }

/** The members of an object with these names, in their own order; any other value as it is. */
const picked = <Value extends Json>(value: Value, names: ReadonlySet<string>): Value =>
  isRowObject(value)
    ? (Object.fromEntries(Object.entries(value).filter(([name]) => names.has(name))) as unknown as Value)
    : value

/** Data with these fields alone. A list that is not there stays as it is. */
export const selectFields = <Data extends Json>(
  data: Data,
  table: Table | null,
  fields: ReadonlyArray<string>,
): Json => {
  const names = new Set(fields)
  if (table === null) return picked(data, names)
  const itemsOf = (list: Json): Json => (Array.isArray(list) ? list.map((item: Json) => picked(item, names)) : list)
  if (!isRowObject(data)) return itemsOf(data)
  const lists = new Set(table.flatMap((form) => form.lists.map(({ name }) => name)))
  return Object.fromEntries(
    Object.entries(data).map(([name, member]) => [name, lists.has(name) ? itemsOf(member) : member]),
  )
}
