import { disasterAlerts } from "../../../schemas/feeds/disaster-alerts.ts"
import { itemTable } from "../../table.ts"

export default itemTable({
  name: "disasters",
  feed: disasterAlerts,
  without: ["level", "from", "to", "severity"],
  texts: ["country", "url"],
  columns: ({ item: { level, from, to, severity } }) => ({
    alert_level: level,
    from_at: from,
    to_at: to,
    severity_value: severity?.value ?? null,
    severity_unit: severity?.unit ?? "",
    severity_text: severity?.text ?? "",
  }),
  listed: "listed",
})
