import * as Schema from "effect/Schema"
import { volatile } from "../contract/annotations.ts"
import { endpoint } from "../contract/endpoint.ts"
import { clause, itemWords, none } from "../contract/glance.ts"
import { matrix, ranking } from "../contract/plot.ts"
import { Instant } from "../event.ts"
import { listFeed } from "../feed.ts"
import { rounded } from "../number.ts"
import { NonEmptyTextUpTo } from "../values.ts"

/** The venues, each an instance of the feed with a source of its own. */
export const fundingVenues = ["binance", "bybit", "okx", "hyperliquid"] as const
export const FundingVenue = Schema.Literals(fundingVenues)
export type FundingVenue = typeof FundingVenue.Type

/** Contracts on these coins are kept whatever their rate. */
const MAJORS: ReadonlyArray<string> = ["BTC", "ETH", "SOL"]
/** How many contracts of a venue are kept beside the majors, by the size of their rate. */
const LARGEST_MAX = 50
/** How many contracts are shown. */
export const FUNDING_RATES_SHOWN_MAX = 20
export const CONTRACT_MAX_CHARACTERS = 40

/** `failed`: not read for some minutes. `unread`: never read. `rests`: not polled by this installation. */
const VenueStatus = Schema.Literals(["ok", "failed", "unread", "rests"])
export type VenueStatus = typeof VenueStatus.Type

const HOURS_PER_YEAR = 8_760
/** Funding is paid once an hour to once a day. */
export const PERIOD_HOURS = { minimum: 1, maximum: 24 } as const

/** A rate for a period in percent a year, without compounding: rate x 8760 / hours x 100. */
export const annualizedPercent = (rate: number, hours: number): number =>
  rounded((rate * HOURS_PER_YEAR * 100) / hours, 4)

const Contract = NonEmptyTextUpTo(CONTRACT_MAX_CHARACTERS)
const PeriodHours = Schema.Finite.check(Schema.isBetween(PERIOD_HOURS))
/** Venues clamp the rate of a period to a few percent: beyond the whole value of the position it is a mistake. */
const PeriodRate = Schema.Finite.check(Schema.isBetween({ minimum: -1, maximum: 1 }))
const MarkPrice = Schema.NullOr(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1e12 })))

/** The funding of one perpetual contract: what holders of one side pay to those of the other, each period. */
export const FundingRate = Schema.Struct({
  /** The venue's own name of the contract. */
  symbol: Contract,
  /** The coin as the venue counts it: 1000PEPE and kPEPE are a thousand PEPE. */
  base: Contract,
  periodHours: PeriodHours,
  /** A fraction of the position's value, as estimated for the coming payment. Positive: buyers pay. */
  periodRate: PeriodRate,
  annualizedPercent: Schema.Finite,
  /** In the currency of the quote; null where the venue gives none. */
  markPrice: MarkPrice,
  /** Null where the venue gives none. */
  nextFundingTime: Schema.NullOr(Instant),
})
export type FundingRate = typeof FundingRate.Type

/** Majors first, then by the size of the rate, so that the cap of the list keeps both. */
const byRate = (one: FundingRate, other: FundingRate): number => {
  const [first, second] = [one, other].map(({ base }) => MAJORS.includes(base))
  if (first !== second) return first ? -1 : 1
  const difference = Math.abs(other.annualizedPercent) - Math.abs(one.annualizedPercent)
  return difference !== 0 ? difference : one.symbol < other.symbol ? -1 : 1
}

export const fundingRates = listFeed({
  name: "funding-rates",
  description:
    "Funding rates of perpetual contracts, an instance for each venue: its 50 largest rates, and bitcoin, ether and solana.",
  instances: fundingVenues.map((venue) => ({ venue })),
  item: FundingRate,
  facts: Schema.Struct({
    /** The perpetual contracts that the venue lists, those that are not kept included. */
    markets: Schema.Natural,
  }),
  itemsMax: LARGEST_MAX + MAJORS.length,
  keepsFirst: true,
  logBytesPerDay: 16_000_000,
  key: (item) => item.symbol,
  revision: (item) => `${item.nextFundingTime} ${rounded(item.annualizedPercent, 1)}`,
  order: byRate,
  mayBeEmpty: false,
  contentAgeMax: "5 minutes",
})

/** Names in a clause: "okx", "binance, bybit and okx". */
const listed = (names: ReadonlyArray<string>): string =>
  [names.slice(0, -1).join(", "), ...names.slice(-1)].filter(Boolean).join(" and ")

