import { tradeHalts } from "../../../schemas/feeds/trade-halts.ts"
import { monthOf, table } from "../../table.ts"

export default table({
  name: "trade_halts",
  feed: tradeHalts,
  rows: ({ kind, item, observedAt }) => [
    {
      halted_at: item.haltedAt,
      symbol: item.symbol,
      name: item.name,
      market: item.market,
      reason_code: item.reasonCode,
      pause_threshold_price: item.pauseThresholdPrice,
      resumption_quote_at: item.resumptionQuoteAt,
      resumption_at: item.resumptionAt,
      listed: kind !== "gone",
      observed_at: observedAt,
    },
  ],
  partition: (row) => monthOf(row.observed_at),
})
