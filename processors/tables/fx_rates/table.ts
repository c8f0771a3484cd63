import { forex } from "../../../schemas/feeds/forex.ts"
import { itemTable } from "../../table.ts"

// No row of a day that is gone: it has left the list of the latest days.
export default itemTable({
  name: "fx_rates",
  feed: forex,
  columns: ({ provider }) => ({ base: "USD", provider }),
  partition: ({ day }) => day.slice(0, 4),
})
