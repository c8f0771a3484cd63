import { economicSeries, factsOfSeries } from "../../../schemas/feeds/economic-series.ts"
import { table } from "../../table.ts"

export default table({
  name: "economic_series",
  feed: economicSeries,
  // A number leaves the list of the latest ones; it stays what it was.
  rows: ({ kind, item, parameters, provider, observedAt }) => {
    if (kind === "gone") return []
    const { id, unit } = factsOfSeries(parameters)
    return [{ series: id, date: item.date, value: item.value, unit, provider, observed_at: observedAt }]
  },
  partition: (row) => row.date.slice(0, 4),
})
