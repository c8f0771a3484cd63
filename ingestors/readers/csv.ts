import { parse } from "csv-parse/sync"
import * as Schema from "effect/Schema"

/** A CSV document with more rows is refused. */
const CSV_MAX_ROWS = 1_000_000
/** A CSV document with a larger share of rows with a wrong number of columns is refused. */
const CSV_RAGGED_SHARE_MAX = 0.1
/** The table of a CSV document: the column names, and the rows by these names, all as text. */
export interface CsvTable {
  readonly columns: ReadonlyArray<string>
  readonly rows: ReadonlyArray<Readonly<Record<string, string>>>
}

const delimiters = [",", "|", ";", "\t"] as const

/** The fields of one line; empty if `csv-parse` cannot read it. */
const fieldsOf = (line: string, delimiter: string): ReadonlyArray<string> => {
  try {
    return parse(line, { delimiter, relax_quotes: true, trim: true })[0] ?? []
  } catch {
    return []
  }
}

const delimiterOf = (line: string): string =>
  delimiters.reduce((best, one) => (line.split(one).length > line.split(best).length ? one : best))

/** The lines with `#` at the beginning of a document. */
const LEADING_COMMENTS = /^(?:#[^\r\n]*(?:\r?\n|\r|$))+/

/**
 * Moves the header of a document that begins with `#` lines to its first line. The header is the last `#` line if it names as
 * many columns as the first row has (or if there is no row), else the line after it.
 */
const withHeaderFirst = (text: string): string => {
  const [comments = ""] = LEADING_COMMENTS.exec(text) ?? []
  if (comments === "") return text
  const rest = text.slice(comments.length)
  const last = (
    comments
      .trimEnd()
      .split(/[\r\n]+/)
      .at(-1) ?? ""
  ).replace(/^#+\s*/, "")
  const first = rest.slice(0, rest.search(/[\r\n]|$/))
  const names = fieldsOf(last, delimiterOf(last)).length
  return names > 1 && (first === "" || names === fieldsOf(first, delimiterOf(last)).length) ? `${last}\n${rest}` : rest
}

/**
 * Reads a CSV document with any of the usual delimiters. Its header may be the last of the `#` lines before the rows; other
 * `#` lines are comments. A row with a wrong number of columns has no cell, so that it is counted as one that cannot be
 * read; many of them refuse the document. Throws if there is no table.
 */
export const parseCsv = (document: string): CsvTable => {
  const text = withHeaderFirst(document)
  const headerText = text.slice(0, text.search(/[\r\n]|$/))
  // An error page or error object with status 200 also has line breaks and commas.
  if (/^\s*[<{[]/.test(headerText)) throw new Error("markup or JSON where a CSV header was expected")
  const delimiter = delimiterOf(headerText)
  const [header = [], ...rows]: ReadonlyArray<ReadonlyArray<string>> = parse(text, {
    delimiter,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    // Only in documents with such lines; in others a value may begin with `#`.
    ...(text === document ? {} : { comment: "#", comment_no_infix: true }),
    trim: true,
    to: CSV_MAX_ROWS + 2,
  })
  const columns = header.map((name) => name.trim())
  if (columns.length < 2) throw new Error("a CSV header of one column: most likely an error text")
  if (new Set(columns).size !== columns.length) throw new Error("a CSV header names a column twice")
  if (rows.length > CSV_MAX_ROWS) throw new Error(`more than ${CSV_MAX_ROWS} rows`)
  const isWhole = (row: ReadonlyArray<string>) => row.length === columns.length
  const ragged = rows.length - rows.filter(isWhole).length
  if (ragged > Math.max(1, rows.length * CSV_RAGGED_SHARE_MAX))
    throw new Error(`${ragged} of ${rows.length} rows have a wrong number of columns`)
  return {
    columns,
    rows: rows.map((row) =>
      isWhole(row) ? Object.fromEntries(columns.map((name, index) => [name, row[index] ?? ""])) : {},
    ),
  }
}

/**
 * Wire schema of a CSV document: `{ columns, rows }`, the rows decoded by `row` (every cell is text). The header must
 * name all of `columns`, so that an error text is not read as an empty table.
 */
export const csvTable = <Row>(
  columns: ReadonlyArray<string>,
  row: Schema.Codec<Row, unknown>,
): Schema.Codec<{ readonly columns: ReadonlyArray<string>; readonly rows: ReadonlyArray<Row> }, unknown> =>
  Schema.Struct({
    columns: Schema.Array(Schema.String).check(
      Schema.makeFilter(
        (found: ReadonlyArray<string>) => columns.every((name) => found.includes(name)) || "the header lacks a column",
      ),
    ),
    rows: Schema.Array(row),
  })
