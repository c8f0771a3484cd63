import { proBriefingEndpoint } from "../../schemas/endpoints/pro-briefing.ts"
import { btcPrice } from "../../schemas/feeds/btc-price.ts"
import { DAILY, type Earthquake, earthquakes } from "../../schemas/feeds/earthquakes.ts"
import { humansInSpace } from "../../schemas/feeds/humans-in-space.ts"
import { launches } from "../../schemas/feeds/launches.ts"
import { type PredictionMarket, predictions } from "../../schemas/feeds/predictions.ts"
import { techNews } from "../../schemas/feeds/tech-news.ts"
import {
  PRO_MARKETS_MAX,
  type ProBriefingFull,
  SERIES_EVERY_MS,
  SERIES_WINDOW_MS,
} from "../../schemas/payloads/pro-briefing.ts"
import type { ProBriefingInput } from "../../schemas/payloads/pro-briefing-selection.ts"
import { type Input, optionally, series, until, view } from "../view/view.ts"
import { listedLaunches } from "./launches.ts"
import { predictionRows } from "./predictions.ts"

type Sections = ProBriefingFull["sections"]
type Latest = NonNullable<Sections["earthquakes"]>["latest"]

/** The latest quake with a magnitude and a place; the feed lists the newest first. */
const latestOf = (quakes: ReadonlyArray<Earthquake>): Latest => {
  for (const { magnitude, place, time } of quakes)
    if (magnitude !== null && place !== null && place !== "") return { magnitude, place, time: Date.parse(time) }
  return null
}

const topOf = (markets: ReadonlyArray<PredictionMarket>): NonNullable<Sections["predictions"]>["top"] =>
  predictionRows(markets)
    .flatMap(({ question, outcomes, volume_24h_usd: volume }) =>
      volume === null ? [] : [{ question, volume_24hr: volume, outcomes }],
    )
    .slice(0, PRO_MARKETS_MAX)

type LaunchRow = ReturnType<typeof listedLaunches>["data"][number]

/** The listed launches, and the first of them whose time is still ahead: one in flight or on hold is not the next. */
const launchSection = (rows: ReadonlyArray<LaunchRow>, nowMs: number): Sections["launches"] => {
  for (const { name, provider, status, net, net_precision } of rows) {
    const time = net === null ? null : Date.parse(net)
    if (time !== null && time > nowMs)
      return { count: rows.length, next: { name, provider, status, time, time_precision: net_precision } }
  }
  return { count: rows.length, next: null }
}

export default view({
  endpoint: proBriefingEndpoint,
  reads: {
    quakes: optionally(earthquakes, DAILY),
    frontPage: optionally(techNews),
    people: optionally(humansInSpace),
    catalogue: optionally(launches),
    markets: optionally(predictions),
    btc24h: series(btcPrice, {
      windowMs: SERIES_WINDOW_MS,
      everyMs: SERIES_EVERY_MS,
      value: ({ price }) => price,
    }),
  } satisfies Readonly<Record<ProBriefingInput, Input>>,
  // A launch leaves the list at its time.
  clock: true,
  build: ({ quakes, frontPage, people, catalogue, markets, btc24h }, { nowMs }) => {
    const listed = catalogue === null ? null : listedLaunches(catalogue.payload.items, nowMs)
    const data = {
      sections: {
        earthquakes:
          quakes === null ? null : { count: quakes.payload.items.length, latest: latestOf(quakes.payload.items) },
        tech_news: frontPage === null ? null : { top_story_count: frontPage.payload.items.length },
        humans_in_space:
          people === null
            ? null
            : { count: people.payload.items.length, names: people.payload.items.map(({ name }) => name) },
        launches: listed === null ? null : launchSection(listed.data, nowMs),
        predictions:
          markets === null ? null : { count: markets.payload.items.length, top: topOf(markets.payload.items) },
      },
      series: { btc_24h: btc24h.map(([ts, price]) => ({ ts, price })) },
    }
    return until(data, listed?.changesAtMs ?? null)
  },
})
