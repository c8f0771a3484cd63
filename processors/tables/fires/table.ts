import { wildfires } from "../../../schemas/feeds/wildfires.ts"
import { itemTable, monthOf } from "../../table.ts"
import { approximateUsState } from "../../views/wildfires/us-state.ts"

// No row of a detection that is gone: its day is over.
export default itemTable({
  name: "fires",
  feed: wildfires,
  texts: ["instrument", "confidence", "version"],
  columns: ({ item }) => ({ us_state: approximateUsState(item.latitude, item.longitude) ?? "" }),
  partition: (row) => monthOf(row.acquired_at),
})
