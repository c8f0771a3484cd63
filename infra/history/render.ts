/** Columns and rows of a result, in ClickHouse's format JSONCompact. */
export interface QueryResult {
  readonly meta: ReadonlyArray<{ readonly name: string; readonly type: string }>
  readonly data: ReadonlyArray<ReadonlyArray<unknown>>
}

/** Wider cells are truncated, so that a payload does not fill the screen. */
const CELL_CHARACTERS_MAX = 80
const NUMBER = /^(?:Nullable\()?(?:U?Int|Float|Decimal)/
// Control characters in stored text must not reach a terminal.
const CONTROL = /\p{Cc}|\p{Cf}/gu

const cell = (value: unknown): string => {
  const text = value === null ? "NULL" : typeof value === "object" ? JSON.stringify(value) : String(value)
  const clean = text.replaceAll(CONTROL, " ")
  return clean.length > CELL_CHARACTERS_MAX ? `${clean.slice(0, CELL_CHARACTERS_MAX - 1)}…` : clean
}

/** Renders a result as a text table: column names above, numbers aligned right, and the number of rows below. */
export const renderTable = ({ meta, data }: QueryResult): string => {
  const rows = data.map((row) => row.map(cell))
  const widths = meta.map(({ name }, index) => Math.max(name.length, ...rows.map((row) => row[index]?.length ?? 0)))
  const line = (cells: ReadonlyArray<string>) =>
    cells
      .map((text, index) => {
        const width = widths[index] ?? 0
        return NUMBER.test(meta[index]?.type ?? "") ? text.padStart(width) : text.padEnd(width)
      })
      .join("  ")
      .trimEnd()
  const rule = widths.map((width) => "─".repeat(width)).join("  ")
  const count = data.length === 1 ? "1 row" : `${data.length} rows`
  return [line(meta.map(({ name }) => name)), rule, ...rows.map(line), "", count].join("\n")
}
