import * as Schema from "effect/Schema"
import { Instant } from "../event.ts"
import { listFeed } from "../feed.ts"
import { NonEmptyTextUpTo } from "../values.ts"

/** How many coins a payload holds: the largest by market capitalisation. */
export const COINS_MAX = 100
export const COIN_NAME_MAX_CHARACTERS = 120
export const COIN_SYMBOL_MAX_CHARACTERS = 20
/** The largest change that is accepted, percent: a price a million times the one before. */
export const COIN_CHANGE_MAX_PERCENT = 1e8

/** A price that lost all of its value has changed by -100 percent, so nothing falls further. */
const Change = Schema.NullOr(Schema.Finite.check(Schema.isBetween({ minimum: -100, maximum: COIN_CHANGE_MAX_PERCENT })))
const Dollars = Schema.Finite.check(Schema.isGreaterThan(0))

/** The price of one coin in US dollars, its changes and its size. A member is null where the source has no number. */
export const CoinQuote = Schema.Struct({
  /** The source's own id, such as `bitcoin`: several coins share a symbol. */
  id: Schema.NonEmptyString.check(Schema.isMaxLength(120)),
  /** In capitals, such as BTC. */
  symbol: NonEmptyTextUpTo(COIN_SYMBOL_MAX_CHARACTERS),
  name: NonEmptyTextUpTo(COIN_NAME_MAX_CHARACTERS),
  priceUsd: Dollars,
  change1hPercent: Change,
  change24hPercent: Change,
  change7dPercent: Change,
  /** Price times coins in circulation; null where these are not known. */
  marketCapUsd: Schema.NullOr(Dollars),
  /** Turnover of the last 24 hours on all markets. */
  volume24hUsd: Schema.NullOr(Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))),
  /** The source's place of the coin by market capitalisation, from 1. */
  rank: Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 }))),
  /** When the source last changed the quote. */
  updatedAt: Schema.NullOr(Instant),
})
export type CoinQuote = typeof CoinQuote.Type

/** Compares places from 1, where a smaller one comes first; null comes last. */
export const byRank = (one: number | null, other: number | null): number =>
  one === other ? 0 : (one ?? Number.MAX_SAFE_INTEGER) - (other ?? Number.MAX_SAFE_INTEGER)

/** Largest capitalisation first; coins without one come last, by rank. */
const byMarketCap = (one: CoinQuote, other: CoinQuote): number =>
  (other.marketCapUsd ?? 0) - (one.marketCapUsd ?? 0) || byRank(one.rank, other.rank) || (one.id < other.id ? -1 : 1)

export const coins = listFeed({
  name: "coins",
  description: "The 100 largest coins by market capitalisation, with price, changes and turnover, largest first.",
  item: CoinQuote,
  itemsMax: COINS_MAX,
  keepsFirst: true,
  logBytesPerDay: 9_000_000,
  key: (item) => item.id,
  revision: ({ priceUsd, change24hPercent, marketCapUsd }) =>
    JSON.stringify([priceUsd, change24hPercent, marketCapUsd]),
  order: byMarketCap,
  happenedAt: (item) => item.updatedAt,
  mayBeEmpty: false,
  contentAgeMax: "20 minutes",
})
