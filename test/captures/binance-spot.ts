import * as Schema from "effect/Schema"
import { recordedDocuments } from "../../ingestors/captures.ts"
import { document } from "../../ingestors/document.ts"
import { Decimal, EpochMs } from "../../ingestors/readers/wire.ts"
import binanceSpot, { Ticker } from "../../ingestors/sources/binance-spot.ts"

/** Open time, open, high, low, close, volume, close time, turnover, number of trades, and the takers' shares. */
const Candle = Schema.TupleWithRest(
  Schema.Tuple([EpochMs, Decimal, Decimal, Decimal, Decimal, Decimal, EpochMs, Decimal, Schema.Natural]),
  [Schema.Unknown],
)

const API = "https://api.binance.com/api/v3"
/** All symbols at once. */
const tickers = document({ format: "json", wire: Schema.Array(Ticker), url: `${API}/ticker/24hr` })
const candles = document({
  format: "json",
  wire: Schema.Array(Candle),
  url: `${API}/klines?symbol=BTCUSDT&interval=1m&limit=500`,
})

export default recordedDocuments(binanceSpot, { tickers, candles })
