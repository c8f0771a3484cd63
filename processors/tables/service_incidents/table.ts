import { serviceStatus } from "../../../schemas/feeds/service-status.ts"
import { monthOf, table } from "../../table.ts"

export default table({
  name: "service_incidents",
  feed: serviceStatus,
  rows: ({ kind, parameters, item, observedAt }) => [
    {
      service: parameters.service ?? "",
      id: item.id,
      name: item.name,
      stage: item.stage ?? "",
      impact: item.impact ?? "",
      components: item.components,
      started_at: item.startedAt,
      updated_at: item.updatedAt,
      url: item.url ?? "",
      open: kind !== "gone",
      observed_at: observedAt,
    },
  ],
  partition: (row) => monthOf(row.observed_at),
})
