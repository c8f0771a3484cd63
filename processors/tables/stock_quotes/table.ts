import { stockQuotes } from "../../../schemas/feeds/stock-quotes.ts"
import { itemTable, monthOf } from "../../table.ts"

// No row of a quote that is gone: an instance that is no longer polled says nothing about its price.
export default itemTable({
  name: "stock_quotes",
  feed: stockQuotes,
  columns: ({ provider }) => ({ provider }),
  partition: (row) => monthOf(row.traded_at),
})
