import { readdirSync, readFileSync } from "node:fs"
import { readDdl } from "../../../processors/ddl.ts"
import type { Row } from "../../../schemas/ports/history.ts"

const directory = new URL("../../../processors/tables/", import.meta.url)

/** Columns that the history adds to each row. */
const ADDED = new Set(["event_id", "log_offset"])

/** The columns of a table that its rows fill, with their types, and the expression of its partitions. */
export interface TableColumns {
  readonly types: ReadonlyMap<string, string>
  readonly partitionBy: string
}

/** Reads the columns and the partitions from the table's DDL. */
export const columnsOf = (table: string): TableColumns => {
  const folder = new URL(`${table}/`, directory)
  const sql = readdirSync(folder)
    .filter((name) => /^\d+\.sql$/.test(name))
    .sort()
    .map((name) => readFileSync(new URL(name, folder), "utf8"))
    .join("\n")
  const { columns, aliases } = readDdl(folder)
  const filled = columns.filter(({ name }) => !ADDED.has(name) && !aliases.has(name))
  const types = new Map(filled.map(({ name, type }) => [name, type]))
  const partitionBy = /^PARTITION BY (.+)$/m.exec(sql)?.[1]
  if (types.size === 0 || partitionBy === undefined) throw new Error(`the DDL of ${table} cannot be read`)
  return { types, partitionBy }
}

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const DAY = /^\d{4}-\d\d-\d\d$/

const isDate = (value: unknown, form: RegExp): boolean =>
  typeof value === "string" && form.test(value) && Number.isFinite(Date.parse(value))

/** Whether a column of this type takes a value without changing it. Throws for a type that no table has had yet. */
export const fits = (type: string, value: unknown): boolean => {
  const [, outer = type, inner = ""] = /^(\w+)\((.*)\)$/.exec(type) ?? []
  const integer = /^(U?)Int(8|16|32|64)$/.exec(outer)
  if (integer !== null) {
    const bits = Number(integer[2]) - (integer[1] === "U" ? 0 : 1)
    const isNegativeAllowed = integer[1] === ""
    return (
      Number.isSafeInteger(value) && Math.abs(Number(value)) < 2 ** bits && (isNegativeAllowed || Number(value) >= 0)
    )
  }
  switch (outer) {
    case "Nullable":
      return value === null || fits(inner, value)
    case "LowCardinality":
      return fits(inner, value)
    case "Array":
      return Array.isArray(value) && value.every((one) => fits(inner, one))
    case "String":
      return typeof value === "string" && value.isWellFormed()
    case "Float64":
      return typeof value === "number" && Number.isFinite(value)
    case "Bool":
      return typeof value === "boolean"
    case "Date":
      return isDate(value, DAY)
    case "DateTime64":
      return isDate(value, INSTANT)
    default:
      throw new Error(`declare here which values fit a column of type ${type}`)
  }
}

/** The partition that ClickHouse puts a row into. Throws for an expression that no table has had yet. */
export const partitionOf = ({ partitionBy }: TableColumns, row: Row): string => {
  const [, of, column = ""] = /^(toYear|toYYYYMM|toYYYYMMDD)\((\w+)\)$/.exec(partitionBy) ?? []
  if (of === undefined) throw new Error(`declare here how ${partitionBy} partitions rows`)
  const digits = { toYear: 4, toYYYYMM: 6, toYYYYMMDD: 8 }[of as "toYear" | "toYYYYMM" | "toYYYYMMDD"]
  return String(row[column]).replaceAll("-", "").slice(0, digits)
}
