import * as Schema from "effect/Schema"
import { endpoint } from "../contract/endpoint.ts"
import { itemWords } from "../contract/glance.ts"
import { Instant } from "../event.ts"
import { listFeed } from "../feed.ts"

/** The publisher's five classes. Its limits between them are its own and move: the label is the one sent, never computed. */
export const fearGreedLabels = ["Extreme Fear", "Fear", "Neutral", "Greed", "Extreme Greed"] as const

const Score = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100 }))

/** The mood of the crypto market on one day. */
export const FearGreed = Schema.Struct({
  /** Midnight UTC of the day the value is for. */
  day: Instant,
  /** 0 is extreme fear, 100 extreme greed. */
  value: Score,
  label: Schema.Literals(fearGreedLabels),
})
export type FearGreed = typeof FearGreed.Type

/** How many of the latest days are asked for, so that days of our own absence are filled in. */
export const FEAR_GREED_DAYS = 10

export const fearGreed = listFeed({
  name: "fear-greed",
  description: "The Crypto Fear & Greed Index of the last days, newest first.",
  item: FearGreed,
  itemsMax: FEAR_GREED_DAYS,
  keepsFirst: true,
  key: (item) => item.day,
  publishesGone: false,
  order: (one, other) => (one.day < other.day ? 1 : -1),
  happenedAt: (item) => item.day,
  mayBeEmpty: false,
  // One value a day, soon after midnight UTC; a day without one has happened and is then rightly called stale.
  contentAgeMax: "30 hours",
})

/** The data of the endpoint; the briefing holds it too. */
export const FearGreedData = Schema.Struct({
  value: Score.annotate({ description: "0 (extreme fear) to 100 (extreme greed)" }),
  label: Schema.Literals(fearGreedLabels).annotate({ description: "The publisher's class of the value" }),
})
export type FearGreedData = typeof FearGreedData.Type

export const fearGreedEndpoint = endpoint({
  path: "/api/fear-greed",
  name: "fear_greed",
  kind: "prepared",
  tier: "free",
  subject: "markets",
  ttl: "5 minutes",
  summary: "Crypto Fear & Greed Index of today",
  description: "The index of alternative.me, published once a day shortly after 00:00 UTC.",
  parameters: {},
  data: FearGreedData,
  changes: [{ feed: fearGreed, title: ({ value, label }, { key }) => itemWords(value, label, key) }],
  glance: {
    title: "Fear and greed",
    headline: ({ value, label }) => ({ value, unit: "of 100", note: `${label}, mood of the crypto market today` }),
  },
  example: { value: 69, label: "Greed" },
})
