import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type BitcoinPrice, btcPrice } from "../../schemas/feeds/btc-price.ts"
import { rounded } from "../../schemas/number.ts"
import { document, UpstreamError } from "../document.ts"
import { positive, priceRange } from "../readers/numbers.ts"
import { Decimal, IsoTime, maybe } from "../readers/wire.ts"
import { valueSource } from "../source.ts"
import { termsOf } from "../terms.ts"

const PRODUCT = "https://api.exchange.coinbase.com/products/BTC-USD"

/** Last trade: https://docs.cdp.coinbase.com/exchange/reference/exchangerestapi_getproductticker */
const Ticker = Schema.Struct({ price: Decimal, volume: maybe(Decimal), time: maybe(IsoTime) })

/** Rolling 24 hours; old answers lack `last`, and volumes are counted in bitcoin. */
const Stats = Schema.Struct({
  open: maybe(Decimal),
  high: maybe(Decimal),
  low: maybe(Decimal),
  last: maybe(Decimal),
  volume: maybe(Decimal),
}).check(
  // Every member may be missing, but an object without any of them is something else, such as an error.
  Schema.makeFilter(
    ({ open, high, low, last }) => [open, high, low, last].some((one) => one != null) || "no statistics at all",
  ),
)

const ticker = document({ format: "json", wire: Ticker, url: `${PRODUCT}/ticker` })
const stats = document({ format: "json", wire: Stats, url: `${PRODUCT}/stats` })

/** The statistics are some seconds older than the price: a new high or low may be this share beyond theirs. */
const NEWER_SHARE_MAX = 0.01

/** A bound of the statistics, moved to a newer price that lies a little beyond it. */
const movedTo = (price: number, bound: number | null): number | null =>
  bound !== null && Math.abs(price - bound) <= bound * NEWER_SHARE_MAX ? price : bound

export default valueSource({
  name: "coinbase-exchange",
  provider: "Coinbase.btc",
  fills: btcPrice,
  every: "15 seconds",
  documents: { ticker, stats },
  collect: (upstream) =>
    Effect.all(
      { ticker: upstream.fetch(ticker, undefined), stats: upstream.fetch(stats, undefined) },
      { concurrency: "unbounded" },
    ),
  normalise: (collected) => {
    // The statistics are cached a few seconds longer than the ticker, so the price is the ticker's.
    const price = positive(collected.ticker.price)
    if (price === null) return new UpstreamError({ message: "the price is not above zero" })
    const open = positive(collected.stats.open)
    const [high, low] = [positive(collected.stats.high), positive(collected.stats.low)]
    const range = priceRange(
      price,
      high !== null && price > high ? movedTo(price, high) : high,
      low !== null && price < low ? movedTo(price, low) : low,
    )
    const volume = collected.stats.volume ?? collected.ticker.volume ?? null
    return {
      payload: {
        currency: "USD",
        price,
        change24hPercent: open === null ? null : rounded(((price - open) / open) * 100, 4),
        high24h: range.high,
        low24h: range.low,
        volume24h: volume === null || volume < 0 ? null : rounded(volume * price, 2),
      } satisfies BitcoinPrice,
      contentAtMs: collected.ticker.time ?? null,
    }
  },
  attribution: {
    provider: "Coinbase Exchange",
    licence: "Coinbase market data terms of use",
    url: "https://docs.cdp.coinbase.com/exchange/",
  },
  terms: termsOf({ use: "provider", url: "https://www.coinbase.com/legal/market_data", sold: "no" }),
})
