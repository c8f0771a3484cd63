import { reactors } from "../../../schemas/feeds/reactors.ts"
import { monthOf, table } from "../../table.ts"

export default table({
  name: "reactor_power",
  feed: reactors,
  // A unit that is missing from a report says nothing about its power.
  rows: ({ kind, item, provider, observedAt }) =>
    kind === "gone"
      ? []
      : [
          {
            unit: item.unit,
            report_date: item.reportDate,
            power_percent: item.powerPercent,
            provider,
            observed_at: observedAt,
          },
        ],
  partition: (row) => monthOf(row.report_date),
})
