import { fearGreed } from "../../../schemas/feeds/fear-greed.ts"
import { table } from "../../table.ts"

export default table({
  name: "fear_greed",
  feed: fearGreed,
  // A day leaves the list of the latest days; its value stays what it was.
  rows: ({ kind, item, observedAt }) =>
    kind === "gone"
      ? []
      : [{ day: item.day.slice(0, 10), value: item.value, label: item.label, observed_at: observedAt }],
  partition: (row) => row.day.slice(0, 4),
})
