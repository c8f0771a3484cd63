import { readFileSync } from "node:fs"
import type { ReadyQuery, TableColumn, TableFacts } from "../../schemas/contract/provenance.ts"
import { readMigrations } from "./migrations.ts"

// What analysts read about a table: its DDL and the ready queries. The files are read when they are asked for.

const QUERIES = new URL("queries.md", import.meta.url)

/** A text in single quotes, as ClickHouse escapes it: a quote is doubled, or stands behind a backslash. */
const QUOTED = String.raw`'((?:[^'\\]|\\.|'')*)'`
const COLUMN = new RegExp(
  String.raw`^ {4}(?<name>\w+) (?<type>\w+(?:\(.*?\))?)(?: DEFAULT \S+)?(?: COMMENT ${QUOTED})?(?= CODEC|,?$)`,
  "gm",
)
const ADDED = new RegExp(String.raw`ADD COLUMN (?<name>\w+) (?<type>\S+)(?: .*?COMMENT ${QUOTED})?`, "g")
const DROPPED = /DROP COLUMN (?<name>\w+)/g
const TABLE_COMMENT = new RegExp(`^COMMENT ${QUOTED}`, "m")
/** A ready query, and the sentence above it. */
const READY = /^(.+):\n\n```sql\n([\s\S]+?)\n```$/gm

const unescaped = (text = ""): string => text.replace(/\\(.)|'(')/g, "$1$2")

/** The ready queries of `queries.md`, in their order. */
export const readyQueries = (): ReadonlyArray<ReadyQuery> =>
  [...readFileSync(QUERIES, "utf8").matchAll(READY)].map(([, title = "", sql = ""]) => ({ title, sql }))

/** The columns of a table by its DDL: its first file, then what later ones add or drop. */
const columnsOf = (sql: string): ReadonlyArray<TableColumn> => {
  const columns = new Map<string, TableColumn>()
  for (const pattern of [COLUMN, ADDED])
    for (const { 3: comment, groups } of sql.matchAll(pattern)) {
      const { name = "", type = "" } = groups ?? {}
      columns.set(name, { name, type, comment: unescaped(comment) })
    }
  for (const { groups } of sql.matchAll(DROPPED)) columns.delete(groups?.name ?? "")
  return [...columns.values()]
}

/** A query of the latest rows of a table that no ready query reads. */
const latestRows = (table: string): ReadyQuery => ({
  title: "The latest rows",
  sql: `SELECT * EXCEPT (event_id, log_offset)\nFROM ${table}\nORDER BY observed_at DESC\nLIMIT 20`,
})

/** The facts of tables, by their names. Throws for a table whose DDL cannot be read. */
export const tableFactsOf = (names: ReadonlyArray<string>): ReadonlyArray<TableFacts> => {
  const migrations = Map.groupBy(readMigrations(), ({ table }) => table)
  const queries = readyQueries()
  return names.map((name) => {
    const sql = (migrations.get(name) ?? []).map((one) => one.sql).join("\n")
    const columns = columnsOf(sql)
    const comment = unescaped(TABLE_COMMENT.exec(sql)?.[1])
    if (columns.length === 0 || comment === "") throw new Error(`the DDL of ${name} cannot be read`)
    const reads = new RegExp(String.raw`\bFROM ${name}\b`)
    return { name, comment, columns, query: queries.find((one) => reads.test(one.sql)) ?? latestRows(name) }
  })
}
