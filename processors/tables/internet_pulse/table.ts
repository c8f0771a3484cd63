import { internetPulse } from "../../../schemas/feeds/internet-pulse.ts"
import { itemTable } from "../../table.ts"

export default itemTable({
  name: "internet_pulse",
  feed: internetPulse,
  without: ["name"],
  columns: ({ item }) => ({ target: item.name }),
})
