import { coins } from "../../../schemas/feeds/coins.ts"
import { itemTable } from "../../table.ts"

export default itemTable(import.meta.url, {
  feed: coins,
  held: {},
})
