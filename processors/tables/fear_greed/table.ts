import { fearGreed } from "../../../schemas/feeds/fear-greed.ts"
import { itemTable } from "../../table.ts"

// No row of a day that is gone: it has left the list of the latest days.
export default itemTable({
  name: "fear_greed",
  feed: fearGreed,
  columns: ({ item }) => ({ day: item.day.slice(0, 10) }),
  partition: ({ day }) => day.slice(0, 4),
})
