import { disasterAlerts } from "../../../schemas/feeds/disaster-alerts.ts"
import { itemTable } from "../../table.ts"

export default itemTable(import.meta.url, {
  feed: disasterAlerts,
  columns: ({ item: { level, from, to, severity } }) => ({
    alert_level: level,
    from_at: from,
    to_at: to,
    severity_value: severity?.value ?? null,
    severity_unit: severity?.unit ?? null,
    severity_text: severity?.text ?? null,
  }),
})
