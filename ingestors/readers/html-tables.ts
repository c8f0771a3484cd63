import { Parser } from "htmlparser2"

/** A table of a document: rows of cells as text, including the header. */
type Grid = ReadonlyArray<ReadonlyArray<string>>

/** Limits of a document of tables; a larger one is refused. */
const TABLES_MAX = 200
const ROWS_MAX = 20_000
const CELLS_PER_ROW_MAX = 200
/** Longer cells are cut. */
const CELL_MAX_CHARACTERS = 10_000

/** The maximum nesting depth of elements. */
const DEPTH_MAX = 256
/** The maximum number of columns or rows that a cell spans. */
const SPAN_MAX = 50
/** Elements whose text is not shown. */
const UNSEEN = new Set(["script", "style", "template", "noscript"])

/** A table whose end tag has not been read. */
interface OpenTable {
  readonly rows: Array<Array<string>>
  /** Cells that span rows: by column, the text and the number of rows that it still fills. */
  readonly spanning: Map<number, { readonly text: string; rowsLeft: number }>
  row: Array<string> | null
  cell: { text: string; readonly columns: number; readonly rows: number } | null
}

const spanOf = (text: string | undefined): number => {
  const span = /^\d{1,4}$/.test(text ?? "") ? Number(text) : 1
  return Math.min(SPAN_MAX, Math.max(1, span))
}

/** Fills the next columns of the open row with cells that span rows. */
const fillFromAbove = ({ row, spanning }: OpenTable): void => {
  for (let above = row === null ? undefined : spanning.get(row.length); above !== undefined; ) {
    row?.push(above.text)
    above.rowsLeft -= 1
    const column = (row?.length ?? 1) - 1
    if (above.rowsLeft === 0) spanning.delete(column)
    above = spanning.get(column + 1)
  }
}

const closeCell = (table: OpenTable): void => {
  const { row, cell } = table
  table.cell = null
  if (row === null || cell === null) return
  const text = cell.text.replaceAll(/\s+/g, " ").trim()
  for (let column = 0; column < cell.columns; column++) {
    fillFromAbove(table)
    if (cell.rows > 1) table.spanning.set(row.length, { text, rowsLeft: cell.rows - 1 })
    row.push(text)
    if (row.length > CELLS_PER_ROW_MAX) throw new Error(`a row has more than ${CELLS_PER_ROW_MAX} cells`)
  }
}

const closeRow = (table: OpenTable): void => {
  closeCell(table)
  fillFromAbove(table)
  if (table.row !== null && table.row.length > 0) table.rows.push(table.row)
  if (table.rows.length > ROWS_MAX) throw new Error(`a table has more than ${ROWS_MAX} rows`)
  table.row = null
}

/**
 * The tables of an HTML document, in the order in which they begin. A cell that spans columns or rows is repeated
 * in each of them; a nested table is a table of its own; texts of elements are separated by a space. Missing end tags are
 * implied as in HTML. Throws if the document exceeds its bounds.
 */
export const htmlTables = (html: string): ReadonlyArray<Grid> => {
  const tables: Array<OpenTable> = []
  const open: Array<OpenTable> = []
  let [depth, unseen] = [0, 0]
  const openRow = (table: OpenTable): void => {
    closeRow(table)
    table.row = []
  }
  const parser = new Parser({
    onopentag: (name, attributes) => {
      depth += 1
      if (depth > DEPTH_MAX) throw new Error(`nested deeper than ${DEPTH_MAX}`)
      if (UNSEEN.has(name)) unseen += 1
      const around = open.at(-1)
      if (around?.cell != null) around.cell.text += " "
      if (name === "table") {
        const table: OpenTable = { rows: [], spanning: new Map(), row: null, cell: null }
        if (tables.push(table) > TABLES_MAX) throw new Error(`more than ${TABLES_MAX} tables`)
        open.push(table)
        return
      }
      if (around === undefined) return
      if (name === "tr") openRow(around)
      else if (name === "td" || name === "th") {
        if (around.row === null) openRow(around)
        closeCell(around)
        around.cell = { text: "", columns: spanOf(attributes.colspan), rows: spanOf(attributes.rowspan) }
      }
    },
    ontext: (text) => {
      const cell = open.at(-1)?.cell
      if (unseen === 0 && cell != null && cell.text.length < CELL_MAX_CHARACTERS)
        cell.text = (cell.text + text).slice(0, CELL_MAX_CHARACTERS)
    },
    onclosetag: (name) => {
      depth -= 1
      if (UNSEEN.has(name)) unseen -= 1
      const table = open.at(-1)
      if (table === undefined) return
      if (name === "td" || name === "th") closeCell(table)
      else if (name === "tr") closeRow(table)
      else if (name === "table") {
        closeRow(table)
        open.pop()
      } else if (table.cell !== null) table.cell.text += " "
    },
  })
  parser.end(html)
  return tables.map(({ rows }) => rows)
}