export const fundingRatesEndpoint = endpoint({
  path: "/api/funding-rates",
  name: "funding_rates",
  kind: "prepared",
  tier: "free",
  subject: "markets",
  ttl: "60 seconds",
  summary: "The 20 perpetual contracts with the largest funding rates at four venues",
  description: [
    "By the size of the rate a year, whichever side pays: where it is positive, buyers pay sellers.",
    "Binance, Bybit and OKX: contracts settled in USDT; Hyperliquid: all contracts of its own exchange, settled in USDC.",
    "A year counts 8,760 hours, without compounding. The contracts of a venue that cannot be read stay for ten minutes.",
  ].join(" "),
  parameters: {},
  // Not of its venues: whether each was read.
  table: { lists: ["rates"] },
  data: Schema.Struct({
    rates: Schema.Array(
      Schema.Struct({
        venue: FundingVenue,
        symbol: Contract.annotate({ description: "The venue's own name of the contract" }),
        base: Contract.annotate({ description: "The coin as the venue counts it: 1000PEPE and kPEPE are 1,000 PEPE" }),
        period_hours: PeriodHours.annotate({ description: "Hours from one payment to the next" }),
        period_rate: PeriodRate.annotate({
          description: "Rate of a period, a fraction: 0.0001 is 0.01 percent",
          unit: "fraction",
        }),
        annualized_pct: Schema.Finite.annotate({ description: "period_rate x 8760 / period_hours x 100" }),
        mark_price: MarkPrice.annotate({ description: "In USDT; at Hyperliquid in US dollars", unit: "USDT or USD" }),
        next_funding_time: Schema.NullOr(Instant).annotate({
          description: "The coming payment; null at Hyperliquid, which pays at every full hour and does not say so",
        }),
      }),
    ).check(Schema.isMaxLength(FUNDING_RATES_SHOWN_MAX)),
    venues: Schema.Array(
      Schema.Struct({
        venue: FundingVenue,
        status: volatile(
          VenueStatus.annotate({
            description:
              "failed: not read for three minutes; unread: never read; rests: not polled here, as its terms or the operator forbid it. _meta.sources has the reason",
          }),
        ),
        markets: Schema.NullOr(Schema.Natural).annotate({
          description: "Contracts that the venue lists, as last read; null while it was never read",
        }),
      }),
    ),
    failed_venues: volatile(
      Schema.Array(FundingVenue).annotate({ description: "Venues that are not read now, or never were" }),
    ),
  }),
  changes: [
    {
      feed: fundingRates,
      symbol: "symbol",
      title: ({ symbol, venue, annualized_pct }) => itemWords(symbol, venue, annualized_pct),
    },
  ],
  glance: {
    title: "Funding rates",
    plots: ({ rates, failed_venues: failed }) => [
      matrix(
        {
          title: "Funding rates a year, by coin and venue",
          unit: "%",
          of: "Coin",
          columns: fundingVenues,
          note: clause(
            "An empty cell: the rate is none of the 20 largest",
            failed.length === 0 ? null : `not read now: ${listed(failed)}`,
          ),
          isColoured: true,
        },
        rates.map(({ base, venue, annualized_pct }) => ({
          row: base,
          column: venue,
          value: rounded(annualized_pct, 1),
        })),
      ),
      ranking(
        "Funding rates a year",
        "%",
        rates.map(({ symbol, venue, annualized_pct }) => ({
          label: symbol,
          value: rounded(annualized_pct, 1),
          note: venue,
        })),
      ),
    ],
    headline: ({ rates: [first], failed_venues: failed }) => {
      if (first === undefined) return none("No perpetual contract has a funding rate")
      const { symbol, venue, annualized_pct: percent } = first
      return {
        value: rounded(percent, 1),
        unit: "% a year",
        note: clause(
          `${symbol} at ${venue}, the largest`,
          `${percent < 0 ? "sellers pay buyers" : "buyers pay sellers"}`,
          failed.length === 0 ? null : `not read: ${listed(failed)}`,
        ),
      }
    },
  },
  example: {
    rates: [
      {
        venue: "binance",
        symbol: "TRBUSDT",
        base: "TRB",
        period_hours: 4,
        period_rate: -0.0021,
        annualized_pct: -459.9,
        mark_price: 28.41,
        next_funding_time: "2026-08-18T00:00:00.000Z",
      },
    ],
    venues: [
      { venue: "binance", status: "ok", markets: 571 },
      { venue: "bybit", status: "ok", markets: 612 },
      { venue: "okx", status: "failed", markets: 284 },
      { venue: "hyperliquid", status: "unread", markets: null },
    ],
    failed_venues: ["okx", "hyperliquid"],
  },
})
