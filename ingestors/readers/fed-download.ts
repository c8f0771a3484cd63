import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"

/** The rows of a file of the Federal Reserve's Data Download Program: each series by its name, with its days and values as text. */
export interface FedDownload {
  readonly series: Readonly<Record<string, ReadonlyArray<{ readonly date: string; readonly value: string }>>>
}

type Table = {
  readonly columns: ReadonlyArray<string>
  readonly rows: ReadonlyArray<Readonly<Record<string, string>>>
}

/** The number that stands for a missing value, as does "ND". */
const NO_NUMBER = /^-9999(\.0*)?$/

/** Five rows describe the columns; the sixth, "Time Period", names their series, and the days follow. Null for another file. */
const seriesOf = ({ columns, rows }: Table): FedDownload["series"] | null => {
  const cells = rows.map((row) => columns.map((name) => row[name] ?? ""))
  const at = cells.findIndex(([first]) => /^time period$/i.test(first ?? ""))
  const [, ...names] = cells[at] ?? []
  if (at === -1 || names.length === 0) return null
  const days = cells.slice(at + 1)
  return Object.fromEntries(
    names.map((name, column) => [
      name,
      days.map(([date = "", ...values]) => {
        const value = values[column] ?? ""
        return { date, value: NO_NUMBER.test(value) ? "ND" : value }
      }),
    ]),
  )
}

/** Wire schema of such a file, in the layout of a column for each series. */
export const FedDownload: Schema.Codec<FedDownload, unknown> = Schema.Struct({
  columns: Schema.Array(Schema.String),
  rows: Schema.Array(Schema.Record(Schema.String, Schema.String)),
})
  .check(Schema.makeFilter((table) => seriesOf(table) !== null || "no row names the series"))
  .pipe(
    Schema.decodeTo(
      Schema.Struct({
        series: Schema.Record(
          Schema.String,
          Schema.Array(Schema.Struct({ date: Schema.String, value: Schema.String })),
        ),
      }),
      {
        decode: SchemaGetter.transform((table): FedDownload => ({ series: seriesOf(table) ?? {} })),
        encode: SchemaGetter.forbidden(() => "a file is read only"),
      },
    ),
  )
