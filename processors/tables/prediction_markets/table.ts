import { predictions, yesAndNo } from "../../../schemas/feeds/predictions.ts"
import { monthOf, table } from "../../table.ts"

export default table({
  name: "prediction_markets",
  feed: predictions,
  rows: ({ kind, item, observedAt }) => [
    {
      id: item.id,
      question: item.question,
      outcomes: item.outcomes.map(({ name }) => name),
      probabilities: item.outcomes.map(({ probability }) => probability),
      yes_probability: yesAndNo(item)?.yes ?? null,
      volume_24h_usd: item.volume24hUsd,
      volume_usd: item.volumeUsd,
      ends_at: item.endsAt,
      url: item.url ?? "",
      listed: kind !== "gone",
      observed_at: observedAt,
    },
  ],
  partition: (row) => monthOf(row.observed_at),
})
