import { type HubModel, modelHubTrending, modelHubTrendingEndpoint } from "../../schemas/feeds/model-hub-trending.ts"
import { from, rowsBy, view } from "../view/view.ts"

const modelRows = rowsBy((model: HubModel) => {
  const slash = model.id.indexOf("/")
  return {
    id: model.id,
    author: slash === -1 ? null : model.id.slice(0, slash),
    name: model.id.slice(slash + 1),
    likes: model.likes,
    downloads: model.downloads,
    pipeline: model.pipeline,
    url: `https://huggingface.co/${model.id}`,
    updated: model.updatedAt,
    trending_score: model.trendingScore,
    library: model.library,
    license: model.licence,
  }
})

export default view({
  endpoint: modelHubTrendingEndpoint,
  reads: { trending: from(modelHubTrending) },
  build: ({ trending }) => {
    const rows = modelRows(trending.payload.items)
    return { count: rows.length, models: rows }
  },
})
