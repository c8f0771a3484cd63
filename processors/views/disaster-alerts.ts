import {
  DISASTERS_SHOWN_MAX,
  type Disaster,
  disasterAlerts,
  disasterAlertsEndpoint,
} from "../../schemas/feeds/disaster-alerts.ts"
import { changesOf, from, rowsBy, view } from "../view/view.ts"

const disasterRow = (disaster: Disaster) => ({
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
})
const disasterRows = rowsBy(disasterRow)

export default view({
  endpoint: disasterAlertsEndpoint,
  reads: { listed: from(disasterAlerts) },
  changes: [changesOf(disasterAlerts, disasterRow)],
  build: ({ listed }) => {
    const { items, facts } = listed.payload
    const alerts = disasterRows(items.slice(0, DISASTERS_SHOWN_MAX))
    return { count: alerts.length, total: facts.total, counts_by_level: facts.countsByLevel, alerts }
  },
})
