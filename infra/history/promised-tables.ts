import { existsSync, readdirSync, readFileSync } from "node:fs"
import * as Schema from "effect/Schema"
import { readDdl, TABLES } from "../../processors/ddl.ts"
import type { ChangelogEntry } from "../../schemas/changelog.ts"
import { removalFaults, type ServedFields } from "../../schemas/served-fields.ts"
import { derivedViews } from "./derived-views.ts"

// What analysts may rely on: the names of tables, views and columns, and their types, as one committed file. What leaves it
// shows as a difference, and needs an entry in the changelog, as a field of the API does.

/** The types of the columns, by table or view and by column. */
export type PromisedTables = Readonly<Record<string, Readonly<Record<string, string>>>>

/** Where they are committed; `npm run snapshots` writes it. */
export const promisedTablesFile = new URL("promised-tables.json", import.meta.url)
const decode = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Record(Schema.String, Schema.Record(Schema.String, Schema.String))),
)

/** Every table and view that analysts see, by name. */
export const currentTables = (): PromisedTables => {
  const defined = readdirSync(TABLES).map((name) => readDdl(new URL(`${name}/`, TABLES)))
  const all = [...defined, ...derivedViews.map(({ view }) => view)].sort((one, other) =>
    one.name < other.name ? -1 : 1,
  )
  return Object.fromEntries(
    all.map(({ name, columns }) => [name, Object.fromEntries(columns.map((column) => [column.name, column.type]))]),
  )
}

/** The committed ones; none where there is no file. Throws where the file holds something else. */
export const committedTables = (file: URL = promisedTablesFile): PromisedTables =>
  existsSync(file) ? decode(readFileSync(file, "utf8")) : {}

/** The text of the file. */
export const tablesText = (tables: PromisedTables): string => `${JSON.stringify(tables, null, 2)}\n`

/** Columns as the changelog names them: the path is `tables/<table>`, the field the column. A type is a part of its column. */
const asFields = (tables: PromisedTables): ServedFields =>
  Object.fromEntries(
    Object.entries(tables).map(([table, columns]) => [
      `tables/${table}`,
      Object.entries(columns).flatMap(([column, type]) => [column, `${column}.${type}`]),
    ]),
  )

/** What is gone, or has another type, without an entry of the changelog, in words. */
export const tableFaults = (
  before: PromisedTables,
  now: PromisedTables,
  entries: ReadonlyArray<ChangelogEntry>,
  firstReleaseDay: string | null,
): ReadonlyArray<string> => removalFaults(asFields(before), asFields(now), entries, firstReleaseDay)
