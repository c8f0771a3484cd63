import type * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { annotationOf, UNIT } from "../contract/annotations.ts"
import type { Json } from "../json.ts"
import type { Coordinate } from "../values.ts"

// Tables are derived from the schema of an endpoint's data: its lists of objects are the rows, their members the columns.

/** The annotation key of coordinates (`Latitude`, `Longitude`). */
const COORDINATE = "coordinate"

/** A column: a member of the rows, by the names on the way to it. */
export interface Column {
  /** The names joined with dots. */
  readonly name: string
  readonly path: ReadonlyArray<string>
  /** Null for a column without a unit, or with one in its name. */
  readonly unit: string | null
  /** Whether a value is a single one, a list of single ones, or any other JSON. */
  readonly holds: "value" | "list" | "json"
}

/** A list of the data whose items are rows. */
export interface RowList {
  /** The member of the data that holds it; null where the data itself is the list. */
  readonly name: string | null
  readonly optional: boolean
  /** The member of its items that is a list itself, each item of which is a row; null where the items are the rows. */
  readonly unnest: string | null
}

/** The table of one form of the data. */
export interface TableForm {
  readonly lists: ReadonlyArray<RowList>
  readonly columns: ReadonlyArray<Column>
  /** The members of every row that hold its place; null where some rows have none. */
  readonly place: Readonly<Record<Coordinate, string>> | null
  /** Whether rows have a member `id`, unique in the list. */
  readonly hasId: boolean
}

/** The tables of an endpoint's data, one for each form that the data may have. */
export type Table = readonly [TableForm, ...ReadonlyArray<TableForm>]

/** What an endpoint declares of its table where the schema alone would give another one. */
export interface TableChoice {
  /** The members of the data whose items are rows; every list of objects unless given. */
  readonly lists?: ReadonlyArray<string>
  /** Of a list, the member of its items that is a list of rows. */
  readonly unnest?: Readonly<Record<string, string>>
}

/** The column that names the list of a row, where there are several. */
export const LIST_COLUMN = "list"

/** The types that a value may have, null and absence aside. */
const presentTypes = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.AST> =>
  SchemaAST.isUnion(ast)
    ? ast.types.flatMap(presentTypes)
    : SchemaAST.isNull(ast) || SchemaAST.isUndefined(ast)
      ? []
      : [ast]

/** The members of an object, or of the objects that a union consists of; null for any other type. */
const membersOf = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.PropertySignature> | null => {
  const types = presentTypes(ast)
  const objects = types.filter(SchemaAST.isObjects).filter(({ indexSignatures }) => indexSignatures.length === 0)
  return types.length === 0 || objects.length < types.length
    ? null
    : objects.flatMap(({ propertySignatures }) => propertySignatures)
}

/** The type of a list's items; null for any other type. */
const itemOf = (ast: SchemaAST.AST): SchemaAST.AST | null => {
  const [only, ...others] = presentTypes(ast)
  if (only === undefined || others.length > 0 || !SchemaAST.isArrays(only) || only.elements.length > 0) return null
  return only.rest[0] ?? null
}

const isSingle = (ast: SchemaAST.AST): boolean =>
  presentTypes(ast).every(
    (one) => SchemaAST.isString(one) || SchemaAST.isNumber(one) || SchemaAST.isBoolean(one) || SchemaAST.isLiteral(one),
  )

/** Columns by their names; of equal names the first stands, and holds any JSON where their types differ. */
const merged = (columns: ReadonlyArray<Column>): ReadonlyArray<Column> => {
  const byName = new Map<string, Column>()
  for (const column of columns) {
    const known = byName.get(column.name)
    if (known === undefined) byName.set(column.name, column)
    else if (known.holds !== column.holds) byName.set(column.name, { ...known, holds: "json" })
  }
  return [...byName.values()]
}

const columnsOf = (ast: SchemaAST.AST, path: ReadonlyArray<string>): ReadonlyArray<Column> => {
  const members = membersOf(ast)
  if (members !== null) return members.flatMap(({ name, type }) => columnsOf(type, [...path, String(name)]))
  const item = itemOf(ast)
  const holds = item === null ? (isSingle(ast) ? "value" : "json") : isSingle(item) ? "list" : "json"
  return [{ name: path.join("."), path, unit: annotationOf(ast, UNIT), holds }]
}

/** The columns of rows of this schema. */
export const columnsOfRow = ({ ast }: Pick<Schema.Top, "ast">): ReadonlyArray<Column> => merged(columnsOf(ast, []))

