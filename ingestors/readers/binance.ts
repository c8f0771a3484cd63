import * as Schema from "effect/Schema"
import { termsOf } from "../terms.ts"
import { Decimal, maybe } from "./wire.ts"

/**
 * The members of the rolling 24 hours of a pair that both forms of a ticker have:
 * https://developers.binance.com/docs/binance-spot-api-docs/rest-api/market-data-endpoints
 */
export const tickerMembers = {
  symbol: Schema.NonEmptyString,
  lastPrice: Decimal,
  openPrice: maybe(Decimal),
  highPrice: maybe(Decimal),
  lowPrice: maybe(Decimal),
  /** Absent in the short form. */
  priceChangePercent: maybe(Decimal),
  /** Counted in the quote currency. */
  quoteVolume: maybe(Decimal),
}

/** What the sources of this venue declare alike; `docs` is the documentation of the market, below that of all of them. */
export const binanceData = (docs: string) => ({
  attribution: {
    provider: "Binance",
    licence: "Binance API terms of use",
    url: `https://developers.binance.com/docs/${docs}/`,
  },
  terms: termsOf({
    use: "restricted",
    url: "https://www.binance.com/en/terms",
    clause: "clause 27: personal or internal business use",
    sold: "no",
  }),
})
