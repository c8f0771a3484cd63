import * as Schema from "effect/Schema"
import { recordedDocuments } from "../../ingestors/captures.ts"
import { document } from "../../ingestors/document.ts"
import polymarketGamma, { Market } from "../../ingestors/sources/polymarket-gamma.ts"

const API = "https://gamma-api.polymarket.com"

const market = document({
  format: "json",
  wire: Market,
  url: (id: string) => `${API}/markets/${encodeURIComponent(id)}`,
})
/** Markets grouped by the event that they are about. */
const events = document({
  format: "json",
  wire: Schema.Array(Schema.Struct({ slug: Schema.String, markets: Schema.Array(Market) })),
  url: `${API}/events?active=true&closed=false`,
})

export default recordedDocuments(polymarketGamma, { market, events })
