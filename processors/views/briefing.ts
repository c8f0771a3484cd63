import {
  BRIEFING_MAX_ROWS,
  type Briefing,
  briefingEndpoint,
  SUMMARY_MAX_CHARACTERS,
} from "../../schemas/endpoints/briefing.ts"
import { btcPrice } from "../../schemas/feeds/btc-price.ts"
import { DAILY, type Earthquake, earthquakes } from "../../schemas/feeds/earthquakes.ts"
import { fearGreed } from "../../schemas/feeds/fear-greed.ts"
import { humansInSpace } from "../../schemas/feeds/humans-in-space.ts"
import { predictions } from "../../schemas/feeds/predictions.ts"
import { serviceStatus } from "../../schemas/feeds/service-status.ts"
import { techNews } from "../../schemas/feeds/tech-news.ts"
import { fromEvery, optionally, view } from "../view/view.ts"
import { bitcoinPriceData } from "./btc-price.ts"
import { earthquakeRows } from "./earthquake.ts"
import { fearGreedData } from "./fear-greed.ts"
import { predictionRows } from "./predictions.ts"
import { serviceRows } from "./service-status.ts"
import { storyRows } from "./tech-news.ts"

type Sections = Briefing["sections"]

const rowOf = (quake: Earthquake | undefined) => (quake === undefined ? null : (earthquakeRows([quake])[0] ?? null))

const quakeSection = (quakes: ReadonlyArray<Earthquake>): Sections["earthquakes"] => {
  const [latest] = quakes
  const strongest = quakes.reduce<Earthquake | undefined>(
    (best, quake) => (quake.magnitude !== null && quake.magnitude > (best?.magnitude ?? -Infinity) ? quake : best),
    undefined,
  )
  return {
    count: quakes.length,
    latest: rowOf(latest),
    strongest: rowOf(strongest),
  }
}

const grouped = (value: number): string => value.toFixed(2).replace(/\B(?=(\d{3})+(?!\d))/g, ",")
const plural = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`

/** The clause about a section; empty where the section is missing. */
const clauseOf = <Section>(section: Section | null, words: (section: Section) => string): ReadonlyArray<string> =>
  section === null ? [] : [words(section)]

const cryptoWords = ({ price_usd, change_24h_percent: change }: NonNullable<Sections["crypto"]>): string => {
  const moved = change === null ? "" : `, ${change < 0 ? "down" : "up"} ${Math.abs(change).toFixed(2)}% in 24 hours`
  return `bitcoin at ${grouped(price_usd)} US dollars${moved}`
}

const quakeWords = ({ count, strongest }: NonNullable<Sections["earthquakes"]>): string => {
  const where = strongest === null || strongest.location === null ? "" : ` (${strongest.location})`
  const worst = strongest === null ? "" : `, the strongest ${strongest.magnitude}${where}`
  return `${plural(count, "earthquake", "earthquakes")} of magnitude 2.5 and above in 24 hours${worst}`
}

const serviceWords = (rows: NonNullable<Sections["services"]>): string => {
  const heard = rows.filter(({ status }) => status !== null)
  const troubled = heard.filter(({ status }) => status !== "operational").map(({ name }) => name)
  const which = troubled.length === 0 ? "" : ` (not: ${troubled.join(", ")})`
  return `${heard.length - troubled.length} of ${plural(heard.length, "service", "services")} fully operational${which}`
}

/** One sentence about all sections that are present. */
const summaryOf = (sections: Sections): string => {
  const clauses = [
    ...clauseOf(sections.crypto, cryptoWords),
    ...clauseOf(sections.fear_greed, ({ value, label }) => `crypto market mood ${value} of 100 (${label})`),
    ...clauseOf(sections.earthquakes, quakeWords),
    ...clauseOf(sections.crew, ({ count }) => `${plural(count, "person", "people")} in space`),
    ...clauseOf(sections.top_story_count, (count) => `${plural(count, "story", "stories")} on the tech front page`),
    ...clauseOf(sections.news?.[0] ?? null, ({ title }) => `top story "${title}"`),
    ...clauseOf(sections.predictions?.[0] ?? null, ({ question }) => `most money bet on "${question}"`),
    ...clauseOf(sections.services, serviceWords),
  ]
  const sentence = clauses.length === 0 ? "nothing is known yet" : clauses.join("; ")
  const capitalised = sentence.charAt(0).toUpperCase() + sentence.slice(1)
  return `${capitalised.slice(0, SUMMARY_MAX_CHARACTERS - 1).toWellFormed()}.`
}

export default view({
  endpoint: briefingEndpoint,
  reads: {
    bitcoin: optionally(btcPrice),
    mood: optionally(fearGreed),
    quakes: optionally(earthquakes, DAILY),
    markets: optionally(predictions),
    frontPage: optionally(techNews),
    // Unlike at the endpoint of their own, all of them may be missing.
    pages: { ...fromEvery(serviceStatus), required: false },
    people: optionally(humansInSpace),
  },
  build: ({ bitcoin, mood, quakes, markets, frontPage, pages, people }) => {
    const sections: Sections = {
      crypto: bitcoin === null ? null : { symbol: "BTC", ...bitcoinPriceData(bitcoin.payload) },
      fear_greed: mood === null ? null : fearGreedData(mood.payload.items[0]),
      earthquakes: quakes === null ? null : quakeSection(quakes.payload.items),
      predictions: markets === null ? null : predictionRows(markets.payload.items.slice(0, BRIEFING_MAX_ROWS)),
      news: frontPage === null ? null : storyRows(frontPage.payload.items.slice(0, BRIEFING_MAX_ROWS)),
      top_story_count: frontPage === null ? null : frontPage.payload.items.length,
      services: pages.every(({ reading }) => reading === null) ? null : serviceRows(pages),
      crew: people === null ? null : { count: people.payload.items.length, people: people.payload.items },
    }
    return { summary: summaryOf(sections), sections }
  },
})
