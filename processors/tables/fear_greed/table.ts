import { fearGreed } from "../../../schemas/feeds/fear-greed.ts"
import { table } from "../../table.ts"

export default table({
  name: "fear_greed",
  feed: fearGreed,
  // "gone" only means that the day left the list of the latest days: no row.
  rows: ({ kind, item, observedAt }) =>
    kind === "gone"
      ? []
      : [{ day: item.day.slice(0, 10), value: item.value, label: item.label, observed_at: observedAt }],
  partition: (row) => row.day.slice(0, 4),
})
