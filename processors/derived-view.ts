import type { TableColumn } from "../schemas/contract/provenance.ts"

/** A view of ClickHouse that is made of the DDL of a table, and of no file of its own. */
export interface DerivedView {
  readonly name: string
  readonly comment: string
  readonly columns: ReadonlyArray<TableColumn>
  /** The statement that creates it, also in place of an earlier one. */
  readonly sql: string
}

/** A text as a literal of SQL. */
export const quoted = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`

/** A view of these columns, each with its comment; `select` gives them by their names. */
export const derivedView = ({ name, comment, columns }: Omit<DerivedView, "sql">, select: string): DerivedView => ({
  name,
  comment,
  columns,
  sql: `CREATE OR REPLACE VIEW ${name}
(
${columns.map((column) => `    ${column.name} ${column.type} COMMENT ${quoted(column.comment)}`).join(",\n")}
)
AS ${select}
COMMENT ${quoted(comment)}`,
})
