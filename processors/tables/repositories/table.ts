import { repositories } from "../../../schemas/feeds/repositories.ts"
import { itemTable } from "../../table.ts"

export default itemTable(import.meta.url, {
  feed: repositories,
  now: { identity: ["set_name", "full_name"] },
  held: { parameters: { set: "set_name" } },
  columns: ({ item, parameters }) => ({ set_name: parameters.set ?? "", license: item.licence }),
})
