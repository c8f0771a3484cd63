import * as Schema from "effect/Schema"
import { recordedDocuments } from "../../ingestors/captures.ts"
import { document } from "../../ingestors/document.ts"
import { Decimal, EpochSeconds } from "../../ingestors/readers/wire.ts"
import coinbaseExchange from "../../ingestors/sources/coinbase-exchange.ts"

/** Time, low, high, open, close, volume; newest first. */
const Candles = Schema.Array(Schema.Tuple([EpochSeconds, Decimal, Decimal, Decimal, Decimal, Decimal]))

const candles = document({
  format: "json",
  wire: Candles,
  url: "https://api.exchange.coinbase.com/products/BTC-USD/candles?granularity=60",
})

export default recordedDocuments(coinbaseExchange, { candles })
