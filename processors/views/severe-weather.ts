import {
  SEVERE_WEATHER_SHOWN_MAX,
  type SevereWeatherRow,
  severeWeatherEndpoint,
} from "../../schemas/endpoints/severe-weather.ts"
import {
  alertEnd,
  alertScore,
  type alertSeverities,
  type WeatherAlert,
  weatherAlerts,
} from "../../schemas/feeds/weather-alerts.ts"
import { from, nextAfter, rowsBy, until, view } from "../view/view.ts"

/** Whether an alert is neither cancelled nor over at `nowMs`. Tests and exercises are in force as well. */
export const isInForce = (alert: WeatherAlert, nowMs: number): boolean =>
  alert.messageType !== "Cancel" && Date.parse(alertEnd(alert)) > nowMs

/** When the first of some alerts that are in force ends; null where there is none. */
export const nextEndAfter = (nowMs: number, alerts: ReadonlyArray<WeatherAlert>): number | null =>
  nextAfter(
    nowMs,
    alerts.map((alert) => Date.parse(alertEnd(alert))),
  )

const alertRows = rowsBy(
  (alert: WeatherAlert): SevereWeatherRow => ({
    id: alert.id,
    event: alert.event,
    severity: alert.severity,
    urgency: alert.urgency,
    certainty: alert.certainty,
    score: alertScore(alert),
    area_desc: alert.areaDescription,
    headline: alert.headline,
    effective: alert.effective,
    expires: alert.expires,
    ends: alert.ends,
    sender_name: alert.senderName,
    category: alert.category,
    web: alert.web,
  }),
)

export default view({
  endpoint: severeWeatherEndpoint,
  reads: { listed: from(weatherAlerts) },
  // An alert ends at its time, also without a new observation.
  clock: true,
  build: ({ listed }, { nowMs }) => {
    // The feed lists the most severe first.
    const active = listed.payload.items.filter((alert) => alert.status === "Actual" && isInForce(alert, nowMs))
    const counts = { Extreme: 0, Severe: 0, Moderate: 0, Minor: 0, Unknown: 0 } satisfies Record<
      (typeof alertSeverities)[number],
      number
    >
    for (const { severity } of active) counts[severity] += 1
    const data = {
      total_active: active.length,
      counts_by_severity: counts,
      alerts: alertRows(active.slice(0, SEVERE_WEATHER_SHOWN_MAX)),
    }
    return until(data, nextEndAfter(nowMs, active))
  },
})
