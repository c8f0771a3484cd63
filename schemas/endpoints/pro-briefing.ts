import * as Schema from "effect/Schema"
import { endpoint } from "../contract/endpoint.ts"
import type { Selection } from "../contract/endpoint-kinds.ts"
import { choice, wordList } from "../contract/parameters.ts"
import { CREW_MAX, CREW_NAME_LENGTH_MAX } from "../feeds/humans-in-space.ts"
import { OUTCOMES_MAX, PredictionRow, QUESTION_CHARACTERS_MAX } from "../feeds/predictions.ts"
import { NonEmptyTextUpTo } from "../text.ts"

/** The sections of the briefing, as callers name them. */
export const proBriefingWords = ["earthquakes", "tech-news", "humans-in-space", "launches", "predictions"] as const
export type ProBriefingWord = (typeof proBriefingWords)[number]

/** How many markets the briefing shows. */
export const PRO_MARKETS_MAX = 10
/** The series of the last 24 hours: its length, and how far its points are apart at the least, in milliseconds. */
export const SERIES_WINDOW_MS = 24 * 60 * 60_000
export const SERIES_EVERY_MS = 5 * 60_000
/** Points of the series, at most. */
export const SERIES_ROWS_MAX = SERIES_WINDOW_MS / SERIES_EVERY_MS + 1

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
  count: Schema.Natural.annotate({ description: "Launches that are announced" }),
  next: Schema.NullOr(
    Schema.Struct({
      name: Schema.NonEmptyString,
      provider: Schema.NullOr(Schema.NonEmptyString),
      status: Schema.NullOr(Schema.NonEmptyString),
      time: Schema.NullOr(Milliseconds).annotate({ description: "Scheduled time, milliseconds since the epoch" }),
    }),
  ),
})

