import { fearGreed } from "../../../schemas/feeds/fear-greed.ts"
import { itemTable } from "../../table.ts"

export default itemTable(import.meta.url, {
  feed: fearGreed,
  held: { newest: "day" },
})