/** The columns of a list's rows. An unnested list is replaced by the columns of its own items. */
const rowColumns = (item: SchemaAST.AST, unnest: string | null): ReadonlyArray<Column> => {
  const nested = unnest === null ? undefined : membersOf(item)?.find(({ name }) => name === unnest)
  const rows = nested === undefined ? null : itemOf(nested.type)
  if (unnest !== null && rows === null) throw new TypeError(`a row has no list ${unnest}`)
  const own = columnsOf(item, []).filter(({ path }) => unnest === null || path[0] !== unnest)
  return rows === null || unnest === null ? own : [...own, ...columnsOf(rows, [unnest])]
}

const coordinateOf = (item: SchemaAST.AST, wanted: Coordinate): string | null => {
  const found = membersOf(item)?.find(({ type }) => annotationOf(type, COORDINATE) === wanted)
  return found === undefined ? null : String(found.name)
}

const placeOf = (items: ReadonlyArray<SchemaAST.AST>): TableForm["place"] => {
  const places = items.map((item) => ({
    latitude: coordinateOf(item, "latitude"),
    longitude: coordinateOf(item, "longitude"),
  }))
  const [{ latitude, longitude } = { latitude: null, longitude: null }] = places
  const alike = places.every((one) => one.latitude === latitude && one.longitude === longitude)
  return !alike || latitude === null || longitude === null ? null : { latitude, longitude }
}

interface FoundList extends RowList {
  readonly item: SchemaAST.AST
}

/** The lists of objects that data of this type is or holds. */
const listsOf = (ast: SchemaAST.AST, { lists, unnest = {} }: TableChoice): ReadonlyArray<FoundList> => {
  const isRow = (item: SchemaAST.AST | null): item is SchemaAST.AST => item !== null && membersOf(item) !== null
  const whole = itemOf(ast)
  if (whole !== null) return isRow(whole) ? [{ name: null, item: whole, optional: false, unnest: null }] : []
  return (membersOf(ast) ?? []).flatMap((member) => {
    const [name, item] = [String(member.name), itemOf(member.type)]
    if (!isRow(item) || lists?.includes(name) === false) return []
    return [{ name, item, optional: SchemaAST.isOptional(member.type), unnest: unnest[name] ?? null }]
  })
}

const formOf = (ast: SchemaAST.AST, choice: TableChoice): TableForm | null => {
  const found = listsOf(ast, choice)
  if (found.length === 0) return null
  const columns = merged(found.flatMap((one) => rowColumns(one.item, one.unnest)))
  if (found.length > 1 && columns.some(({ name }) => name === LIST_COLUMN))
    throw new TypeError(`a row of several lists has a member ${LIST_COLUMN} of its own`)
  const [first] = found
  const nested = found.some((one) => one.unnest !== null)
  return {
    lists: found.map(({ name, optional, unnest: member }) => ({ name, optional, unnest: member })),
    columns,
    place: nested ? null : placeOf(found.map(({ item }) => item)),
    hasId: found.length === 1 && !nested && membersOf(first?.item ?? ast)?.some(({ name }) => name === "id") === true,
  }
}

/** The tables of an endpoint's data; null where the data, in one of its forms, holds no list of objects. */
export const tableOf = (schema: Schema.Top, choice: TableChoice = {}): Table | null => {
  const forms = presentTypes(schema.ast).map((ast) => formOf(ast, choice))
  const [first, ...others] = forms.flatMap((form) => (form === null ? [] : [form]))
  return first === undefined || others.length + 1 < forms.length ? null : [first, ...others]
}

/** Whether every row of every form has a place. */
export const hasPlaces = (table: Table): boolean => table.every(({ place }) => place !== null)

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

/** A form with the columns of these members alone. */
const narrowed = (form: TableForm, fields: ReadonlyArray<string> | null): TableForm =>
  fields === null
    ? form
    : { ...form, columns: form.columns.filter(({ path: [member = ""] }) => fields.includes(member)) }

/**
 * The rows of data, with the columns of the named members (null: of all); null where a list that the schema declares is not there:
 * data that could not be read has no rows.
 */
export const rowsOf = (table: Table, data: Json, fields: ReadonlyArray<string> | null = null): Rows | null => {
  const whole = table.find(isOf(data))
  if (whole === undefined) return null
  const form = narrowed(whole, fields)
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