const Predictions = Schema.Struct({
  count: Schema.Natural.annotate({ description: "Open markets that are followed" }),
  top: Schema.Array(
    Schema.Struct({
      question: NonEmptyTextUpTo(QUESTION_CHARACTERS_MAX),
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
  btc_24h: Schema.Array(Point).check(Schema.isMaxLength(SERIES_ROWS_MAX)).annotate({
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
  series: optional(Series).annotate({ description: "Only with history=24h" }),
  sample_size: Schema.Record(Schema.String, Schema.Natural).annotate({
    description: "Number of items behind each part; parts without data are left out",
  }),
  notes: Schema.Record(Schema.String, Schema.String).annotate({ description: "Explanation of each part" }),
})
export type ProBriefing = typeof ProBriefing.Type

/** The names of the view's inputs. */
export type ProBriefingInput = "quakes" | "frontPage" | "people" | "markets" | "btc24h"

/** The section of each word, its input, its number of items and its note. */
const parts: Readonly<
  Record<
    ProBriefingWord,
    {
      readonly section: keyof typeof sections
      /** Null where no feed of this service fills the section. */
      readonly input: ProBriefingInput | null
      readonly count: (all: ProBriefingFull["sections"]) => number | undefined
      readonly note: string
    }
  >
> = {
  earthquakes: {
    section: "earthquakes",
    input: "quakes",
    count: (all) => all.earthquakes?.count,
    note: "Magnitude 2.5 and above, last 24 hours, worldwide (USGS).",
  },
  "tech-news": {
    section: "tech_news",
    input: "frontPage",
    count: (all) => all.tech_news?.top_story_count,
    note: "The front page of Hacker News, without job advertisements.",
  },
  "humans-in-space": {
    section: "humans_in_space",
    input: "people",
    count: (all) => all.humans_in_space?.count,
    note: "A list kept by hand at its source: it can lag behind launches and landings by weeks.",
  },
  launches: {
    section: "launches",
    input: null,
    count: (all) => all.launches?.count,
    note: "Null while this service follows no feed of launches.",
  },
  predictions: {
    section: "predictions",
    input: "markets",
    count: (all) => all.predictions?.count,
    note: "Open markets of Polymarket by turnover of 24 hours; probabilities are the prices of the outcomes.",
  },
}

/** Selects the requested sections; all of them without `include`. */
export const selectProBriefing = (
  full: ProBriefingFull,
  asked: { readonly include: ReadonlyArray<ProBriefingWord> | undefined; readonly history: "24h" | undefined },
): Selection<ProBriefing> => {
  const chosen = proBriefingWords.filter((word) => asked.include === undefined || asked.include.includes(word))
  const sizes = chosen.flatMap((word): ReadonlyArray<[string, number]> => {
    const count = parts[word].count(full.sections)
    return count === undefined ? [] : [[parts[word].section, count]]
  })
  const withSeries = asked.history === "24h"
  const inputs = chosen.flatMap((word) => parts[word].input ?? [])
  const data = {
    sections: Object.fromEntries(chosen.map((word) => [parts[word].section, full.sections[parts[word].section]])),
    ...(withSeries ? { series: full.series } : {}),
    sample_size: Object.fromEntries([
      ...sizes,
      ...(withSeries ? [["btc_24h", full.series.btc_24h.length] as const] : []),
    ]),
    notes: Object.fromEntries([
      ...chosen.map((word) => [parts[word].section, parts[word].note] as const),
      ...(withSeries
        ? [["btc_24h", "The first price of each five minutes at the venue that answered; Tether counts as a dollar."]]
        : []),
    ]),
  }
  return {
    data,
    inputs: withSeries ? [...inputs, "btc24h" satisfies ProBriefingInput] : inputs,
  }
}

/** Whether no section holds data, and no price either. */
const isEmpty = ({ sections: chosen, series }: ProBriefing): boolean =>
  Object.values(chosen).every((section) => section === null) && (series?.btc_24h.length ?? 0) === 0

const exampleFull: ProBriefingFull = {
  sections: {
    earthquakes: {
      count: 34,
      latest: { magnitude: 2.9, place: "12 km S of Iquique, Chile", time: 1_787_002_381_000 },
    },
    tech_news: { top_story_count: 30 },
    humans_in_space: { count: 2, names: ["Raja Chari", "Wang Yaping"] },
    launches: null,
    predictions: {
      count: 50,
      top: [
        {
          question: "Will it rain on the opening day of the fair?",
          volume_24hr: 2502.29,
          outcomes: [
            { name: "Yes", percent: 51 },
            { name: "No", percent: 49 },
          ],
        },
      ],
    },
  },
  series: {
    btc_24h: [
      { ts: 1_787_002_200_412, price: 63_180.4 },
      { ts: 1_787_002_500_398, price: 63_212.97 },
    ],
  },
}

export const proBriefingEndpoint = endpoint({
  path: "/api/pro/briefing",
  name: "pro_briefing",
  kind: "filtered",
  tier: "premium",
  credits: 1,
  ttl: "60 seconds",
  summary: "The world in one reply, for programs: earthquakes, tech news, people in space, launches, predictions",
  description: [
    "Adds prediction markets to the free briefing, and can be reduced to the requested sections. A section whose",
    "feed has never answered is null. With `history=24h` the course of the bitcoin price over 24 hours is added.",
    "The sections of bitcoin and of the market mood were removed on 2026-07-23.",
  ].join(" "),
  parameters: {
    include: {
      schema: wordList(proBriefingWords),
      optional: true,
      description: `Comma list of sections: ${proBriefingWords.join(", ")}; all of them when left out`,
      example: "earthquakes,predictions",
    },
    history: { ...choice(["24h"], { description: "24h adds series.btc_24h" }), optional: true },
  },
  data: ProBriefing,
  cold: {
    sections: { earthquakes: null, tech_news: null, humans_in_space: null, launches: null, predictions: null },
    series: { btc_24h: [] },
  },
  select: selectProBriefing,
  empty: isEmpty,
  example: selectProBriefing(exampleFull, { include: undefined, history: "24h" }).data,
})
