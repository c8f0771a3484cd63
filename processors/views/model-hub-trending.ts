import { type HubModel, modelHubTrending, modelHubTrendingEndpoint } from "../../schemas/feeds/model-hub-trending.ts"
import { changesOf, from, rowsBy, view } from "../view/view.ts"

const modelRow = (model: HubModel) => {
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
}
const modelRows = rowsBy(modelRow)

export default view({
  endpoint: modelHubTrendingEndpoint,
  reads: { trending: from(modelHubTrending) },
  changes: [changesOf(modelHubTrending, modelRow)],
  build: ({ trending }) => {
    const rows = modelRows(trending.payload.items)
    return { count: rows.length, models: rows }
  },
})
