import { eventMarket } from "../../../schemas/feeds/event-market.ts"
import { itemTable } from "../../table.ts"

export default itemTable({
  name: "event_markets",
  feed: eventMarket,
  texts: ["category", "leader"],
  columns: ({ provider }) => ({ provider }),
  listed: "listed",
})
