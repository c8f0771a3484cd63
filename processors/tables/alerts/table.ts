import { weatherAlerts } from "../../../schemas/feeds/weather-alerts.ts"
import { monthOf, table } from "../../table.ts"

export default table({
  name: "alerts",
  feed: weatherAlerts,
  rows: ({ kind, item, observedAt }) => [
    {
      id: item.id,
      event: item.event,
      status: item.status,
      message_type: item.messageType,
      severity: item.severity,
      urgency: item.urgency,
      certainty: item.certainty,
      category: item.category,
      headline: item.headline ?? "",
      description: item.description ?? "",
      area: item.areaDescription,
      zones: item.zones,
      sender_name: item.senderName,
      sent: item.sent,
      effective: item.effective,
      onset: item.onset,
      expires: item.expires,
      ends: item.ends,
      listed: kind !== "gone",
      observed_at: observedAt,
    },
  ],
  partition: (row) => monthOf(row.observed_at),
})
