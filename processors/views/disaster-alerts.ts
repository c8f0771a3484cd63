import {
  DISASTERS_SHOWN_MAX,
  type Disaster,
  disasterAlerts,
  disasterAlertsEndpoint,
} from "../../schemas/feeds/disaster-alerts.ts"
import { from, rowsBy, view } from "../view/view.ts"

/** Alerts as replies show them. */
export const disasterRows = rowsBy((disaster: Disaster) => ({
  id: disaster.id,
  type: disaster.type,
  name: disaster.name,
  alert_level: disaster.level,
  country: disaster.country,
  countries: disaster.countries,
  date: disaster.from,
  to: disaster.to,
  updated_at: disaster.updatedAt,
  is_current: disaster.isCurrent,
  lat: disaster.latitude,
  lon: disaster.longitude,
  severity: disaster.severity,
  url: disaster.url,
}))

export default view({
  endpoint: disasterAlertsEndpoint,
  reads: { listed: from(disasterAlerts) },
  build: ({ listed }) => {
    const { items, facts } = listed.payload
    const alerts = disasterRows(items.slice(0, DISASTERS_SHOWN_MAX))
    return { count: alerts.length, total: facts.total, counts_by_level: facts.countsByLevel, alerts }
  },
})
