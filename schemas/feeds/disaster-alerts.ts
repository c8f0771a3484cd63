import * as Schema from "effect/Schema"
import { endpoint } from "../contract/endpoint.ts"
import { clause, marksOf } from "../contract/glance.ts"
import { Instant } from "../event.ts"
import { listFeed } from "../feed.ts"
import { HttpUrl, Latitude, Longitude, NonEmptyTextUpTo, TextUpTo } from "../values.ts"

/** How many alerts a payload holds, those that rank highest; the list has some three hundred. */
export const DISASTERS_MAX = 1_000
/** How many alerts are shown. */
export const DISASTERS_SHOWN_MAX = 100
export const DISASTER_NAME_MAX_CHARACTERS = 200
/** More than there are countries. */
const DISASTER_COUNTRIES_MAX = 300

export const disasterTypes = [
  "earthquake",
  "tropical_cyclone",
  "flood",
  "volcano",
  "drought",
  "wildfire",
  "tsunami",
] as const
export const DisasterType = Schema.Literals(disasterTypes)
export type DisasterType = typeof DisasterType.Type

/** Levels of alert, most severe first. */
export const alertLevels = ["red", "orange", "green"] as const
export const AlertLevel = Schema.Literals(alertLevels)
export type AlertLevel = typeof AlertLevel.Type

const Id = Schema.String.check(Schema.isPattern(/^[A-Z]{2}\d{1,12}$/))
const Name = NonEmptyTextUpTo(DISASTER_NAME_MAX_CHARACTERS)
const CountryNames = NonEmptyTextUpTo(500)
const Countries = Schema.Array(NonEmptyTextUpTo(120)).check(Schema.isMaxLength(DISASTER_COUNTRIES_MAX))

/** How severe an event is, in the measure of its type: magnitude, wind speed, area. */
const Severity = Schema.Struct({
  /** Null where the words beside it state another. */
  value: Schema.NullOr(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1e12 }))),
  unit: TextUpTo(20),
  text: TextUpTo(200),
})

/** One disaster that the provider lists as current. */
export const Disaster = Schema.Struct({
  /** Type and number, such as EQ1548439. */
  id: Id,
  type: DisasterType,
  /** Counts the reports about a lasting disaster; null where it is not given. */
  episode: Schema.NullOr(Schema.Natural),
  name: Name,
  level: AlertLevel,
  /** In the words of the provider: a country, several, or a part of the sea. */
  country: Schema.NullOr(CountryNames),
  countries: Countries,
  from: Instant,
  to: Schema.NullOr(Instant),
  updatedAt: Instant,
  /** The provider's own flag, which is false for every drought, however grave; null where it is not given. */
  isCurrent: Schema.NullOr(Schema.Boolean),
  latitude: Schema.NullOr(Latitude),
  longitude: Schema.NullOr(Longitude),
  severity: Schema.NullOr(Severity),
  url: Schema.NullOr(HttpUrl),
})
export type Disaster = typeof Disaster.Type

/** The most severe first, then those that were updated last. */
const byLevel = (one: Disaster, other: Disaster): number =>
  alertLevels.indexOf(one.level) - alertLevels.indexOf(other.level) ||
  (one.updatedAt !== other.updatedAt ? (one.updatedAt < other.updatedAt ? 1 : -1) : one.id < other.id ? -1 : 1)

const Counts = Schema.Struct({ red: Schema.Natural, orange: Schema.Natural, green: Schema.Natural })

export const disasterAlerts = listFeed({
  name: "disaster-alerts",
  description: "Disasters of the whole world that the provider lists as current, the most severe first.",
  item: Disaster,
  facts: Schema.Struct({
    /** Disasters in the list of the provider, those beyond `DISASTERS_MAX` included. */
    total: Schema.Natural,
    countsByLevel: Counts,
  }),
  itemsMax: DISASTERS_MAX,
  // `total` and `countsByLevel` count those that are left out.
  keepsFirst: true,
  key: (item) => item.id,
  revision: ({ updatedAt, level, episode }) => `${updatedAt} ${level} ${episode}`,
  order: byLevel,
  // Times of volcanoes are an hour ahead of their own update.
  happenedAt: (item) => item.updatedAt,
  // Droughts last for months: the list is never empty.
  mayBeEmpty: false,
  contentAgeMax: "24 hours",
})

