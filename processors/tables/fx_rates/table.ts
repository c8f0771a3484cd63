import { forex } from "../../../schemas/feeds/forex.ts"
import { table } from "../../table.ts"

export default table({
  name: "fx_rates",
  feed: forex,
  // "gone" only means that the day left the list of the latest days: no row.
  rows: ({ kind, item, provider, observedAt }) =>
    kind === "gone"
      ? []
      : [{ day: item.day, base: "USD", currency: item.currency, rate: item.rate, provider, observed_at: observedAt }],
  partition: (row) => row.day.slice(0, 4),
})
