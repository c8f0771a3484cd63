import * as Schema from "effect/Schema"
import { Instant } from "../event.ts"
import { listFeed } from "../feed.ts"

/** The coins that are followed, each against Tether. */
export const exchangeTickerBases = [
  "BTC",
  "ETH",
  "BNB",
  "SOL",
  "XRP",
  "DOGE",
  "ADA",
  "TRX",
  "AVAX",
  "LINK",
  "DOT",
  "LTC",
  "BCH",
  "UNI",
  "XLM",
  "NEAR",
  "APT",
  "ARB",
  "ATOM",
  "FIL",
] as const
export const EXCHANGE_TICKER_QUOTE = "USDT" as const

/** A price that lost all of its value has changed by -100 percent. */
const CHANGE_MIN_PERCENT = -100
/** The largest change that is accepted, percent: a price a million times the one before. */
export const EXCHANGE_CHANGE_MAX_PERCENT = 1e8

const Price = Schema.Finite.check(Schema.isGreaterThan(0))

/** The price of one pair and its movement over the last 24 hours. A member is null where the venue has no number. */
export const ExchangeTicker = Schema.Struct({
  /** As the venue spells it, such as BTCUSDT. */
  pair: Schema.NonEmptyString.check(Schema.isMaxLength(20)),
  /** What is priced. */
  base: Schema.Literals(exchangeTickerBases),
  /** What the price is counted in. */
  quote: Schema.Literal(EXCHANGE_TICKER_QUOTE),
  /** Of the last trade. */
  price: Price,
  /** Against the price 24 hours ago. */
  change24hPercent: Schema.NullOr(
    Schema.Finite.check(Schema.isBetween({ minimum: CHANGE_MIN_PERCENT, maximum: EXCHANGE_CHANGE_MAX_PERCENT })),
  ),
  high24h: Schema.NullOr(Price),
  low24h: Schema.NullOr(Price),
  /** Turnover of 24 hours in `quote`. */
  volume24h: Schema.NullOr(Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))),
  trades24h: Schema.NullOr(Schema.Natural),
  /** The end of the 24 hours. */
  at: Instant,
})
export type ExchangeTicker = typeof ExchangeTicker.Type

/** The largest turnover first; a pair without one comes last. */
const byVolume = (one: ExchangeTicker, other: ExchangeTicker): number =>
  (other.volume24h ?? -1) - (one.volume24h ?? -1) || (one.pair < other.pair ? -1 : 1)

export const exchangeTickers = listFeed({
  name: "exchange-tickers",
  description: "Twenty coins against Tether at one exchange: price and movement over 24 hours, largest turnover first.",
  item: ExchangeTicker,
  itemsMax: exchangeTickerBases.length,
  logBytesPerDay: 8_000_000,
  key: (item) => item.pair,
  publishesGone: false,
  revision: ({ price, volume24h }) => JSON.stringify([price, volume24h]),
  order: byVolume,
  happenedAt: (item) => item.at,
  mayBeEmpty: false,
  contentAgeMax: "5 minutes",
})
