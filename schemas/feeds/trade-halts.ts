import * as Schema from "effect/Schema"
import { volatile } from "../contract/annotations.ts"
import { endpoint } from "../contract/endpoint.ts"
import { clause, itemWords } from "../contract/glance.ts"
import { Instant } from "../event.ts"
import { listFeed } from "../feed.ts"
import { NonEmptyTextUpTo, TextUpTo } from "../values.ts"

/** The most halts of a payload: on the most turbulent days there were some 1,300, most of them over. A longer list is refused. */
export const TRADE_HALTS_MAX = 2_000
/** How many halts are shown. */
export const TRADE_HALTS_SHOWN_MAX = 100

const Ticker = NonEmptyTextUpTo(20)
const IssueName = TextUpTo(120)
const Market = TextUpTo(40)
const ReasonCode = TextUpTo(40)
const Price = Schema.NullOr(Schema.Finite.check(Schema.isGreaterThan(0)))

/** One halt of one security: of today, or older and not resumed. */
export const TradeHalt = Schema.Struct({
  /** As the tape writes it; warrants and other classes have a dot, such as BKSY.W. */
  symbol: Ticker,
  name: IssueName,
  /** Such as NASDAQ, NYSE or AMEX. */
  market: Market,
  /** As the exchange writes it, such as T1 or LUDP; it may combine several. */
  reasonCode: ReasonCode,
  haltedAt: Instant,
  /** US dollars; known of some pauses alone. */
  pauseThresholdPrice: Price,
  /** From when on quotes are accepted. */
  resumptionQuoteAt: Schema.NullOr(Instant),
  /** From when on it trades again: announced ahead, null until then. */
  resumptionAt: Schema.NullOr(Instant),
})
export type TradeHalt = typeof TradeHalt.Type

/** The latest halt first. */
export const byHaltedAt = (one: TradeHalt, other: TradeHalt): number =>
  one.haltedAt !== other.haltedAt
    ? one.haltedAt < other.haltedAt
      ? 1
      : -1
    : one.symbol < other.symbol
      ? -1
      : one.symbol > other.symbol
        ? 1
        : 0

export const tradeHalts = listFeed({
  name: "trade-halts",
  description: "Trading halts of securities on all US exchanges: those of today, and older ones that are not over.",
  item: TradeHalt,
  itemsMax: TRADE_HALTS_MAX,
  key: ({ symbol, haltedAt }) => `${symbol}/${haltedAt}`,
  revision: ({ reasonCode, resumptionQuoteAt, resumptionAt }) =>
    JSON.stringify([reasonCode, resumptionQuoteAt, resumptionAt]),
  // Halts without an end come first.
  order: (one, other) =>
    Number(one.resumptionAt !== null) - Number(other.resumptionAt !== null) || byHaltedAt(one, other),
  happenedAt: (item) => item.haltedAt,
  // Left out, a halt that cannot be read would seem to be over.
  unreadableShare: 0,
  contentAgeMax: "15 minutes",
})

export const tradeHaltsEndpoint = endpoint({
  path: "/api/trade-halts",
  name: "trade_halts",
  kind: "prepared",
  tier: "free",
  subject: "markets",
  ttl: "5 minutes",
  summary: "Current trading halts on US exchanges: symbol, reason, times of halt and resumption",
  description: [
    "Securities that do not trade now, the latest halt first, at most 100; `total` counts all. A halt stays until its",
    "`resumption_at`, some of them for years. An empty list means that no halt is in force.",
  ].join(" "),
  parameters: {},
  data: Schema.Struct({
    count: volatile(Schema.Natural.annotate({ description: "How many halts are listed" })),
    total: volatile(Schema.Natural.annotate({ description: "How many halts are in force" })),
    halts: volatile(
      Schema.Array(
        Schema.Struct({
          symbol: Ticker,
          name: IssueName.annotate({ description: "Name of the security; empty where none is given" }),
          market: Market.annotate({ description: "Listing market, such as NASDAQ, NYSE or AMEX" }),
          reason_code: ReasonCode.annotate({ description: "As the exchange writes it, such as T1 or LUDP" }),
          reason: Schema.NullOr(Schema.String).annotate({
            description: "The code in words; null for one that is not known",
          }),
          halted_at: Instant,
          pause_threshold_price: Price.annotate({
            description: "Price that set off the pause, US dollars; null where none is given",
            unit: "USD",
          }),
          resumption_quote_at: Schema.NullOr(Instant).annotate({ description: "From when on quotes are accepted" }),
          resumption_at: Schema.NullOr(Instant).annotate({
            description: "From when on it trades again; null until that is announced",
          }),
        }),
      ).check(Schema.isMaxLength(TRADE_HALTS_SHOWN_MAX)),
    ),
  }),
  changes: [
    { feed: tradeHalts, symbol: "symbol", title: ({ symbol, name, reason }) => itemWords(symbol, name, reason) },
  ],
  glance: {
    title: "Trading halts",
    headline: ({ total, halts: [latest] }) => ({
      value: total,
      unit: null,
      note: clause(
        "in force on US exchanges",
        latest === undefined ? null : `the latest ${latest.symbol}`,
        latest === undefined ? null : latest.reason,
      ),
    }),
  },
  example: {
    count: 1,
    total: 1,
    halts: [
      {
        symbol: "TIDE",
        name: "Tidewater Robotics, Inc.",
        market: "NASDAQ",
        reason_code: "T1",
        reason: "News pending",
        halted_at: "2026-08-17T23:50:00.000Z",
        pause_threshold_price: null,
        resumption_quote_at: null,
        resumption_at: null,
      },
    ],
  },
})
