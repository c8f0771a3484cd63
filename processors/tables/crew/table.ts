import { humansInSpace } from "../../../schemas/feeds/humans-in-space.ts"
import { table } from "../../table.ts"

export default table({
  name: "crew",
  feed: humansInSpace,
  rows: ({ kind, item, observedAt }) => [
    { name: item.name, craft: item.craft ?? "", change: kind, observed_at: observedAt },
  ],
  partition: (row) => row.observed_at.slice(0, 4),
})
