import * as Schema from "effect/Schema"
import { recordedDocuments } from "../../ingestors/captures.ts"
import { document } from "../../ingestors/document.ts"
import coingecko from "../../ingestors/sources/coingecko.ts"

/** https://docs.coingecko.com/reference/simple-price Prices by coin and currency. */
const simplePrice = document({
  format: "json",
  wire: Schema.Record(Schema.String, Schema.Record(Schema.String, Schema.Finite)),
  url: "https://api.coingecko.com/api/v3/simple/price?ids=bitcoin&vs_currencies=usd",
})

export default recordedDocuments(coingecko, { simplePrice })
