import * as Schema from "effect/Schema"
import { endpoint } from "../contract/endpoint.ts"
import { itemWords, largest, none, unknown } from "../contract/glance.ts"
import { ranking } from "../contract/plot.ts"
import { Instant } from "../event.ts"
import { listFeed } from "../feed.ts"
import { HttpUrl, NonEmptyTextUpTo } from "../values.ts"

/** How many markets a payload holds, those with the largest turnover. */
export const PREDICTIONS_MAX = 50
/** The most outcomes of a market, as many as the contracts allow by which it settles. One of more cannot be read. */
export const OUTCOMES_MAX = 256
export const QUESTION_MAX_CHARACTERS = 300
export const OUTCOME_MAX_CHARACTERS = 100

const Dollars = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))

/** A market on which people bet how a question will be answered. The price of an outcome is its probability. */
export const PredictionMarket = Schema.Struct({
  id: Schema.NonEmptyString.check(Schema.isMaxLength(80)),
  question: NonEmptyTextUpTo(QUESTION_MAX_CHARACTERS),
  /** In the market's own order. Empty while a market has just been made. */
  outcomes: Schema.Array(
    Schema.Struct({
      name: NonEmptyTextUpTo(OUTCOME_MAX_CHARACTERS),
      /** 0 to 1; null before the first price. */
      probability: Schema.NullOr(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))),
    }),
  ).check(Schema.isMaxLength(OUTCOMES_MAX)),
  /** Turnover of the last 24 hours; null before the first trade. */
  volume24hUsd: Schema.NullOr(Dollars),
  /** Turnover since the market began. */
  volumeUsd: Schema.NullOr(Dollars),
  /** When trading was planned to end; may lie in the past while the market still waits for its answer. */
  endsAt: Schema.NullOr(Instant),
  url: Schema.NullOr(HttpUrl),
})
export type PredictionMarket = typeof PredictionMarket.Type

/** Largest turnover first; markets without one come last. */
const byTurnover = (one: PredictionMarket, other: PredictionMarket): number =>
  (other.volume24hUsd ?? -1) - (one.volume24hUsd ?? -1) || (one.id < other.id ? -1 : 1)

export const predictions = listFeed({
  name: "predictions",
  description: "Open prediction markets with the largest turnover of the last 24 hours, largest first.",
  item: PredictionMarket,
  itemsMax: PREDICTIONS_MAX,
  keepsFirst: true,
  logBytesPerDay: 12_000_000,
  key: (item) => item.id,
  order: byTurnover,
  mayBeEmpty: false,
  // The provider marks its markets as updated every minute or so, traded or not.
  contentAgeMax: "1 hour",
})

const Percent = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 100 }))

/** One market as the endpoint and the briefing state it. */
export const PredictionRow = Schema.Struct({
  question: NonEmptyTextUpTo(QUESTION_MAX_CHARACTERS),
  yes_percent: Schema.NullOr(Percent).annotate({
    description: "Probability of Yes, percent; null where the outcomes are not Yes and No, or have no price yet",
  }),
  no_percent: Schema.NullOr(Percent).annotate({ description: "Probability of No, percent; null as for yes_percent" }),
  volume_usd: Schema.NullOr(Dollars).annotate({ description: "Turnover since the market began, US dollars (USDC)" }),
  volume_24h_usd: Schema.NullOr(Dollars).annotate({ description: "Turnover of the last 24 hours, US dollars (USDC)" }),
  outcomes: Schema.Array(
    Schema.Struct({
      name: NonEmptyTextUpTo(OUTCOME_MAX_CHARACTERS),
      percent: Schema.NullOr(Percent).annotate({ description: "Probability, percent; null before the first price" }),
    }),
  ).check(Schema.isMaxLength(OUTCOMES_MAX)),
  url: Schema.NullOr(HttpUrl),
})
export type PredictionRow = typeof PredictionRow.Type

/** The probabilities of a market whose answers are Yes and No; null where they are others. */
export const yesAndNo = ({ outcomes }: PredictionMarket) => {
  const [yes, no] = ["yes", "no"].map((name) => outcomes.find((outcome) => outcome.name.toLowerCase() === name))
  return outcomes.length === 2 && yes !== undefined && no !== undefined
    ? { yes: yes.probability, no: no.probability }
    : null
}

export const predictionsEndpoint = endpoint({
  path: "/api/predictions",
  name: "predictions",
  kind: "prepared",
  tier: "free",
  subject: "markets",
  ttl: "60 seconds",
  summary: "Prediction markets by turnover of the last 24 hours",
  description: [
    "Open markets of Polymarket, largest 24-hour turnover first. Not every question has Yes and No for answers (teams, up",
    "or down): such a market stays in the list, `yes_percent` and `no_percent` are null, and `outcomes` lists its answers.",
  ].join(" "),
  parameters: {},
  data: Schema.Array(PredictionRow).check(Schema.isMaxLength(PREDICTIONS_MAX)),
  changes: [{ feed: predictions, title: ({ question }) => itemWords(question) }],
  glance: {
    title: "Prediction market",
    plots: (markets) => [
      ranking(
        "Probability of Yes, by turnover of 24 hours",
        "%",
        markets.map(({ question, yes_percent }) => ({ label: question, value: yes_percent })),
      ),
    ],
    headline: ([first]) => {
      if (first === undefined) return none("No open market")
      const { question, yes_percent: yes, outcomes } = first
      if (yes !== null) return { value: yes, unit: "%", note: `Yes: ${question}` }
      const leading = largest(outcomes, ({ percent }) => percent)
      return leading === null
        ? unknown(`${question}: no answer has a price`)
        : { value: leading.value, unit: "%", note: `${leading.item.name}: ${question}` }
    },
  },
  example: [
    {
      question: "Will it rain on the opening day of the fair?",
      yes_percent: 51,
      no_percent: 49,
      volume_usd: 832995.13,
      volume_24h_usd: 2502.29,
      outcomes: [
        { name: "Yes", percent: 51 },
        { name: "No", percent: 49 },
      ],
      url: "https://polymarket.com/event/opening-day",
    },
  ],
})
