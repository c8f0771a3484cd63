import * as Schema from "effect/Schema"
import { dayOf } from "../../schemas/day.ts"
import { btcCandles, candleEndMs } from "../../schemas/feeds/btc-candles.ts"
import { document } from "../document.ts"
import { notOurs, unreadable } from "../poll/read.ts"
import { instantOrNull, isAhead, latestOf } from "../readers/instants.ts"
import { Decimal, EpochSeconds } from "../readers/wire.ts"
import { listSource } from "../source.ts"
import { termsOf } from "../terms.ts"

/** Time, low, high, open, close, volume: https://docs.cdp.coinbase.com/exchange/reference/exchangerestapi_getproductcandles */
const Candle = Schema.TupleWithRest(Schema.Tuple([EpochSeconds, Decimal, Decimal, Decimal, Decimal, Decimal]), [
  Schema.Unknown,
])

/** A candle, and when the newest of its answer begins. */
const Row = Schema.Struct({ candle: Candle, newestSeconds: Schema.Finite })

const DAY_SECONDS = 86_400

/** When a candle begins, seconds since the epoch; 0 for a row that is no candle. */
const secondsOf = (row: unknown): number => (Array.isArray(row) ? Number(row[0]) || 0 : 0)

/** The newest first, 300 at most. */
const candles = document({
  format: "json",
  wire: Schema.Array(Schema.Unknown),
  url: `https://api.exchange.coinbase.com/products/BTC-USD/candles?granularity=${DAY_SECONDS}`,
})

export default listSource({
  name: "coinbase-candles",
  recordedIn: "coinbase-exchange",
  provider: "Coinbase.btc_candles",
  fills: btcCandles,
  every: "1 hour",
  documents: { candles },
  collect: (upstream) => upstream.fetch(candles, undefined),
  rows: (collected, { observedAtMs }) => {
    // A candle of the future does not count as the newest.
    const newestSeconds = latestOf(collected.map(secondsOf).filter((seconds) => seconds * 1000 <= observedAtMs))
    return collected.map((candle) => ({ candle, newestSeconds }))
  },
  row: Row,
  toItem: ({ candle: [seconds, low, high, open, close, volumeBtc], newestSeconds }, { observedAtMs }) => {
    // A candle of a day begins at midnight UTC; another start means candles of another length.
    const begin = seconds % DAY_SECONDS === 0 ? instantOrNull(seconds * 1000) : null
    if (begin === null) return unreadable("it does not begin with a day")
    if (isAhead(begin, observedAtMs)) return unreadable("its day lies in the future")
    // The newest candle is that of the current day, whose close is not known yet. A day is over once a later candle exists.
    return seconds >= newestSeconds ? notOurs : { day: dayOf(seconds * 1000), low, high, open, close, volumeBtc }
  },
  contentAtMs: (_, read) => (read.length === 0 ? null : latestOf(read.map(({ item }) => candleEndMs(item)))),
  attribution: {
    provider: "Coinbase Exchange",
    licence: "Coinbase market data terms of use",
    url: "https://docs.cdp.coinbase.com/exchange/",
  },
  terms: termsOf({ use: "provider", url: "https://www.coinbase.com/legal/market_data", sold: "no" }),
})
