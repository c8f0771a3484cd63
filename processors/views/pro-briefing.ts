import {
  PRO_MARKETS_MAX,
  type ProBriefingFull,
  type ProBriefingInput,
  proBriefingEndpoint,
  SERIES_EVERY_MS,
  SERIES_WINDOW_MS,
} from "../../schemas/endpoints/pro-briefing.ts"
import { btcPrice } from "../../schemas/feeds/btc-price.ts"
import { DAILY, type Earthquake, earthquakes } from "../../schemas/feeds/earthquakes.ts"
import { humansInSpace } from "../../schemas/feeds/humans-in-space.ts"
import { type PredictionMarket, predictions } from "../../schemas/feeds/predictions.ts"
import { techNews } from "../../schemas/feeds/tech-news.ts"
import { type Input, optionally, series, view } from "../view/view.ts"
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

export default view({
  endpoint: proBriefingEndpoint,
  reads: {
    quakes: optionally(earthquakes, DAILY),
    frontPage: optionally(techNews),
    people: optionally(humansInSpace),
    markets: optionally(predictions),
    btc24h: series(btcPrice, {
      windowMs: SERIES_WINDOW_MS,
      everyMs: SERIES_EVERY_MS,
      value: ({ price }) => price,
    }),
  } satisfies Readonly<Record<ProBriefingInput, Input>>,
  build: ({ quakes, frontPage, people, markets, btc24h }) => ({
    sections: {
      earthquakes:
        quakes === null ? null : { count: quakes.payload.items.length, latest: latestOf(quakes.payload.items) },
      tech_news: frontPage === null ? null : { top_story_count: frontPage.payload.items.length },
      humans_in_space:
        people === null
          ? null
          : { count: people.payload.items.length, names: people.payload.items.map(({ name }) => name) },
      // No feed fills launches yet.
      launches: null,
      predictions: markets === null ? null : { count: markets.payload.items.length, top: topOf(markets.payload.items) },
    },
    series: { btc_24h: btc24h.map(([ts, price]) => ({ ts, price })) },
  }),
})
