import { modelHubTrending } from "../../../schemas/feeds/model-hub-trending.ts"
import { monthOf, table } from "../../table.ts"

export default table({
  name: "models",
  feed: modelHubTrending,
  rows: ({ kind, item, observedAt }) => [
    {
      id: item.id,
      likes: item.likes,
      downloads: item.downloads,
      trending_score: item.trendingScore,
      pipeline: item.pipeline ?? "",
      library: item.library ?? "",
      license: item.licence ?? "",
      updated_at: item.updatedAt,
      listed: kind !== "gone",
      observed_at: observedAt,
    },
  ],
  partition: (row) => monthOf(row.observed_at),
})
