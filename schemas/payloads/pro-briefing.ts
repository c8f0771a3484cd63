import * as Schema from "effect/Schema"
import { CREW_MAX, CREW_NAME_LENGTH_MAX } from "../feeds/humans-in-space.ts"
import { LAUNCHES_SHOWN_MAX, Launch } from "../feeds/launches.ts"
import { OUTCOMES_MAX, PredictionRow, QUESTION_MAX_CHARACTERS } from "../feeds/predictions.ts"
import { NonEmptyTextUpTo } from "../values.ts"

/** The sections of the briefing, as callers name them. */
export const proBriefingWords = ["earthquakes", "tech-news", "humans-in-space", "launches", "predictions"] as const
export type ProBriefingWord = (typeof proBriefingWords)[number]

/** How many markets the briefing shows. */
export const PRO_MARKETS_MAX = 10
/** The series of the last 24 hours: its length, and how far its points are apart at the least, in milliseconds. */
export const SERIES_WINDOW_MS = 24 * 60 * 60_000
export const SERIES_EVERY_MS = 5 * 60_000
/** Points of the series, at most. */
export const SERIES_MAX_ROWS = SERIES_WINDOW_MS / SERIES_EVERY_MS + 1

const Milliseconds = Schema.Int.annotate({ description: "Milliseconds since the epoch" })

const Earthquakes = Schema.Struct({
  count: Schema.Natural.annotate({ description: "Earthquakes of magnitude 2.5 and above in 24 hours, worldwide" }),
  latest: Schema.NullOr(
    Schema.Struct({
      magnitude: Schema.Finite.annotate({ description: "Magnitude, as the agency prefers it" }),
      place: Schema.NonEmptyString.annotate({ description: "Nearest place, in words" }),
      time: Milliseconds.annotate({ description: "Origin time, milliseconds since the epoch" }),
    }),
  ).annotate({ description: "The newest one that has a magnitude and a place; null where there is none" }),
})

const TechNews = Schema.Struct({
  top_story_count: Schema.Natural.annotate({ description: "Stories on the front page" }),
})

const HumansInSpace = Schema.Struct({
  count: Schema.Natural.annotate({ description: "People in space" }),
  names: Schema.Array(NonEmptyTextUpTo(CREW_NAME_LENGTH_MAX)).check(Schema.isMaxLength(CREW_MAX)),
})

const Launches = Schema.Struct({
  count: Schema.Natural.check(Schema.isLessThanOrEqualTo(LAUNCHES_SHOWN_MAX)).annotate({
    description: `Launches to come, on hold or in flight, as /api/launches lists them; ${LAUNCHES_SHOWN_MAX} at most`,
  }),
  next: Schema.NullOr(
    Schema.Struct({
      name: Launch.fields.name.annotate({ description: "Vehicle and mission" }),
      provider: Launch.fields.provider.annotate({ description: "Null where the catalogue names none" }),
      status: Launch.fields.status.annotate({ description: "In the words of the source, such as Go for Launch" }),
      time: Milliseconds.annotate({
        description: "Not earlier than this, milliseconds since the epoch; a placeholder where the precision is coarse",
      }),
      time_precision: Launch.fields.netPrecision.annotate({
        description: "How exact `time` is; null where the catalogue does not say",
      }),
    }),
  ).annotate({ description: "The first one whose time is still ahead; null where none has such a time" }),
})

const Predictions = Schema.Struct({
  count: Schema.Natural.annotate({ description: "Open markets that are followed" }),
  top: Schema.Array(
    Schema.Struct({
      question: NonEmptyTextUpTo(QUESTION_MAX_CHARACTERS),
      volume_24hr: Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0)).annotate({
        description: "Turnover of the last 24 hours, US dollars (USDC)",
      }),
      outcomes: PredictionRow.fields.outcomes.annotate({
        description: `Each possible answer with its probability in percent, at most ${OUTCOMES_MAX}`,
      }),
    }),
  )
    .check(Schema.isMaxLength(PRO_MARKETS_MAX))
    .annotate({ description: "Largest turnover of the last 24 hours first; only markets whose turnover is known" }),
})

const Point = Schema.Struct({
  ts: Milliseconds.annotate({ description: "When the price was seen, milliseconds since the epoch" }),
  price: Schema.Finite.check(Schema.isGreaterThan(0)).annotate({ description: "One bitcoin, US dollars" }),
})
const Series = Schema.Struct({
  btc_24h: Schema.Array(Point).check(Schema.isMaxLength(SERIES_MAX_ROWS)).annotate({
    description: "The first price seen in each five minutes of the last 24 hours, oldest first; gaps stay gaps",
  }),
})

const sections = {
  earthquakes: Schema.NullOr(Earthquakes),
  tech_news: Schema.NullOr(TechNews),
  humans_in_space: Schema.NullOr(HumansInSpace),
  launches: Schema.NullOr(Launches),
  predictions: Schema.NullOr(Predictions),
} as const

/** The whole briefing. A section is null while its feed has never answered. */
export const ProBriefingFull = Schema.Struct({ sections: Schema.Struct(sections), series: Series })
export type ProBriefingFull = typeof ProBriefingFull.Type

const optional = <S extends Schema.Top>(schema: S) => Schema.optionalKey(schema)

/** The data of one call: the requested sections. */
export const ProBriefing = Schema.Struct({
  sections: Schema.Struct({
    earthquakes: optional(sections.earthquakes),
    tech_news: optional(sections.tech_news),
    humans_in_space: optional(sections.humans_in_space),
    launches: optional(sections.launches),
    predictions: optional(sections.predictions),
  }).annotate({ description: "The requested sections; null, never zero, while the feed has not answered yet" }),
  series: optional(Series).annotate({
    description: "Only with history=24h; left out, with a note, where the terms of a source forbid selling the prices",
  }),
  sample_size: Schema.Record(Schema.String, Schema.Natural).annotate({
    description: "Number of items behind each part; parts without data are left out",
  }),
  notes: Schema.Record(Schema.String, Schema.String).annotate({
    description: "Explanation of each part, and why it is null",
  }),
})
export type ProBriefing = typeof ProBriefing.Type
