import * as Schema from "effect/Schema"
import { type BitcoinPrice, btcPrice } from "../../schemas/feeds/btc-price.ts"
import { rounded } from "../../schemas/number.ts"
import { document, UpstreamError } from "../document.ts"
import { positive, priceRange } from "../readers/numbers.ts"
import { Decimal, EpochMs, maybe } from "../readers/wire.ts"
import { valueSource } from "../source.ts"
import { termsOf } from "../terms.ts"

/** Rolling 24 hours of one symbol: https://developers.binance.com/docs/binance-spot-api-docs/rest-api/market-data-endpoints */
export const Ticker = Schema.Struct({
  symbol: Schema.NonEmptyString,
  lastPrice: Decimal,
  openPrice: maybe(Decimal),
  highPrice: maybe(Decimal),
  lowPrice: maybe(Decimal),
  /** Absent in the short form. */
  priceChangePercent: maybe(Decimal),
  /** Counted in the quote currency. */
  quoteVolume: maybe(Decimal),
  closeTime: maybe(EpochMs),
})

const SYMBOL = "BTCUSDT"

const ticker = document({
  format: "json",
  wire: Ticker,
  url: `https://api.binance.com/api/v3/ticker/24hr?symbol=${SYMBOL}`,
})
export default valueSource({
  name: "binance-spot",
  provider: "Binance.btc",
  fills: btcPrice,
  rank: 3,
  every: "15 seconds",
  documents: { ticker },
  collect: (upstream) => upstream.fetch(ticker, undefined),
  normalise: ({ symbol, lastPrice, openPrice, highPrice, lowPrice, priceChangePercent, quoteVolume, closeTime }) => {
    const price = positive(lastPrice)
    // A pair that is halted or just listed has zeros for prices.
    if (symbol !== SYMBOL || price === null)
      return new UpstreamError({ message: "the answer holds no price of bitcoin" })
    const open = positive(openPrice)
    const range = priceRange(price, positive(highPrice), positive(lowPrice))
    return {
      payload: {
        currency: "USDT",
        price,
        change24hPercent: priceChangePercent ?? (open === null ? null : rounded(((price - open) / open) * 100, 4)),
        high24h: range.high,
        low24h: range.low,
        volume24h:
          quoteVolume === null || quoteVolume === undefined || quoteVolume < 0 ? null : rounded(quoteVolume, 2),
      } satisfies BitcoinPrice,
      contentAtMs: closeTime ?? null,
    }
  },
  attribution: {
    provider: "Binance",
    licence: "Binance API terms of use",
    url: "https://developers.binance.com/docs/binance-spot-api-docs/",
  },
  terms: termsOf({
    use: "restricted",
    url: "https://www.binance.com/en/terms",
    clause: "clause 27: personal or internal business use",
    sold: "no",
  }),
})
