import { repositories, repositorySetOf } from "../../../schemas/feeds/repositories.ts"
import { itemTable } from "../../table.ts"

export default itemTable({
  name: "repositories",
  feed: repositories,
  without: ["licence"],
  texts: ["description", "language"],
  columns: ({ item, parameters }) => ({ set_name: repositorySetOf(parameters), license: item.licence ?? "" }),
  listed: "listed",
})
