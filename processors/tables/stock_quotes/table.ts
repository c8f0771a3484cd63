import { stockQuotes } from "../../../schemas/feeds/stock-quotes.ts"
import { itemTable } from "../../table.ts"

export default itemTable(import.meta.url, {
  feed: stockQuotes,
  now: { identity: ["symbol"] },
  held: {},
})
