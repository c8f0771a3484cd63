import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import { endpoint } from "../contract/endpoint.ts"
import { itemWords } from "../contract/glance.ts"
import { choice, wholeNumber } from "../contract/parameters.ts"
import { Instant } from "../event.ts"
import {
  ALERTS_MAX,
  alertSeverities,
  alertStatuses,
  alertUrgencies,
  WeatherAlert,
  weatherAlerts,
} from "../feeds/weather-alerts.ts"

const LIMIT_MAX = 100
const LIMIT_DEFAULT = 50

/** States and territories as forecast zones begin, and the marine areas of the coasts and the Great Lakes. */
// biome-ignore format: a table
export const alertAreas = [
  "AL", "AK", "AZ", "AR", "CA", "CO", "CT", "DE", "FL", "GA", "HI", "ID", "IL", "IN", "IA", "KS", "KY", "LA", "ME", "MD",
  "MA", "MI", "MN", "MS", "MO", "MT", "NE", "NV", "NH", "NJ", "NM", "NY", "NC", "ND", "OH", "OK", "OR", "PA", "RI", "SC",
  "SD", "TN", "TX", "UT", "VT", "VA", "WA", "WV", "WI", "WY", "DC", "PR", "GU", "VI", "AS", "MP", "PW", "FM", "MH",
  "AM", "AN", "GM", "LC", "LE", "LH", "LM", "LO", "LS", "PH", "PK", "PM", "PS", "PZ", "SL",
] as const

/** One of `alertAreas`, in any case. */
const Area = Object.assign(
  Schema.String.check(
    Schema.makeFilter((text) =>
      (alertAreas as ReadonlyArray<string>).includes(text.toUpperCase()) ? undefined : "must be a state or marine area",
    ),
  ).pipe(
    Schema.decodeTo(Schema.Literals(alertAreas), {
      decode: SchemaGetter.transform((text) => text.toUpperCase() as (typeof alertAreas)[number]),
      encode: SchemaGetter.transform((area: string) => area),
    }),
  ),
  { literals: alertAreas },
)

