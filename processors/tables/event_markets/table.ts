import { eventMarket } from "../../../schemas/feeds/event-market.ts"
import { itemTable } from "../../table.ts"

export default itemTable(import.meta.url, {
  feed: eventMarket,
  held: {},
})
