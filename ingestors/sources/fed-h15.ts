import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import { ECONOMIC_NUMBERS_MAX, factsOfSeries } from "../../schemas/feeds/economic-series.ts"
import { type CollectFailed, document, UpstreamError } from "../document.ts"
import { type SeriesRows, seriesSource } from "../readers/economic-series.ts"
import { openTerms } from "../terms.ts"

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

/** The Treasury's curve as the Board repeats it, a business day later. */
const names = { DGS2: "RIFLGFCY02_N.B", DGS10: "RIFLGFCY10_N.B" } as const

/** Rows of holidays, which hold "ND", are rows too. The program is being retired: this source is a stand-in alone. */
const maturities = document({
  format: "csv",
  wire: FedDownload,
  url: `https://www.federalreserve.gov/datadownload/Output.aspx?rel=H15&series=bf17364827e38702b42a58cf8eaa3f78&lastobs=${ECONOMIC_NUMBERS_MAX + 10}&from=&to=&filetype=csv&label=include&layout=seriescolumn&type=package`,
  sharedForMs: 10 * 60_000,
})

export default seriesSource({
  name: "fed-h15",
  organisation: "FederalReserve",
  series: ["DGS10", "DGS2"],
  rank: 2,
  every: "2 hours",
  documents: { maturities },
  collect: (upstream, { parameters }): Effect.Effect<SeriesRows, CollectFailed> => {
    const { id } = factsOfSeries(parameters)
    return Effect.flatMap(
      upstream.fetch(maturities, undefined),
      ({ series }): Effect.Effect<SeriesRows, UpstreamError> => {
        const rows = series[id === "DGS2" ? names.DGS2 : names.DGS10]
        return rows === undefined
          ? Effect.fail(new UpstreamError({ message: "the file lacks the series that was asked for" }))
          : Effect.succeed({ rows })
      },
    )
  },
  attribution: {
    provider: "Board of Governors of the Federal Reserve System, H.15",
    licence: "Public domain (U.S. Government work)",
    url: "https://www.federalreserve.gov/releases/h15/",
  },
  terms: openTerms(
    "https://www.federalreserve.gov/disclaimer.htm",
    "public domain unless otherwise indicated; citation is requested",
    {
      credit: "Source: Board of Governors of the Federal Reserve System (US), H.15",
    },
  ),
})
