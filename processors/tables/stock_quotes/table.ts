import { stockQuotes } from "../../../schemas/feeds/stock-quotes.ts"
import { monthOf, table } from "../../table.ts"

export default table({
  name: "stock_quotes",
  feed: stockQuotes,
  // An instance that is no longer polled says nothing about its price.
  rows: ({ kind, item, provider, observedAt }) =>
    kind === "gone"
      ? []
      : [
          {
            symbol: item.symbol,
            price: item.price,
            open: item.open,
            high: item.high,
            low: item.low,
            previous_close: item.previousClose,
            traded_at: item.tradedAt,
            provider,
            observed_at: observedAt,
          },
        ],
  partition: (row) => monthOf(row.traded_at),
})
