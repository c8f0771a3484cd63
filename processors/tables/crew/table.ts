import { humansInSpace } from "../../../schemas/feeds/humans-in-space.ts"
import { table } from "../../table.ts"

export default table(import.meta.url, {
  feed: humansInSpace,
  now: { stands: "change != 'gone'" },
  rows: ({ kind, item, observedAt }) => [
    { name: item.name, craft: item.craft ?? "", change: kind, observed_at: observedAt },
  ],
})
