import { forex } from "../../../schemas/feeds/forex.ts"
import { table } from "../../table.ts"

export default table({
  name: "fx_rates",
  feed: forex,
  // A day leaves the list of the latest days; its rates stay what they were.
  rows: ({ kind, item, provider, observedAt }) =>
    kind === "gone"
      ? []
      : [{ day: item.day, base: "USD", currency: item.currency, rate: item.rate, provider, observed_at: observedAt }],
  partition: (row) => row.day.slice(0, 4),
})
