import { modelHubTrending } from "../../../schemas/feeds/model-hub-trending.ts"
import { itemTable } from "../../table.ts"

export default itemTable(import.meta.url, {
  feed: modelHubTrending,
  held: {},
  columns: ({ item }) => ({ license: item.licence }),
})
