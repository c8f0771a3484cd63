import { harnesses } from "../../../schemas/feeds/harnesses.ts"
import { monthOf, table } from "../../table.ts"

export default table({
  name: "harness_scores",
  feed: harnesses,
  rows: ({ kind, parameters, item, observedAt }) => [
    {
      revision: parameters.revision ?? "",
      model: item.model,
      harness: item.harness,
      reasoning_effort: item.reasoningEffort ?? "",
      rank: item.rank,
      score: item.score,
      ci_low: item.ciLow,
      ci_high: item.ciHigh,
      tokens: item.tokens,
      cost_usd: item.costUsd,
      listed: kind !== "gone",
      observed_at: observedAt,
    },
  ],
  partition: (row) => monthOf(row.observed_at),
})
