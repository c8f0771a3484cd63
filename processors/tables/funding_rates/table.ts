import { fundingRates } from "../../../schemas/feeds/funding-rates.ts"
import { monthOf, table } from "../../table.ts"

export default table({
  name: "funding_rates",
  feed: fundingRates,
  rows: ({ kind, parameters, item, observedAt }) => [
    {
      venue: parameters.venue ?? "",
      symbol: item.symbol,
      base: item.base,
      period_hours: item.periodHours,
      period_rate: item.periodRate,
      annualized_percent: item.annualizedPercent,
      mark_price: item.markPrice,
      next_funding_time: item.nextFundingTime,
      listed: kind !== "gone",
      observed_at: observedAt,
    },
  ],
  partition: (row) => monthOf(row.observed_at),
})
