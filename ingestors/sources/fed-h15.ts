import * as Effect from "effect/Effect"
import { ECONOMIC_NUMBERS_MAX, factsOfSeries } from "../../schemas/feeds/economic-series.ts"
import { type CollectFailed, document, UpstreamError } from "../document.ts"
import { type SeriesRows, seriesSource } from "../readers/economic-series.ts"
import { FedDownload } from "../readers/fed-download.ts"
import { openTerms } from "../terms.ts"

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
