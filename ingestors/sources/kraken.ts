import * as Schema from "effect/Schema"
import { type BitcoinPrice, btcPrice } from "../../schemas/feeds/btc-price.ts"
import { rounded } from "../../schemas/number.ts"
import { document, UpstreamError } from "../document.ts"
import { positive, priceRange } from "../readers/numbers.ts"
import { Decimal, maybe } from "../readers/wire.ts"
import { valueSource } from "../source.ts"
import { termsOf } from "../terms.ts"

/** Of today since 00:00 UTC, and of the last 24 hours. */
const TodayAnd24h = Schema.TupleWithRest(Schema.Tuple([Decimal, Decimal]), [Schema.Unknown])

/** https://docs.kraken.com/api/docs/rest-api/get-ticker-information; `o` is today's opening price, so it is not used. */
const Pair = Schema.Struct({
  c: Schema.TupleWithRest(Schema.Tuple([Decimal]), [Schema.Unknown]),
  v: maybe(TodayAnd24h),
  p: maybe(TodayAnd24h),
  l: maybe(TodayAnd24h),
  h: maybe(TodayAnd24h),
})

/** Errors come with status 200, and then without a result. */
const Ticker = Schema.Struct({
  error: Schema.Array(Schema.String),
  result: maybe(Schema.Record(Schema.String, Pair)),
})

const ticker = document({
  format: "json",
  wire: Ticker,
  url: "https://api.kraken.com/0/public/Ticker?pair=XBTUSD",
})

/** The answer names the pair differently from the request; the names differ by asset version. */
const NAMES = ["XXBTZUSD", "XBTUSD", "BTC/USD", "XBT/USD"] as const

export default valueSource({
  name: "kraken",
  provider: "Kraken.btc",
  fills: btcPrice,
  rank: 2,
  every: "15 seconds",
  documents: { ticker },
  collect: (upstream) => upstream.fetch(ticker, undefined),
  normalise: ({ error, result }) => {
    if (error.length > 0) return new UpstreamError({ message: "the answer is an error" })
    const pair = NAMES.flatMap((name) => result?.[name] ?? [])[0]
    const price = positive(pair?.c[0])
    if (pair === undefined || price === null)
      return new UpstreamError({ message: "the answer holds no price of bitcoin" })
    const volume = pair.v?.[1]
    const range = priceRange(price, positive(pair.h?.[1]), positive(pair.l?.[1]))
    const average = positive(pair.p?.[1])
    return {
      payload: {
        currency: "USD",
        price,
        // The answer has no price of 24 hours ago, and the change since midnight is a different quantity.
        change24hPercent: null,
        high24h: range.high,
        low24h: range.low,
        // Volume times its own weighted average is the turnover, exactly.
        volume24h: volume === undefined || volume < 0 || average === null ? null : rounded(volume * average, 2),
      } satisfies BitcoinPrice,
      contentAtMs: null,
    }
  },
  attribution: { provider: "Kraken", licence: "Kraken API terms of use", url: "https://docs.kraken.com/api/" },
  terms: termsOf({ use: "provider", url: "https://www.kraken.com/legal" }),
})
