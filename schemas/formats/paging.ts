import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import type { Json } from "../json.ts"
import { isRowObject, type RowObject } from "./table.ts"

// Pages of a long list. A cursor names the last row of a page by its place in the order, so that it holds for later
// versions of the list too.

/** How the list of an endpoint is cut into pages. */
export interface Paging {
  /** The member of the data that holds the list. */
  readonly list: string
  /** The member of a row by which the list is ordered: an instant, the latest first. */
  readonly by: string
  /** The member of a row that names it. */
  readonly key: string
  /** The largest page, and that of a cursor without a limit. */
  readonly limitMax: number
}

/** The place of a row in the order. */
export interface Cursor {
  readonly by: string
  readonly key: string
}

/** The page of a list that a call asks for; without a cursor, the first. */
export interface Page {
  readonly limit: number
  readonly cursor: Cursor | null
}

const KEY_MAX_CHARACTERS = 256

const Place = Schema.Tuple([
  Schema.String.check(Schema.isPattern(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)),
  Schema.NonEmptyString.check(Schema.isMaxLength(KEY_MAX_CHARACTERS)),
])
const isPlace = Schema.is(Place)

/**
 * What every cursor looks like: Base64url of a JSON array that begins with an instant. Only cursors that a reply has given are accepted.
 * A character of a key takes six bytes of JSON at the most, and 31 bytes stand around the key.
 */
export const CURSOR_TEXT = {
  pattern: "^WyI[w-z0-5][A-Za-z0-9_-]+$",
  minLength: 43,
  maxLength: Math.ceil(((31 + 6 * KEY_MAX_CHARACTERS) * 4) / 3),
} as const

/** The text of a cursor. */
export const encodeCursor = ({ by, key }: Cursor): string =>
  Buffer.from(JSON.stringify([by, key])).toString("base64url")

/** The cursor of a text; null where the text is not exactly that of a cursor. */
const decoded = (text: string): Cursor | null => {
  try {
    const place: unknown = JSON.parse(Buffer.from(text, "base64url").toString())
    if (!isPlace(place)) return null
    const cursor = { by: place[0], key: place[1] }
    return encodeCursor(cursor) === text ? cursor : null
  } catch {
    return null
  }
}

/** The text of a cursor: opaque to callers. */
export const CursorText: Schema.Codec<Cursor, string> = Schema.String.check(
  Schema.makeFilter((text) => (decoded(text) === null ? "must be a cursor of an earlier reply" : undefined)),
).pipe(
  Schema.decodeTo(
    Schema.Struct({ by: Schema.String, key: Schema.String }).annotate({ description: "a cursor of an earlier reply" }),
    {
      decode: SchemaGetter.transform((text) => decoded(text) ?? { by: "", key: "" }),
      encode: SchemaGetter.transform(encodeCursor),
    },
  ),
)

const textOf = (row: Json | undefined, member: string): string => {
  const value = isRowObject(row) ? row[member] : undefined
  return typeof value === "string" ? value : ""
}

/**
 * The index of the first row after a cursor. Where its row has gone or moved, the first row that is not later than it:
 * rows of the same instant may then come twice, and none is missed.
 */
const indexAfter = (rows: ReadonlyArray<Json>, { by, key }: Cursor, paging: Paging): number => {
  const at = rows.findIndex((row) => textOf(row, paging.key) === key && textOf(row, paging.by) === by)
  if (at >= 0) return at + 1
  const next = rows.findIndex((row) => textOf(row, paging.by) <= by)
  return next < 0 ? rows.length : next
}

/** Data with one page of its list, and the cursor of the next; null on the last page. */
export interface PagedData {
  readonly data: RowObject
  readonly total: number
  readonly next: Cursor | null
}

/** Cuts a page out of data; null where the data holds no such list. */
export const pageOf = (data: Json, { limit, cursor }: Page, paging: Paging): PagedData | null => {
  const rows = isRowObject(data) ? data[paging.list] : undefined
  if (!isRowObject(data) || !Array.isArray(rows)) return null
  const start = cursor === null ? 0 : indexAfter(rows, cursor, paging)
  const page: ReadonlyArray<Json> = rows.slice(start, start + limit)
  const last = page.at(-1)
  const next =
    start + limit < rows.length && last !== undefined
      ? { by: textOf(last, paging.by), key: textOf(last, paging.key) }
      : null
  return { data: { ...data, count: page.length, [paging.list]: page }, total: rows.length, next }
}
