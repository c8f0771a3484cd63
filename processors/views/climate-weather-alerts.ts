import { climateWeatherAlertsEndpoint, type WeatherAlertRow } from "../../schemas/endpoints/climate-weather-alerts.ts"
import { type WeatherAlert, weatherAlerts } from "../../schemas/feeds/weather-alerts.ts"
import { changesOf, from, rowsBy, until, view } from "../view/view.ts"
import { isInForce, nextEndAfter } from "./severe-weather.ts"

const rowOf = (alert: WeatherAlert): WeatherAlertRow => ({
  id: alert.id,
  event: alert.event,
  severity: alert.severity,
  urgency: alert.urgency,
  certainty: alert.certainty,
  headline: alert.headline,
  description: alert.description,
  areaDesc: alert.areaDescription,
  sent: alert.sent,
  effective: alert.effective,
  expires: alert.expires,
  ends: alert.ends,
  sender_name: alert.senderName,
  web: alert.web,
})

/** The areas that the zones of an alert lie in, each once: the first two letters of a zone name its state or sea. */
const areasOf = ({ zones }: WeatherAlert): ReadonlyArray<string> => [...new Set(zones.map((zone) => zone.slice(0, 2)))]

const selectable = rowsBy((alert: WeatherAlert) => ({ row: rowOf(alert), status: alert.status, areas: areasOf(alert) }))

/** Replies list actual alerts unless they are asked for others, and none that cancels another. */
const isListed = ({ status, messageType }: WeatherAlert): boolean => status === "Actual" && messageType !== "Cancel"

export default view({
  endpoint: climateWeatherAlertsEndpoint,
  reads: { listed: from(weatherAlerts) },
  // As in /api/severe-weather, an alert ends at its time.
  clock: true,
  changes: [changesOf(weatherAlerts, (alert) => (isListed(alert) ? rowOf(alert) : null))],
  build: ({ listed }, { nowMs }) => {
    const inForce = listed.payload.items.filter((alert) => isInForce(alert, nowMs))
    return until({ alerts: selectable(inForce) }, nextEndAfter(nowMs, inForce))
  },
})
