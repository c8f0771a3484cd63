import { launches } from "../../../schemas/feeds/launches.ts"
import { monthOf, table } from "../../table.ts"

export default table({
  name: "launches",
  feed: launches,
  rows: ({ kind, item, observedAt }) => [
    {
      id: item.id,
      name: item.name,
      provider: item.provider ?? "",
      vehicle: item.vehicle ?? "",
      mission: item.mission ?? "",
      status: item.status,
      status_abbrev: item.statusAbbreviation,
      net: item.net,
      net_precision: item.netPrecision ?? "",
      window_start: item.windowStart,
      window_end: item.windowEnd,
      pad: item.pad ?? "",
      location: item.location ?? "",
      latitude: item.latitude,
      longitude: item.longitude,
      probability_percent: item.probabilityPercent,
      updated_at: item.updatedAt,
      listed: kind !== "gone",
      observed_at: observedAt,
    },
  ],
  partition: (row) => monthOf(row.observed_at),
})
