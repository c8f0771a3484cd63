import * as Schema from "effect/Schema"
import { endpoint } from "../contract/endpoint.ts"
import { itemWords, none, unknown } from "../contract/glance.ts"
import { Instant } from "../event.ts"
import { listFeed } from "../feed.ts"
import { NonEmptyTextUpTo } from "../values.ts"

/** How many events a payload holds, those with the largest volume. */
export const EVENTS_MAX = 100
/** How many events are shown. */
export const EVENTS_SHOWN_MAX = 10
export const EVENT_TITLE_MAX_CHARACTERS = 200
export const EVENT_NAME_MAX_CHARACTERS = 120
/** The largest number of contracts that is accepted. */
export const CONTRACTS_MAX = 1e12

const Name = NonEmptyTextUpTo(EVENT_NAME_MAX_CHARACTERS)
const Contracts = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: CONTRACTS_MAX }))

/** An event of the exchange: one or more markets, each of which pays a dollar for a contract if its answer comes true. */
export const EventMarket = Schema.Struct({
  eventTicker: Schema.NonEmptyString.check(Schema.isMaxLength(120)),
  title: NonEmptyTextUpTo(EVENT_TITLE_MAX_CHARACTERS),
  /** In the exchange's words, such as Economics; null where the answer does not hold categories. */
  category: Schema.NullOr(Name),
  /** The answer whose market has the highest price; null while no market has one. */
  leader: Schema.NullOr(Name),
  /** The price of that market in dollars, which is its probability: above 0, up to 1. */
  leaderProbability: Schema.NullOr(Schema.Finite.check(Schema.isGreaterThan(0), Schema.isLessThanOrEqualTo(1))),
  /** Contracts traded in the last 24 hours, over the markets that are open. */
  volume24hContracts: Contracts,
  /** Contracts that are held, over the markets that are open; null where none states it. */
  openInterestContracts: Schema.NullOr(Contracts),
  /** How many markets are open. */
  marketCount: Schema.Int.check(Schema.isGreaterThan(0)),
  /** When the last of them closes; may be decades ahead. */
  closesAt: Schema.NullOr(Instant),
  /** When the exchange last changed one of them. */
  updatedAt: Schema.NullOr(Instant),
})
export type EventMarket = typeof EventMarket.Type

/** Largest volume first. */
const byVolume = (one: EventMarket, other: EventMarket): number =>
  other.volume24hContracts - one.volume24hContracts || (one.eventTicker < other.eventTicker ? -1 : 1)

export const eventMarket = listFeed({
  name: "event-market",
  description:
    "Open events of Kalshi, a regulated exchange, beside sports: the hundred with the largest volume of the last 24 hours.",
  item: EventMarket,
  itemsMax: EVENTS_MAX,
  keepsFirst: true,
  key: (item) => item.eventTicker,
  revision: ({ leader, leaderProbability, volume24hContracts }) =>
    JSON.stringify([leader, leaderProbability, volume24hContracts]),
  order: byVolume,
  happenedAt: (item) => item.updatedAt,
  mayBeEmpty: false,
  contentAgeMax: "1 hour",
})

export const eventMarketEndpoint = endpoint({
  path: "/api/event-market",
  name: "event_market",
  kind: "prepared",
  tier: "free",
  subject: "markets",
  ttl: "10 minutes",
  summary: "Open events of a regulated exchange by volume of the last 24 hours: leading answer and its probability",
  description: [
    "Events of Kalshi, a US exchange for event contracts, without sports, largest 24-hour volume first. A contract pays one",
    "dollar if its answer comes true, so its price is a probability: the last trade, or the middle of bid and ask where they",
    "are at most 10 cents apart. Probabilities of an event's answers need not add up to 100.",
  ].join(" "),
  parameters: {},
  data: Schema.Struct({
    count: Schema.Natural.annotate({ description: "How many events are listed" }),
    markets: Schema.Array(
      Schema.Struct({
        event_ticker: EventMarket.fields.eventTicker,
        title: EventMarket.fields.title,
        category: EventMarket.fields.category.annotate({
          description: "Such as Economics; null where it is not known",
        }),
        leader: EventMarket.fields.leader.annotate({
          description: "Answer with the highest probability; null while none has a price",
        }),
        leader_pct: Schema.NullOr(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 100 }))).annotate({
          description: "Probability of that answer, percent",
        }),
        volume_24h: Contracts.annotate({ description: "Contracts traded in the last 24 hours", unit: "contracts" }),
        open_interest: EventMarket.fields.openInterestContracts.annotate({
          description: "Contracts that are held",
          unit: "contracts",
        }),
        market_count: EventMarket.fields.marketCount.annotate({ description: "How many answers can be traded" }),
        closes_at: EventMarket.fields.closesAt.annotate({ description: "When the last of its markets closes" }),
      }),
    ).check(Schema.isMaxLength(EVENTS_SHOWN_MAX)),
  }),
  changes: [{ feed: eventMarket, title: ({ title, leader }) => itemWords(title, leader) }],
  glance: {
    title: "Event market",
    headline: ({ markets: [first] }) => {
      if (first === undefined) return none("No open event")
      const { title, leader, leader_pct: percent } = first
      return percent === null || leader === null
        ? unknown(`${title}: no answer has a price`)
        : { value: percent, unit: "%", note: `${leader}: ${title}` }
    },
  },
  example: {
    count: 1,
    markets: [
      {
        event_ticker: "KXRATES-26DEC",
        title: "Central bank decision in December?",
        category: "Economics",
        leader: "Rates are held",
        leader_pct: 81,
        volume_24h: 495390.29,
        open_interest: 619499.31,
        market_count: 3,
        closes_at: "2026-12-09T18:55:00.000Z",
      },
    ],
  },
})
