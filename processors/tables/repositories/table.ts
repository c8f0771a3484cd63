import { repositories, repositorySetOf } from "../../../schemas/feeds/repositories.ts"
import { itemTable } from "../../table.ts"

export default itemTable(import.meta.url, {
  feed: repositories,
  columns: ({ item, parameters }) => ({ set_name: repositorySetOf(parameters), license: item.licence }),
})
