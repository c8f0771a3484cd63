import * as Schema from "effect/Schema"
import { day } from "../contract/parameters.ts"
import { dayMs } from "../day.ts"
import { listFeed } from "../feed.ts"

/** The days that a payload holds at most: the newest ones. */
export const BTC_CANDLES_MAX = 30

const DAY_MS = 86_400_000
const Price = Schema.Finite.check(Schema.isGreaterThan(0))

/** One day (UTC) of trade in bitcoin at one venue, in US dollars. */
export const BitcoinCandle = Schema.Struct({
  day,
  low: Price,
  high: Price,
  open: Price,
  close: Price,
  /** Turnover in bitcoin. */
  volumeBtc: Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0)),
}).check(
  Schema.makeFilter(
    ({ low, high, open, close }) =>
      (low <= Math.min(open, close) && Math.max(open, close) <= high) || "a price lies outside of the day's range",
  ),
)
export type BitcoinCandle = typeof BitcoinCandle.Type

/** Milliseconds since the epoch at which the day of a candle is over. */
export const candleEndMs = ({ day }: Pick<BitcoinCandle, "day">): number => (dayMs(day) ?? 0) + DAY_MS

export const btcCandles = listFeed({
  name: "btc-candles",
  description:
    "Bitcoin by the day (UTC) at one venue: low, high, open, close and turnover of days that are over, newest first.",
  item: BitcoinCandle,
  itemsMax: BTC_CANDLES_MAX,
  keepsFirst: true,
  key: (item) => item.day,
  publishesGone: false,
  order: (one, other) => (one.day < other.day ? 1 : -1),
  happenedAt: (item) => new Date(candleEndMs(item)).toISOString(),
  mayBeEmpty: false,
  contentAgeMax: "2 days",
})
