import type { Selection } from "../contract/endpoint-kinds.ts"
import { WITHHELD_NOTE } from "../contract/provenance.ts"
import { type ProBriefing, type ProBriefingFull, type ProBriefingWord, proBriefingWords } from "./pro-briefing.ts"

/** The names of the view's inputs. */
export type ProBriefingInput = "quakes" | "frontPage" | "people" | "catalogue" | "markets" | "btc24h"

/** The section of each word, its input, its number of items and its note. */
const parts: Readonly<
  Record<
    ProBriefingWord,
    {
      readonly section: keyof ProBriefingFull["sections"]
      readonly input: ProBriefingInput
      readonly count: (all: ProBriefingFull["sections"]) => number | undefined
      readonly note: string
    }
  >
> = {
  earthquakes: {
    section: "earthquakes",
    input: "quakes",
    count: (all) => all.earthquakes?.count,
    note: "Magnitude 2.5 and above, last 24 hours, worldwide (USGS). latest has a magnitude and a place: it is null where no quake has both.",
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
    input: "catalogue",
    count: (all) => all.launches?.count,
    note: "Launches to come, on hold or in flight, as /api/launches lists them. next is the first whose time is still ahead, null where none has such a time; a coarse time_precision makes its time a placeholder. provider and time_precision are null where the catalogue does not say.",
  },
  predictions: {
    section: "predictions",
    input: "markets",
    count: (all) => all.predictions?.count,
    note: "Open markets of Polymarket by turnover of 24 hours; probabilities are the prices of the outcomes, null before the first price.",
  },
}

const SERIES_INPUT: ProBriefingInput = "btc24h"
const SERIES_NOTE = "The first price of each five minutes at the venue that answered; Tether counts as a dollar."
const UNREAD_NOTE = "Null: no source of it has answered here (_meta.sources)."

/** Selects the requested sections; all of them without `include`. A withheld section is null, withheld prices are left out. */
export const selectProBriefing = (
  full: ProBriefingFull,
  asked: { readonly include: ReadonlyArray<ProBriefingWord> | undefined; readonly history: "24h" | undefined },
  withheld: ReadonlySet<string>,
): Selection<ProBriefing> => {
  const chosen = proBriefingWords
    .filter((word) => asked.include === undefined || asked.include.includes(word))
    .map((word) => ({ ...parts[word], isWithheld: withheld.has(parts[word].input) }))
  const sold = chosen.filter(({ isWithheld }) => !isWithheld)
  const withSeries = asked.history === "24h"
  const sellsSeries = withSeries && !withheld.has(SERIES_INPUT)
  const data = {
    sections: Object.fromEntries(
      chosen.map(({ section, isWithheld }) => [section, isWithheld ? null : full.sections[section]]),
    ),
    ...(sellsSeries ? { series: full.series } : {}),
    sample_size: Object.fromEntries([
      ...sold.flatMap(({ section, count }): ReadonlyArray<[string, number]> => {
        const size = count(full.sections)
        return size === undefined ? [] : [[section, size]]
      }),
      ...(sellsSeries ? [["btc_24h", full.series.btc_24h.length] as const] : []),
    ]),
    notes: Object.fromEntries([
      ...chosen.map(({ section, isWithheld, note }) => {
        const why = full.sections[section] === null ? `${UNREAD_NOTE} ${note}` : note
        return [section, isWithheld ? WITHHELD_NOTE : why] as const
      }),
      ...(withSeries ? [["btc_24h", sellsSeries ? SERIES_NOTE : WITHHELD_NOTE] as const] : []),
    ]),
  }
  const inputs = sold.map(({ input }) => input)
  return { data, inputs: sellsSeries ? [...inputs, SERIES_INPUT] : inputs }
}
