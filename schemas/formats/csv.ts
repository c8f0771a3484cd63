import type { Json } from "../json.ts"
import { type Column, isRowObject, LIST_COLUMN, type RowObject, type Rows } from "./table.ts"

// RFC 4180: a header line, CRLF after every line. Null is an empty cell, empty text a quoted one.

const LINE_END = "\r\n"
/** Cells with these are quoted, and those that begin or end with a space. The semicolon separates in some locales. */
const QUOTED = /[",;\t\r\n]|^ | $|^$/
/**
 * Where a spreadsheet would begin a formula, also behind apostrophes: as a text begins, and behind a semicolon. Where that
 * separates, a cell of ours begins within another one, and its quotes keep nothing together.
 */
const FORMULA = /(^|;)(?='*[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20])/g
const SEPARATOR = ";"
const ESCAPED = /[\\;]/g

const quoted = (text: string): string => (QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/**
 * A text as a cell. An apostrophe before what looks like a formula makes it text (OWASP, CSV injection); one more before
 * text that has it already keeps the two apart, so that removing one at each such place restores every text.
 */
const textCell = (text: string): string => quoted(text.replace(FORMULA, "$1'"))

/** A single value as text; within a list, its separators are escaped by a backslash. */
const listItem = (value: Json): string => (value === null ? "" : String(value)).replace(ESCAPED, "\\$&")

const cell = (value: Json | undefined, { holds }: Column): string => {
  if (value === undefined || value === null) return ""
  if (holds === "list" && Array.isArray(value)) return textCell(value.map(listItem).join(SEPARATOR))
  if (typeof value === "string") return textCell(value)
  return typeof value === "object" ? textCell(JSON.stringify(value)) : String(value)
}

const valueAt = (row: RowObject, path: ReadonlyArray<string>): Json | undefined => {
  let value: Json | undefined = row
  for (const name of path) {
    if (!isRowObject(value)) return undefined
    value = value[name]
  }
  return value
}

/** The header of a column: its name as in JSON, and in brackets its unit, where the name does not hold it. */
export const headerOf = ({ name, unit }: Pick<Column, "name" | "unit">): string =>
  unit === null ? name : `${name} [${unit}]`

/** Rows as CSV. Where they stand in several lists, the first column names the list. */
export const csvOf = ({ form: { columns, lists }, rows }: Rows): string => {
  const several = lists.length > 1
  const header = [...(several ? [LIST_COLUMN] : []), ...columns.map(headerOf)].map(quoted)
  const lines = rows.map(({ list, value }) => {
    const cells = columns.map((column) => cell(valueAt(value, column.path), column))
    return (several ? [textCell(list ?? ""), ...cells] : cells).join(",")
  })
  return [header.join(","), ...lines, ""].join(LINE_END)
}
