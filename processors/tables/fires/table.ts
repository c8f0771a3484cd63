import { wildfires } from "../../../schemas/feeds/wildfires.ts"
import { itemTable } from "../../table.ts"
import { approximateUsState } from "../../views/wildfires/us-state.ts"

// No row of a detection that is gone: its day is over.
export default itemTable(import.meta.url, {
  feed: wildfires,
  columns: ({ item }) => ({ us_state: approximateUsState(item.latitude, item.longitude) }),
})
