import { internetPulse } from "../../../schemas/feeds/internet-pulse.ts"
import { monthOf, table } from "../../table.ts"

export default table({
  name: "internet_pulse",
  feed: internetPulse,
  rows: ({ kind, item, observedAt }) =>
    kind === "gone"
      ? []
      : [{ target: item.name, host: item.host, latency_ms: item.latencyMs, observed_at: observedAt }],
  partition: (row) => monthOf(row.observed_at),
})
