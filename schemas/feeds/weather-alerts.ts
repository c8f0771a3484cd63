import * as Schema from "effect/Schema"
import { Instant } from "../event.ts"
import { listFeed } from "../feed.ts"
import { HttpUrl, NonEmptyTextUpTo } from "../values.ts"

/**
 * The most alerts of a payload; a longer list is refused. On a day with a large storm some 1,300 are in
 * force, most of them marine advisories. At 1.6 KB each, the mean of a recorded day, as many fit into the data of a view.
 */
export const ALERTS_MAX = 2_500
export const ALERT_DESCRIPTION_MAX_CHARACTERS = 2_000
export const ALERT_AREA_MAX_CHARACTERS = 700
/**
 * Forecast zones and counties of one alert; a statement for a whole state names some two hundred. One of more is refused, as
 * the areas of the zones left out would seem to be safe.
 */
export const ALERT_ZONES_MAX = 1_000

/** The words of the Common Alerting Protocol 1.2, each list from the most to the least grave. */
export const alertSeverities = ["Extreme", "Severe", "Moderate", "Minor", "Unknown"] as const
export const alertUrgencies = ["Immediate", "Expected", "Future", "Past", "Unknown"] as const
export const alertCertainties = ["Observed", "Likely", "Possible", "Unlikely", "Unknown"] as const
export const alertStatuses = ["Actual", "Exercise", "System", "Test", "Draft"] as const
export const alertMessageTypes = ["Alert", "Update", "Cancel", "Ack", "Error"] as const

/** A code of a forecast zone or county: a state or marine area, Z or C, a number. */
export const AlertZone = Schema.String.check(Schema.isPattern(/^[A-Z]{2}[CZ](\d{3}|ALL)$/))

/** One alert of the US National Weather Service. An update is an alert of its own, under a new id. */
export const WeatherAlert = Schema.Struct({
  id: Schema.NonEmptyString.check(Schema.isMaxLength(200)),
  /** Such as "Winter Storm Warning". */
  event: NonEmptyTextUpTo(100),
  status: Schema.Literals(alertStatuses),
  messageType: Schema.Literals(alertMessageTypes),
  severity: Schema.Literals(alertSeverities),
  urgency: Schema.Literals(alertUrgencies),
  certainty: Schema.Literals(alertCertainties),
  /** Such as Met, Safety or Fire. */
  category: NonEmptyTextUpTo(40),
  headline: Schema.NullOr(NonEmptyTextUpTo(280)),
  description: Schema.NullOr(NonEmptyTextUpTo(ALERT_DESCRIPTION_MAX_CHARACTERS)),
  areaDescription: NonEmptyTextUpTo(ALERT_AREA_MAX_CHARACTERS),
  zones: Schema.Array(AlertZone).check(Schema.isMaxLength(ALERT_ZONES_MAX)),
  sent: Instant,
  effective: Instant,
  onset: Schema.NullOr(Instant),
  /** When the message lapses. */
  expires: Instant,
  /** When the hazard ends; null where the message does not say. */
  ends: Schema.NullOr(Instant),
  senderName: NonEmptyTextUpTo(120),
  web: Schema.NullOr(HttpUrl),
})
export type WeatherAlert = typeof WeatherAlert.Type

const urgencyPoints: Readonly<Record<WeatherAlert["urgency"], number>> = {
  Immediate: 3,
  Expected: 2,
  Future: 1,
  Past: 0,
  Unknown: 0,
}
const certaintyPoints: Readonly<Record<WeatherAlert["certainty"], number>> = {
  Observed: 3,
  Likely: 2,
  Possible: 1,
  Unlikely: 0,
  Unknown: 0,
}

/** The formula of `alertScore` in words, as endpoints publish it. */
export const ALERT_SCORE_FORMULA =
  "10 x severity (Extreme 4, Severe 3, Moderate 2, Minor 1, Unknown 0) + urgency (Immediate 3, Expected 2, Future 1, else 0) + 0.5 x certainty (Observed 3, Likely 2, Possible 1, else 0)"

/** How grave an alert is, 0 to 44.5. */
export const alertScore = ({
  severity,
  urgency,
  certainty,
}: Pick<WeatherAlert, "severity" | "urgency" | "certainty">): number =>
  10 * (alertSeverities.length - 1 - alertSeverities.indexOf(severity)) +
  urgencyPoints[urgency] +
  0.5 * certaintyPoints[certainty]

/** The highest score first, then the newest, then by id. */
const byScore = (one: WeatherAlert, other: WeatherAlert): number =>
  alertScore(other) - alertScore(one) ||
  (one.sent !== other.sent ? (one.sent < other.sent ? 1 : -1) : one.id < other.id ? -1 : 1)

/** When an alert stops being in force: with its hazard, else with its message. */
export const alertEnd = ({ ends, expires }: Pick<WeatherAlert, "ends" | "expires">): string => ends ?? expires

export const weatherAlerts = listFeed({
  name: "weather-alerts",
  description: "Alerts of the US National Weather Service that are listed as active, the most severe first.",
  item: WeatherAlert,
  facts: Schema.Struct({
    /** Alerts in the list of the service. */
    total: Schema.Natural,
  }),
  itemsMax: ALERTS_MAX,
  logBytesPerDay: 8_000_000,
  key: (item) => item.id,
  revision: ({ sent, expires, ends }) => `${sent} ${expires} ${ends}`,
  order: byScore,
  happenedAt: (item) => item.sent,
  // A missing warning misleads.
  unreadableShare: 0,
  // The list holds a message that keeps the connection alive whenever there is nothing else.
  mayBeEmpty: false,
  contentAgeMax: "15 minutes",
})
