import * as Schema from "effect/Schema"
import { type BitcoinPrice, btcPrice } from "../../schemas/feeds/btc-price.ts"
import { rounded } from "../../schemas/number.ts"
import { document, UpstreamError } from "../document.ts"
import { binanceData, tickerMembers } from "../readers/binance.ts"
import { positive, priceRange } from "../readers/numbers.ts"
import { EpochMs, maybe } from "../readers/wire.ts"
import { valueSource } from "../source.ts"

/** The 24 hours of one symbol. */
export const Ticker = Schema.Struct({ ...tickerMembers, closeTime: maybe(EpochMs) })

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
  ...binanceData("binance-spot-api-docs"),
})
