import * as Schema from "effect/Schema"
import { Instant } from "../event.ts"
import { DEPTH_KM_RANGE, Earthquake, MAGNITUDE_RANGE, type seismicEventTypes } from "../feeds/earthquakes.ts"
import { Launch } from "../feeds/launches.ts"
import { OUTCOME_MAX_CHARACTERS, PredictionMarket } from "../feeds/predictions.ts"
import { Story } from "../feeds/tech-news.ts"
import { NonEmptyTextUpTo } from "../values.ts"

// The events of the world: changes of feeds that are news. They are logged, served and stored in this form.

/** Severities, mildest first. */
export const severities = ["minor", "moderate", "major"] as const
export const Severity = Schema.Literals(severities)
export type Severity = typeof Severity.Type

/** Types of events that are learnt, each once. */
export const learntTypes = ["earthquake", "tech_news_story", "prediction_market_update"] as const
export type LearntType = (typeof learntTypes)[number]
/** All types: a launch is stated as long as it is near. */
export const worldDeltaTypes = [...learntTypes, "space_launch"] as const
export type WorldDeltaType = (typeof worldDeltaTypes)[number]

/** Seismic events that are stated: earthquakes, and those of volcanoes. Landslides, ice and avalanches are left out. */
export const quakeTypes = ["earthquake", "volcanic eruption", "volcanic explosion"] as const satisfies ReadonlyArray<
  (typeof seismicEventTypes)[number]
>

const OutcomeName = NonEmptyTextUpTo(OUTCOME_MAX_CHARACTERS)
const Probability = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))

const QuakeData = Schema.Struct({
  id: Earthquake.fields.id,
  type: Schema.Literals(quakeTypes).annotate({ description: "Kind of event, in the agency's words" }),
  magnitude: Schema.Finite.check(Schema.isBetween(MAGNITUDE_RANGE)).annotate({
    description: "Magnitude at the time when it was learnt; the agency may revise it",
  }),
  place: Schema.NullOr(Schema.String).annotate({ description: "Nearest place, in words" }),
  depth_km: Schema.NullOr(Schema.Finite.check(Schema.isBetween(DEPTH_KM_RANGE))).annotate({
    description: "Depth below sea level in kilometres",
  }),
  mag_type: Schema.NullOr(Schema.String).annotate({ description: "Scale of the magnitude, such as mww or ml" }),
  time: Instant.annotate({ description: "Origin time" }),
  url: Schema.NullOr(Schema.String).annotate({ description: "Detail page" }),
})
export type QuakeData = typeof QuakeData.Type

const StoryData = Schema.Struct({
  id: Story.fields.id.annotate({ description: "Number of the story at Hacker News" }),
  title: Story.fields.title,
  url: Story.fields.url.annotate({ description: "What the story links to; null where it is a text of its own" }),
  points: Story.fields.score.annotate({ description: "Votes when it was learnt" }),
  num_comments: Story.fields.comments.annotate({ description: "Comments at all depths when it was learnt" }),
  author: Story.fields.author,
  time: Instant.annotate({ description: "When it was posted" }),
})
export type StoryData = typeof StoryData.Type

const MarketData = Schema.Struct({
  id: PredictionMarket.fields.id,
  question: PredictionMarket.fields.question,
  outcome: OutcomeName.annotate({ description: "The leading outcome" }),
  probability: Probability.annotate({ description: "Probability of that outcome, 0 to 1" }),
  previous: Schema.NullOr(Probability).annotate({
    description: "Probability of the same outcome when the market was last stated; null for a newly listed market",
  }),
  volume_24h: PredictionMarket.fields.volume24hUsd.members[0].annotate({
    description: "Turnover of the last 24 hours, US dollars (USDC)",
  }),
  url: PredictionMarket.fields.url,
})
export type MarketData = typeof MarketData.Type

const LaunchData = Schema.Struct({
  id: Launch.fields.id.annotate({ description: "Stays the same when the launch slips" }),
  mission: Launch.fields.mission,
  vehicle: Launch.fields.vehicle,
  provider: Launch.fields.provider,
  status: Launch.fields.status.annotate({ description: "In the words of the source, such as Go for Launch" }),
  net: Instant.annotate({ description: "No earlier than; a placeholder where the precision is coarse" }),
  net_precision: Launch.fields.netPrecision.annotate({ description: "How exact `net` is" }),
  window: Schema.NullOr(Schema.Struct({ start: Schema.NullOr(Instant), end: Schema.NullOr(Instant) })).annotate({
    description: "Launch window",
  }),
  url: Launch.fields.url.annotate({ description: "The entry in the catalogue" }),
})
export type LaunchData = typeof LaunchData.Type

const worldDelta = <const Type extends WorldDeltaType, Data extends Schema.Top>(type: Type, data: Data) =>
  Schema.Struct({ type: Schema.Literal(type), timestamp: Instant, severity: Severity, data })

/** A launch that is near. `timestamp` is its scheduled time. */
export const LaunchDelta = worldDelta("space_launch", LaunchData)
export type LaunchDelta = typeof LaunchDelta.Type

const learnt = [
  worldDelta("earthquake", QuakeData),
  worldDelta("tech_news_story", StoryData),
  worldDelta("prediction_market_update", MarketData),
] as const

/** An event that is learnt once; `timestamp` is when, later than that of every event before. */
export const LearntDelta = Schema.Union(learnt)
export type LearntDelta = typeof LearntDelta.Type

/** An event of the world. `timestamp` of a launch is its scheduled time. */
export const WorldDelta = Schema.Union([...learnt, LaunchDelta]).annotate({ identifier: "WorldDelta" })
export type WorldDelta = typeof WorldDelta.Type
