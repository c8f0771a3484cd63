import { existsSync, readdirSync, readFileSync } from "node:fs"
import type { TableColumn } from "../schemas/contract/provenance.ts"
import type { Row } from "../schemas/ports/history.ts"

/** What the DDL of a table says: `001.sql` of its folder, then what later files add or drop. */
export interface Ddl {
  /** The name of the folder. */
  readonly name: string
  readonly comment: string
  readonly columns: ReadonlyArray<TableColumn>
  /** The columns that are computed of another one, by name, and that one. Rows do not hold them. */
  readonly aliases: ReadonlyMap<string, string>
  /** The columns of its sorting key; none of a view. */
  readonly sortedBy: ReadonlyArray<string>
  readonly partitions: Partitions
}

/** How the rows of a table are divided by time. Throws for a view, which has no rows of its own. */
export interface Partitions {
  /** The ClickHouse partition of a row: one insert goes to one partition. */
  readonly of: (row: Row) => string
  /** The partition of the rows whose time is this day or instant. Names of partitions sort as texts in the order of time. */
  readonly at: (time: string) => string
}

/** The folder of each table. */
export const TABLES = new URL("tables/", import.meta.url)

/** A text in single quotes, as ClickHouse escapes it: a quote is doubled, or stands behind a backslash. */
const QUOTED = String.raw`'((?:[^'\\]|\\.|'')*)'`
const COLUMN = new RegExp(
  String.raw`^ {4}(?<name>\w+) (?<type>\w+(?:\(.*?\))?)(?: DEFAULT \S+)?(?: COMMENT ${QUOTED})?(?= CODEC|,?$)`,
  "gm",
)
const ADDED = new RegExp(
  String.raw`ADD COLUMN (?:IF NOT EXISTS )?(?<name>\w+) (?<type>\S+)(?: .*?COMMENT ${QUOTED})?`,
  "g",
)
/** A column that is computed of another one, in whose place it stands in views. */
const ALIAS = /ADD COLUMN (?:IF NOT EXISTS )?(?<name>\w+) \S+ ALIAS (?:round\()?(?<of>\w+)/g
const COMMENTED = new RegExp(String.raw`COMMENT COLUMN (?:IF EXISTS )?(?<name>\w+) ${QUOTED}`, "g")
const DROPPED = /DROP COLUMN (?:IF EXISTS )?(?<name>\w+)/g
/** The last one counts. */
const TABLE_COMMENT = new RegExp(`(?:^|MODIFY )COMMENT ${QUOTED}`, "gm")
const REPLACED = /^CREATE OR REPLACE VIEW /m
const PARTITION_BY = /^PARTITION BY (.+)$/m
const ORDER_BY = /^ORDER BY (.+)$/m
/** The functions by which tables are partitioned, and how many digits of a day each leaves. */
const DIGITS: Readonly<Record<string, number>> = { toYear: 4, toYYYYMM: 6, toYYYYMMDD: 8 }

const unescaped = (text = ""): string => text.replace(/\\(.)|'(')/g, "$1$2")

const columnsOf = (sql: string): ReadonlyArray<TableColumn> => {
  const columns = new Map<string, TableColumn>()
  for (const pattern of [COLUMN, ADDED])
    for (const { 3: comment, groups } of sql.matchAll(pattern)) {
      const { name = "", type = "" } = groups ?? {}
      columns.set(name, { name, type, comment: unescaped(comment) })
    }
  for (const { groups } of sql.matchAll(DROPPED)) columns.delete(groups?.name ?? "")
  for (const { 2: comment, groups } of sql.matchAll(COMMENTED)) {
    const column = columns.get(groups?.name ?? "")
    if (column !== undefined) columns.set(column.name, { ...column, comment: unescaped(comment) })
  }
  return [...columns.values()]
}

const partitionsOf = (name: string, expression: string | undefined): Partitions => {
  if (expression === undefined) {
    const none = () => {
      throw new TypeError(`${name} has no partitions`)
    }
    return { of: none, at: none }
  }
  const [, by = "", column = ""] = /^(\w+)\((\w+)\)$/.exec(expression) ?? []
  const digits = DIGITS[by]
  if (digits === undefined) throw new Error(`${name} is partitioned by ${expression}: only ${Object.keys(DIGITS)} are`)
  // Days and instants are texts of ISO 8601.
  const at = (time: string): string => time.replaceAll("-", "").slice(0, digits)
  return { of: (row) => at(String(row[column])), at }
}

/** Reads the DDL in the folder of a table. Throws where it cannot be read. */
export const readDdl = (folder: URL): Ddl => {
  const name = folder.pathname.split("/").at(-2) ?? ""
  const files = (existsSync(folder) ? readdirSync(folder) : [])
    .filter((file) => /^\d{3}\.sql$/.test(file))
    .sort()
    .map((file) => readFileSync(new URL(file, folder), "utf8"))
  // A view is replaced as a whole.
  const whole = files.findLastIndex((file) => REPLACED.test(file))
  const sql = files.slice(Math.max(whole, 0)).join("\n")
  const columns = columnsOf(sql)
  const comment = unescaped([...sql.matchAll(TABLE_COMMENT)].at(-1)?.[1])
  if (columns.length === 0 || comment === "") throw new Error(`the DDL of ${name} cannot be read`)
  const sortedBy = ORDER_BY.exec(sql)?.[1]?.match(/\w+/g) ?? []
  const aliases = new Map([...sql.matchAll(ALIAS)].map(({ groups }) => [groups?.name ?? "", groups?.of ?? ""]))
  return { name, comment, columns, aliases, sortedBy, partitions: partitionsOf(name, PARTITION_BY.exec(sql)?.[1]) }
}
