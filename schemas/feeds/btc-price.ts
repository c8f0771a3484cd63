import * as Schema from "effect/Schema"
import { endpoint } from "../contract/endpoint.ts"
import { changeText, clause } from "../contract/glance.ts"
import { valueFeed } from "../feed.ts"
import { rounded } from "../number.ts"

const Price = Schema.Finite.check(Schema.isGreaterThan(0))

/** What one bitcoin costs at one venue, and how that moved over the last 24 hours. Null where the venue cannot know. */
export const BitcoinPrice = Schema.Struct({
  /** What the venue's prices are counted in: dollars, or Tether, whose promise is one dollar. */
  currency: Schema.Literals(["USD", "USDT"]),
  price: Price,
  /** Against the price 24 hours ago, in percent. */
  change24hPercent: Schema.NullOr(Schema.Finite.check(Schema.isGreaterThanOrEqualTo(-100))),
  high24h: Schema.NullOr(Price),
  low24h: Schema.NullOr(Price),
  /** Turnover of 24 hours in `currency`. */
  volume24h: Schema.NullOr(Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))),
})
export type BitcoinPrice = typeof BitcoinPrice.Type

export const btcPrice = valueFeed({
  name: "btc-price",
  description: "The price of bitcoin at the first venue that answers, with its movement over 24 hours.",
  value: BitcoinPrice,
  key: "BTC",
  // Bitcoin trades every few seconds at each of the venues: minutes without a trade mean that the answer is frozen.
  contentAgeMax: "5 minutes",
})

/** The data of the price endpoint; the briefing holds it too. */
export const BitcoinPriceData = Schema.Struct({
  price_usd: Price.annotate({ description: "Last traded price of one bitcoin, US dollars" }),
  change_24h_percent: Schema.NullOr(Schema.Finite.check(Schema.isGreaterThanOrEqualTo(-100))).annotate({
    description: "Change against the price 24 hours ago, percent; null where the venue does not give that price",
  }),
  high_24h: Schema.NullOr(Price).annotate({ description: "Highest trade of 24 hours, US dollars" }),
  low_24h: Schema.NullOr(Price).annotate({ description: "Lowest trade of 24 hours, US dollars" }),
  volume_24h_usd: Schema.NullOr(Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))).annotate({
    description: "Turnover of 24 hours at this venue, US dollars",
  }),
})
export type BitcoinPriceData = typeof BitcoinPriceData.Type

export const bitcoinPriceEndpoint = endpoint({
  path: "/api/btc-price",
  name: "btc_price",
  kind: "prepared",
  tier: "free",
  subject: "markets",
  ttl: "15 seconds",
  summary: "Bitcoin price in US dollars, with its movement over 24 hours",
  description: [
    "From Coinbase; Kraken stands in when that fails, then Binance: `_meta.sources` says which one speaks.",
    "Coinbase gives its volume in bitcoin, valued here at the last price. Kraken gives today's opening price, not that of",
    "24 hours ago, so its `change_24h_percent` is null. Binance counts in Tether, taken as a dollar.",
  ].join(" "),
  parameters: {},
  data: BitcoinPriceData,
  changes: [{ feed: btcPrice }],
  glance: {
    title: "Bitcoin",
    headline: ({ price_usd, change_24h_percent: change }) => ({
      value: rounded(price_usd, price_usd < 1_000 ? 2 : 0),
      unit: "USD",
      note: clause("one bitcoin", change === null ? "its change is not known" : `${changeText(change)} in 24 hours`),
    }),
  },
  example: {
    price_usd: 63212.97,
    change_24h_percent: 0.9702,
    high_24h: 63351.3,
    low_24h: 62159.76,
    volume_24h_usd: 310902705.07,
  },
})
