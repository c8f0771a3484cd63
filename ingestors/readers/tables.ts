import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"

/** A table of a document: rows of cells as text, including the header. */
export type Grid = ReadonlyArray<ReadonlyArray<string>>

/** Limits of a document of tables; a larger one is refused. */
export const TABLES_MAX = 200
export const ROWS_MAX = 20_000
export const CELLS_PER_ROW_MAX = 200
/** Longer cells are cut. */
export const CELL_CHARACTERS_MAX = 10_000

/** The header is searched for in this many rows, since some tables begin with a caption or a row of groups. */
const HEADER_ROW_MAX = 5

const plain = (text: string): string => text.toLowerCase().replaceAll(/\s+/g, " ")

/** The column index of each header word in a row; null if a word has no column of its own. */
const columnsOf = (row: ReadonlyArray<string>, words: ReadonlyArray<string>): ReadonlyArray<number> | null => {
  const cells = row.map(plain)
  const columns = words.map((word) => {
    const exact = cells.indexOf(plain(word))
    return exact === -1 ? cells.findIndex((cell) => cell.includes(plain(word))) : exact
  })
  return columns.includes(-1) || new Set(columns).size < columns.length ? null : columns
}

/** The rows of the first table whose header holds all words, each as an object by member name; null without such a table. */
const rowsBelow = (
  grids: ReadonlyArray<Grid>,
  headers: Readonly<Record<string, string>>,
): ReadonlyArray<Readonly<Record<string, string>>> | null => {
  const names = Object.keys(headers)
  for (const grid of grids)
    for (const [index, row] of grid.slice(0, HEADER_ROW_MAX).entries()) {
      const columns = columnsOf(row, Object.values(headers))
      if (columns !== null)
        return grid
          .slice(index + 1)
          .map((cells) => Object.fromEntries(names.map((name, at) => [name, cells[columns[at] ?? -1] ?? ""])))
    }
  return null
}

/**
 * Wire schema of one table among those of an HTML or Markdown document: the first whose header has, for each member of
 * `headers`, a column that holds its word (in any case; an exact match wins over a longer header). Its rows, decoded
 * by `row`, have these members as text, empty if a cell is missing. Other columns and the order of columns do not matter.
 */
export const tableUnder = <Row>(
  headers: Readonly<Record<string, string>>,
  row: Schema.Codec<Row, unknown>,
): Schema.Codec<ReadonlyArray<Row>, unknown> =>
  Schema.Array(Schema.Array(Schema.Array(Schema.String)))
    .check(Schema.makeFilter((grids) => rowsBelow(grids, headers) !== null || "no table has these columns"))
    .pipe(
      Schema.decodeTo(Schema.Array(row), {
        decode: SchemaGetter.transform((grids): ReadonlyArray<unknown> => rowsBelow(grids, headers) ?? []),
        encode: SchemaGetter.forbidden(() => "a table is read only"),
      }),
    )
