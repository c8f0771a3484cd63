import { modelHubTrending } from "../../../schemas/feeds/model-hub-trending.ts"
import { itemTable } from "../../table.ts"

export default itemTable({
  name: "models",
  feed: modelHubTrending,
  without: ["licence"],
  texts: ["pipeline", "library"],
  columns: ({ item }) => ({ license: item.licence ?? "" }),
  listed: "listed",
})
