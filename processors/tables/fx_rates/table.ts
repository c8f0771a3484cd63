import { forex } from "../../../schemas/feeds/forex.ts"
import { itemTable } from "../../table.ts"

// No row of a day that is gone: it has left the list of the latest days.
export default itemTable(import.meta.url, {
  feed: forex,
  held: { newest: "day" },
  columns: () => ({ base: "USD" }),
})