const EVENT_NAME = /^[A-Za-z][A-Za-z /'-]{1,79}$/

/** The name of a kind of alert. Upper and lower case are equal. */
const EventName = Schema.String.check(Schema.isPattern(EVENT_NAME)).pipe(
  Schema.decodeTo(Schema.String, {
    decode: SchemaGetter.transform((text) => text.toLowerCase()),
    encode: SchemaGetter.transform((name) => name.toLowerCase()),
  }),
)

const { id, event, severity, urgency, certainty, headline, description, areaDescription, senderName, web } =
  WeatherAlert.fields

/** One alert as replies state it. */
export const WeatherAlertRow = Schema.Struct({
  id,
  event: event.annotate({ description: "Kind of alert, such as Winter Storm Warning" }),
  severity,
  urgency,
  certainty,
  headline,
  description: description.annotate({ description: "The text of the alert, at most 2,000 characters" }),
  areaDesc: areaDescription.annotate({ description: "Names of the zones" }),
  sent: Instant,
  effective: Instant,
  expires: Instant.annotate({ description: "When the message lapses" }),
  ends: Schema.NullOr(Instant).annotate({ description: "When the hazard ends; null where the message does not say" }),
  sender_name: senderName.annotate({ description: "Forecast office" }),
  web,
})
export type WeatherAlertRow = typeof WeatherAlertRow.Type

/** The data of the view: every alert in force, with members for the filters that replies do not show. */
export const WeatherAlertsInForce = Schema.Struct({
  alerts: Schema.Array(
    Schema.Struct({
      row: WeatherAlertRow,
      status: WeatherAlert.fields.status,
      areas: Schema.Array(Schema.String.check(Schema.isPattern(/^[A-Z]{2}$/))),
    }),
  ).check(Schema.isMaxLength(ALERTS_MAX)),
})
export type WeatherAlertsInForce = typeof WeatherAlertsInForce.Type

export const climateWeatherAlertsEndpoint = endpoint({
  path: "/api/climate/weather-alerts",
  name: "climate_weather_alerts",
  kind: "filtered",
  tier: "free",
  subject: "earth",
  ttl: "60 seconds",
  summary: "Weather alerts in force in the United States, by area, event, severity and urgency",
  description: [
    "Alerts of the US National Weather Service that are not cancelled and not over, the most severe first (as",
    "/api/severe-weather ranks them). Every filter narrows the list; without `status` only actual alerts are listed.",
  ].join(" "),
  parameters: {
    area: {
      schema: Area,
      description: "State, territory or marine area as two letters: an alert matches when one of its zones lies there",
      optional: true,
      example: "CA",
    },
    event: {
      schema: EventName,
      text: { pattern: EVENT_NAME.source },
      description: "Exact name of the event but for case; an unknown one matches nothing",
      optional: true,
      example: "winter storm warning",
    },
    severity: choice(alertSeverities, { description: "Severity", optional: true }),
    urgency: choice(alertUrgencies, { description: "Urgency", optional: true }),
    status: choice(alertStatuses, {
      description: "Status of the message; only `Actual` messages are real alerts",
      default: "Actual",
    }),
    limit: {
      schema: wholeNumber({ minimum: 1, maximum: LIMIT_MAX }),
      description: `How many alerts at most, 1 to ${LIMIT_MAX}`,
      default: String(LIMIT_DEFAULT),
      example: "10",
    },
  },
  data: Schema.Struct({
    count: Schema.Natural.annotate({ description: "How many alerts are listed" }),
    total_matching: Schema.Natural.annotate({ description: "How many match, including those beyond the limit" }),
    filters: Schema.Struct({
      area: Schema.NullOr(Schema.Literals(alertAreas)),
      event: Schema.NullOr(event).annotate({
        description: "As it is listed; null without this filter, and where no alert in force is of this event",
      }),
      severity: Schema.NullOr(severity),
      urgency: Schema.NullOr(urgency),
      status: WeatherAlert.fields.status,
      limit: Schema.Int,
    }).annotate({ description: "The filters that were applied" }),
    alerts: Schema.Array(WeatherAlertRow).check(Schema.isMaxLength(LIMIT_MAX)),
  }),
  changes: [
    {
      feed: weatherAlerts,
      title: ({ headline, event, areaDesc }) => (headline === null ? itemWords(event, areaDesc) : itemWords(headline)),
    },
  ],
  select: ({ alerts }: WeatherAlertsInForce, { area, event: name, severity: grade, urgency: haste, status, limit }) => {
    const matching = alerts.filter(
      (one) =>
        one.status === status &&
        (area === undefined || one.areas.includes(area)) &&
        (name === undefined || one.row.event.toLowerCase() === name) &&
        (grade === undefined || one.row.severity === grade) &&
        (haste === undefined || one.row.urgency === haste),
    )
    const listed = matching.slice(0, limit).map(({ row }) => row)
    return {
      data: {
        count: listed.length,
        total_matching: matching.length,
        filters: {
          area: area ?? null,
          // Unknown names are not echoed: all of them share one reply.
          event: alerts.find((one) => one.row.event.toLowerCase() === name)?.row.event ?? null,
          severity: grade ?? null,
          urgency: haste ?? null,
          status,
          limit,
        },
        alerts: listed,
      },
      inputs: ["listed"],
    }
  },
  empty: ({ total_matching }) => total_matching === 0,
  example: {
    count: 1,
    total_matching: 1,
    filters: { area: "WA", event: null, severity: null, urgency: null, status: "Actual", limit: 50 },
    alerts: [
      {
        id: "urn:oid:2.49.0.1.840.0.0000.001.1",
        event: "Winter Storm Warning",
        severity: "Severe",
        urgency: "Expected",
        certainty: "Likely",
        headline: "Winter Storm Warning issued by the forecast office",
        description: "Heavy snow above 900 metres.",
        areaDesc: "Northern Cascades",
        sent: "2026-08-17T20:33:00.000Z",
        effective: "2026-08-17T20:33:00.000Z",
        expires: "2026-08-18T06:00:00.000Z",
        ends: "2026-08-19T00:00:00.000Z",
        sender_name: "NWS Seattle WA",
        web: null,
      },
    ],
  },
})
