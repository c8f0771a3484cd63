import * as Schema from "effect/Schema"
import { endpoint } from "../contract/endpoint.ts"
import { clause, numberText } from "../contract/glance.ts"
import { Instant } from "../event.ts"
import {
  ALERT_AREA_MAX_CHARACTERS,
  ALERT_SCORE_FORMULA,
  alertSeverities,
  WeatherAlert,
} from "../feeds/weather-alerts.ts"
import { NonEmptyTextUpTo } from "../values.ts"

/** How many alerts are shown. */
export const SEVERE_WEATHER_SHOWN_MAX = 15

const { id, event, severity, urgency, certainty, headline, category, senderName, web } = WeatherAlert.fields

export const SevereWeatherRow = Schema.Struct({
  id,
  event: event.annotate({ description: "Kind of alert, such as Winter Storm Warning" }),
  severity,
  urgency,
  certainty,
  score: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 44.5 })).annotate({
    description: ALERT_SCORE_FORMULA,
  }),
  area_desc: NonEmptyTextUpTo(ALERT_AREA_MAX_CHARACTERS).annotate({ description: "Names of the zones" }),
  headline,
  effective: Instant,
  expires: Instant.annotate({ description: "When the message lapses" }),
  ends: Schema.NullOr(Instant).annotate({ description: "When the hazard ends; null where the message does not say" }),
  sender_name: senderName.annotate({ description: "Forecast office" }),
  category,
  web,
})
export type SevereWeatherRow = typeof SevereWeatherRow.Type

export const severeWeatherEndpoint = endpoint({
  path: "/api/severe-weather",
  name: "severe_weather",
  kind: "prepared",
  tier: "free",
  subject: "earth",
  ttl: "60 seconds",
  summary: "The 15 most severe weather alerts in force in the United States",
  description: [
    "Alerts of the US National Weather Service that are actual, not cancelled and not over, by severity, urgency and",
    `certainty: \`score\` is ${ALERT_SCORE_FORMULA}; equal scores by the time at which they were sent, the newest first.`,
    "All of them: /api/climate/weather-alerts.",
  ].join(" "),
  parameters: {},
  data: Schema.Struct({
    total_active: Schema.Natural.annotate({ description: "Alerts in force, those that are not shown included" }),
    counts_by_severity: Schema.Struct(
      Object.fromEntries(alertSeverities.map((word) => [word, Schema.Natural])) as Record<
        (typeof alertSeverities)[number],
        typeof Schema.Natural
      >,
    ).annotate({ description: "How many of them are of each severity" }),
    alerts: Schema.Array(SevereWeatherRow).check(Schema.isMaxLength(SEVERE_WEATHER_SHOWN_MAX)),
  }),
  glance: {
    title: "Severe weather",
    headline: ({ total_active, counts_by_severity: { Extreme, Severe }, alerts: [severest] }) => ({
      value: Extreme + Severe,
      unit: null,
      note: clause(
        `extreme or severe of ${numberText(total_active)} US alerts in force`,
        severest === undefined ? null : `the most severe ${severest.event}`,
        severest === undefined ? null : severest.area_desc,
      ),
    }),
  },
  example: {
    total_active: 1,
    counts_by_severity: { Extreme: 0, Severe: 1, Moderate: 0, Minor: 0, Unknown: 0 },
    alerts: [
      {
        id: "urn:oid:2.49.0.1.840.0.0000.001.1",
        event: "Winter Storm Warning",
        severity: "Severe",
        urgency: "Expected",
        certainty: "Likely",
        score: 33,
        area_desc: "Northern Cascades",
        headline: "Winter Storm Warning issued by the forecast office",
        effective: "2026-08-17T20:33:00.000Z",
        expires: "2026-08-18T06:00:00.000Z",
        ends: "2026-08-19T00:00:00.000Z",
        sender_name: "NWS Seattle WA",
        category: "Met",
        web: null,
      },
    ],
  },
})