/** One alert in one line. */
const alertTitle = ({ name, alert_level }: { readonly name: string; readonly alert_level: string }): string =>
  `${name}, ${alert_level} alert`

export const disasterAlertsEndpoint = endpoint({
  path: "/api/disaster-alerts",
  name: "disaster_alerts",
  kind: "prepared",
  tier: "free",
  subject: "earth",
  ttl: "5 minutes",
  summary:
    "Current disasters of the whole world: earthquakes, cyclones, floods, volcanoes, droughts, wildfires, tsunamis",
  description: [
    "What the Global Disaster Alert and Coordination System lists as current, red before orange before green, then by the",
    "latest update, at most 100; `total` and `counts_by_level` count all. `is_current` is the system's own flag, which is",
    "false for every drought. Levels estimate the need of help from abroad. No substitute for local warnings.",
  ].join(" "),
  parameters: {},
  data: Schema.Struct({
    count: Schema.Natural.annotate({ description: "How many alerts are listed" }),
    total: Schema.Natural.annotate({ description: "How many alerts there are" }),
    counts_by_level: Counts,
    alerts: Schema.Array(
      Schema.Struct({
        id: Id.annotate({ description: "Type and number in the system, such as EQ1548439" }),
        type: DisasterType,
        name: Name,
        alert_level: AlertLevel,
        country: Schema.NullOr(CountryNames).annotate({ description: "A country, several, or a part of the sea" }),
        countries: Countries.annotate({ description: "Countries that are affected; empty where none is named" }),
        date: Instant.annotate({ description: "When it began" }),
        to: Schema.NullOr(Instant).annotate({ description: "Until when it is observed so far" }),
        updated_at: Instant,
        is_current: Schema.NullOr(Schema.Boolean).annotate({
          description: "The system's own flag, false for every drought; null where it is not given",
        }),
        lat: Schema.NullOr(Latitude).annotate({ description: "Degrees north" }),
        lon: Schema.NullOr(Longitude).annotate({ description: "Degrees east" }),
        severity: Schema.NullOr(Severity).annotate({
          description:
            "Magnitude (M), wind speed (km/h) or area (ha, km2), by type; null where it is not measured. `value` is null where `text` states another",
        }),
        url: Schema.NullOr(HttpUrl).annotate({ description: "The report" }),
      }),
    ).check(Schema.isMaxLength(DISASTERS_SHOWN_MAX)),
  }),
  changes: [{ feed: disasterAlerts, latitude: "lat", longitude: "lon", title: alertTitle }],
  glance: {
    title: "Disaster alerts",
    headline: ({ counts_by_level: { red, orange, green }, alerts: [severest] }) => ({
      value: red,
      unit: null,
      note: clause(
        "red alerts worldwide",
        `${orange} orange`,
        `${green} green`,
        severest === undefined ? null : `the most severe ${severest.name}`,
      ),
    }),
    marks: ({ alerts }) =>
      marksOf(alerts, (alert) => ({
        title: alertTitle(alert),
        weight: { red: 1, orange: 0.7, green: 0.2 }[alert.alert_level],
        at: alert.date,
      })),
  },
  example: {
    count: 1,
    total: 1,
    counts_by_level: { red: 0, orange: 1, green: 0 },
    alerts: [
      {
        id: "EQ1548439",
        type: "earthquake",
        name: "Earthquake in Papua New Guinea",
        alert_level: "orange",
        country: "Papua New Guinea",
        countries: ["Papua New Guinea"],
        date: "2026-08-17T06:19:38.000Z",
        to: "2026-08-17T06:19:38.000Z",
        updated_at: "2026-08-17T14:03:52.000Z",
        is_current: true,
        lat: -4.3413,
        lon: 152.9318,
        severity: { value: 6.5, unit: "M", text: "Magnitude 6.5M, Depth:33km" },
        url: "https://www.gdacs.org/report.aspx?eventtype=EQ&eventid=1548439",
      },
    ],
  },
})
