import {
  type PredictionMarket,
  type PredictionRow,
  predictions,
  predictionsEndpoint,
  yesAndNo,
} from "../../schemas/feeds/predictions.ts"
import { rounded } from "../../schemas/number.ts"
import { changesOf, from, rowsBy, view } from "../view/view.ts"

const percent = (probability: number | null): number | null =>
  probability === null ? null : rounded(probability * 100, 2)

/** A market as replies state it. Yes and No each have their own price: they need not add up to a hundred. */
const predictionRow = (market: PredictionMarket): PredictionRow => {
  const binary = yesAndNo(market)
  return {
    question: market.question,
    yes_percent: percent(binary?.yes ?? null),
    no_percent: percent(binary?.no ?? null),
    volume_usd: market.volumeUsd,
    volume_24h_usd: market.volume24hUsd,
    outcomes: market.outcomes.map(({ name, probability }) => ({ name, percent: percent(probability) })),
    url: market.url,
  }
}

/** Markets as replies state them. */
export const predictionRows = rowsBy(predictionRow)

export default view({
  endpoint: predictionsEndpoint,
  reads: { markets: from(predictions) },
  changes: [changesOf(predictions, predictionRow)],
  build: ({ markets }) => predictionRows(markets.payload.items),
})
