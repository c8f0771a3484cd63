import { internetPulse } from "../../../schemas/feeds/internet-pulse.ts"
import { itemTable } from "../../table.ts"

export default itemTable(import.meta.url, {
  feed: internetPulse,
  held: {},
  columns: ({ item }) => ({ target: item.name }),
})
