import { CELL_CHARACTERS_MAX, CELLS_PER_ROW_MAX, type Grid, ROWS_MAX, TABLES_MAX } from "./tables.ts"

/** A cell of the delimiter row: dashes, with colons for alignment. */
const DASHES = /^:?-+:?$/
const LINK = /!?\[([^\]]{0,1000})\]\([^)]{0,2000}\)/g
const EMPHASIS = /\*\*|__|`|(?<!\\)\*/g

/** The visible text of a cell: links by their text, emphasis without its marks. */
const shown = (cell: string): string =>
  cell
    .slice(0, CELL_CHARACTERS_MAX)
    .replaceAll(LINK, "$1")
    .replaceAll(EMPHASIS, "")
    .replaceAll(/\\([\\|*_`])/g, "$1")
    .trim()

/** The raw cells of a line; an escaped bar is part of its cell. */
const writtenCells = (line: string): ReadonlyArray<string> =>
  line
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "")
    .split(/(?<!\\)\|/)

const cellsOf = (line: string): ReadonlyArray<string> => {
  const cells = writtenCells(line)
  if (cells.length > CELLS_PER_ROW_MAX) throw new Error(`a row has more than ${CELLS_PER_ROW_MAX} cells`)
  return cells.map(shown)
}

/** Whether a line is a delimiter row, which every table has under its header. */
const isDelimiterRow = (line: string): boolean => writtenCells(line).every((cell) => DASHES.test(cell.trim()))

/**
 * The tables of a Markdown document in GitHub's form: a header, a delimiter row, rows up to a line without a bar. Throws if
 * the document exceeds its bounds. No Markdown library: the form is read line by line, without the rest of the language.
 */
export const markdownTables = (markdown: string): ReadonlyArray<Grid> => {
  const tables: Array<Grid> = []
  let header: string | null = null
  let rows: Array<ReadonlyArray<string>> | null = null
  for (const line of markdown.split(/\r\n|\r|\n/)) {
    if (rows !== null && line.includes("|")) {
      rows.push(cellsOf(line))
      if (rows.length > ROWS_MAX) throw new Error(`a table has more than ${ROWS_MAX} rows`)
    } else if (header !== null && isDelimiterRow(line)) {
      rows = [cellsOf(header)]
      if (tables.push(rows) > TABLES_MAX) throw new Error(`more than ${TABLES_MAX} tables`)
    } else rows = null
    header = rows === null && line.includes("|") ? line : null
  }
  return tables
}
