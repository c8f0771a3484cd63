import { Effect, Schema } from "effect"
import { type BitcoinPrice, bitcoinPrice } from "../../schemas/feeds/bitcoin-price.ts"
import { rounded } from "../../schemas/number.ts"
import { document, source, UpstreamError } from "../source.ts"
import { Decimal, EpochSeconds, IsoTime, maybe } from "../wire.ts"

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

/** Time, low, high, open, close, volume; newest first. */
const Candles = Schema.Array(Schema.Tuple([EpochSeconds, Decimal, Decimal, Decimal, Decimal, Decimal]))

const ticker = document({ format: "json", wire: Ticker, url: `${PRODUCT}/ticker` })
const stats = document({ format: "json", wire: Stats, url: `${PRODUCT}/stats` })
const candles = document({ format: "json", wire: Candles, url: `${PRODUCT}/candles?granularity=60` })

/** A price or a volume as told, or null: zero is what a halted market says of its prices. */
const positive = (value: number | null | undefined): number | null =>
  value !== null && value !== undefined && value > 0 ? value : null

export default source({
  name: "coinbase-exchange",
  provider: "Coinbase.btc",
  fills: bitcoinPrice,
  every: "15 seconds",
  documents: { ticker, stats, candles },
  collect: (upstream) =>
    Effect.all(
      { ticker: upstream.get(ticker, undefined), stats: upstream.get(stats, undefined) },
      { concurrency: "unbounded" },
    ),
  normalise: (collected) => {
    // The statistics are cached a few seconds longer than the ticker, so the price is the ticker's.
    const price = positive(collected.ticker.price)
    if (price === null) return new UpstreamError({ message: "the price is not above zero" })
    const open = positive(collected.stats.open)
    const [high, low] = [positive(collected.stats.high), positive(collected.stats.low)]
    const volume = collected.stats.volume ?? collected.ticker.volume ?? null
    return {
      payload: {
        currency: "USD",
        price,
        change24hPercent: open === null ? null : rounded(((price - open) / open) * 100, 4),
        // The newest trade belongs to the last 24 hours too, also while the cached statistics do not know it yet.
        high24h: high === null ? null : Math.max(high, price),
        low24h: low === null ? null : Math.min(low, price),
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
})
