import * as Schema from "effect/Schema"
import { recordedDocuments } from "../../ingestors/captures.ts"
import { document } from "../../ingestors/document.ts"
import kalshi from "../../ingestors/sources/kalshi.ts"

/** https://docs.kalshi.com/api-reference/market/get-market */
const market = document({
  format: "json",
  wire: Schema.Struct({ market: Schema.Struct({ ticker: Schema.NonEmptyString, status: Schema.String }) }),
  url: (ticker: string) => `https://api.elections.kalshi.com/trade-api/v2/markets/${encodeURIComponent(ticker)}`,
})

export default recordedDocuments(kalshi, { market })
