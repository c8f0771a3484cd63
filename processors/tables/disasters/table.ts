import { disasterAlerts } from "../../../schemas/feeds/disaster-alerts.ts"
import { monthOf, table } from "../../table.ts"

export default table({
  name: "disasters",
  feed: disasterAlerts,
  rows: ({ kind, item, observedAt }) => [
    {
      type: item.type,
      id: item.id,
      episode: item.episode,
      name: item.name,
      alert_level: item.level,
      country: item.country ?? "",
      countries: item.countries,
      from_at: item.from,
      to_at: item.to,
      updated_at: item.updatedAt,
      is_current: item.isCurrent,
      severity_value: item.severity?.value ?? null,
      severity_unit: item.severity?.unit ?? "",
      severity_text: item.severity?.text ?? "",
      latitude: item.latitude,
      longitude: item.longitude,
      url: item.url ?? "",
      listed: kind !== "gone",
      observed_at: observedAt,
    },
  ],
  partition: (row) => monthOf(row.observed_at),
})
