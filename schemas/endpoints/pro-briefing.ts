import { endpoint } from "../contract/endpoint.ts"
import { choice, wordList } from "../contract/parameters.ts"
import { ProBriefing, type ProBriefingFull, proBriefingWords } from "../payloads/pro-briefing.ts"
import { selectProBriefing } from "../payloads/pro-briefing-selection.ts"

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
    launches: {
      count: 20,
      next: {
        name: "Kestrel 3 | Survey Satellite 12",
        provider: "Northern Launch Company",
        status: "Go for Launch",
        time: 1_787_018_400_000,
        time_precision: "minute",
      },
    },
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
  subject: "world",
  credits: 1,
  ttl: "60 seconds",
  summary: "The world in one reply, for programs: earthquakes, tech news, people in space, launches, predictions",
  description: [
    "Adds prediction markets to the free briefing, and can be reduced to the requested sections. A section whose",
    "feed has never answered is null, with a note. With `history=24h` the course of the bitcoin price over 24 hours is",
    "added, where the terms of its sources allow selling it.",
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
  example: selectProBriefing(exampleFull, { include: undefined, history: "24h" }, new Set()).data,
})
