import * as Schema from "effect/Schema"
import { volatile } from "../contract/annotations.ts"
import { endpoint } from "../contract/endpoint.ts"
import { clause, counted, numberText } from "../contract/glance.ts"
import { barSeries, type SeriesPoint } from "../contract/plot.ts"
import { Instant } from "../event.ts"
import { valueFeed } from "../feed.ts"
import { NonEmptyTextUpTo } from "../values.ts"

/** The most standing alerts that a payload holds: the agency lists some thirty messages of all kinds. */
export const SPACE_ALERTS_MAX = 50
/** The longest headline of an alert, in code points. */
export const SPACE_HEADLINE_LENGTH_MAX = 200
/** How many active alerts are shown. */
export const SPACE_ALERTS_SHOWN_MAX = 5

/** The index is one of an interval: eight a day, from midnight UTC on. */
export const KP_INTERVAL_MS = 3 * 3_600_000
/** Intervals of the index that a payload holds at most: three days. */
export const KP_INTERVALS_MAX = 24

const Kp = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 9 }))
const NotNegative = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: Number.MAX_VALUE }))

/** What an alert announces: something that happens, something expected soon, something expected in days. */
export const spaceAlertKinds = ["alert", "warning", "watch"] as const

/** NOAA scales: geomagnetic storms, radio blackouts, radiation storms, each from 1 to 5. */
const Scale = Schema.String.check(Schema.isPattern(/^[GRS][1-5]$/))

/** One message of the agency that no later message has replaced or cancelled. */
export const SpaceAlert = Schema.Struct({
  /** The agency's message code, such as ALTK05. */
  code: NonEmptyTextUpTo(20),
  serial: Schema.NullOr(Schema.Natural),
  kind: Schema.Literals(spaceAlertKinds),
  headline: NonEmptyTextUpTo(SPACE_HEADLINE_LENGTH_MAX),
  scale: Schema.NullOr(Scale),
  issuedAt: Instant,
  /** The end the message names, or that of its kind where it names none. */
  activeUntil: Instant,
})
export type SpaceAlert = typeof SpaceAlert.Type

/** What instruments say. A member is null where the upstream has no usable reading of it. */
export const SpaceMeasurements = Schema.Struct({
  /** Planetary K index of the newest three-hour interval. `at` is the interval's start. */
  kp: Schema.NullOr(Schema.Struct({ index: Kp, at: Instant })),
  /** The highest running estimate of the last three hours: an estimate starts low in each interval. */
  kpEstimated: Schema.NullOr(Schema.Struct({ index: Kp, at: Instant })),
  /** Measured by the spacecraft that the agency calls active, upstream of Earth. */
  solarWind: Schema.NullOr(
    Schema.Struct({
      speedKmPerS: NotNegative,
      densityPerCm3: Schema.NullOr(NotNegative),
      temperatureK: Schema.NullOr(NotNegative),
      at: Instant,
    }),
  ),
  /** Solar X-ray flux at 0.1 to 0.8 nm: the newest, and the peak of the 24 hours before it. */
  xray: Schema.NullOr(
    Schema.Struct({ fluxWPerM2: NotNegative, at: Instant, peakFluxWPerM2: NotNegative, peakAt: Instant }),
  ),
})
export type SpaceMeasurements = typeof SpaceMeasurements.Type

const SpaceWeather = Schema.Struct({
  measurements: SpaceMeasurements,
  /** Newest first; null where the list of messages could not be read. */
  alerts: Schema.NullOr(Schema.Array(SpaceAlert).check(Schema.isMaxLength(SPACE_ALERTS_MAX))),
  /** The index of the newest intervals, the oldest first, from the start of the first one; null for an interval without one. */
  kpRecent: Schema.optionalKey(
    Schema.Struct({
      begin: Instant,
      indexes: Schema.Array(Schema.NullOr(Kp)).check(Schema.isMaxLength(KP_INTERVALS_MAX)),
    }),
  ),
})
export type SpaceWeather = typeof SpaceWeather.Type

export const spaceWeather = valueFeed({
  name: "space-weather",
  description: "Geomagnetic activity, solar wind, solar X-ray flux, and the agency's standing alerts.",
  value: SpaceWeather,
  key: "measurements",
  // Only measurements become rows of the history.
  revision: ({ measurements }) => JSON.stringify(measurements),
  // Satellites pass through Earth's shadow and stations lose contact for some tens of minutes.
  contentAgeMax: "90 minutes",
})

/** Letters of solar flare classes. */
export const flareLetters = ["A", "B", "C", "M", "X"] as const

/** Geomagnetic activity in NOAA's words. An index with a minus belongs to its class (5-, 4.67, is G1), except 9-, which is G4. */
const kpLook = (kp: number): Required<Pick<SeriesPoint, "note" | "state">> => {
  const level = Math.round(kp)
  if (level >= 5) return { note: `storm G${kp >= 9 ? 5 : Math.min(level, 8) - 4}`, state: "bad" }
  if (level === 4) return { note: "active", state: "warn" }
  return { note: level === 3 ? "unsettled" : "quiet", state: "good" }
}

/** The data of the endpoint. */
const SpaceWeatherData = Schema.Struct({
  kp_index: Schema.NullOr(Kp).annotate({
    description: "Planetary K index of the newest three-hour interval, 0 to 9",
  }),
  kp_time: Schema.NullOr(Instant).annotate({ description: "Start of that interval" }),
  kp_estimated: Schema.NullOr(Kp).annotate({
    description: "Highest running estimate of the last three hours, 0 to 9",
  }),
  kp_history: Schema.NullOr(
    Schema.Array(
      Schema.Struct({
        time: Instant.annotate({ description: "Start of the interval" }),
        kp: Schema.NullOr(Kp).annotate({ description: "Planetary K index, 0 to 9; null where the agency has none" }),
      }),
    ).check(Schema.isMaxLength(KP_INTERVALS_MAX)),
  ).annotate({ description: "The index of the newest three-hour intervals, up to three days, the oldest first" }),
  solar_wind_speed_km_s: Schema.NullOr(NotNegative).annotate({
    description: "Proton speed in kilometres per second",
  }),
  solar_wind_density_cm3: Schema.NullOr(NotNegative).annotate({ description: "Protons per cubic centimetre" }),
  solar_wind_time: Schema.NullOr(Instant),
  flare_class: Schema.NullOr(Schema.Literals(flareLetters)).annotate({
    description: "Letter of the peak X-ray flux of 24 hours: A below 1e-7 W/m2, then B, C, M, and X from 1e-4 W/m2",
  }),
  flare_peak: Schema.NullOr(Schema.String.check(Schema.isPattern(/^[ABCMX]\d{1,6}\.\d$/))).annotate({
    description: "The peak as a full class, such as M1.3",
  }),
  flare_peak_flux_w_m2: Schema.NullOr(NotNegative).annotate({
    description: "Peak flux at 0.1 to 0.8 nm, watts per square metre",
  }),
  flare_peak_time: Schema.NullOr(Instant),
  active_alerts: volatile(
    Schema.NullOr(
      Schema.Array(
        Schema.Struct({
          code: NonEmptyTextUpTo(20),
          kind: Schema.Literals(spaceAlertKinds),
          headline: NonEmptyTextUpTo(SPACE_HEADLINE_LENGTH_MAX),
          scale: Schema.NullOr(Scale).annotate({ description: "NOAA scale: G, R or S with 1 to 5" }),
          issued_at: Instant,
          active_until: Instant,
        }),
      ).check(Schema.isMaxLength(SPACE_ALERTS_SHOWN_MAX)),
    ),
  ),
})

export const spaceWeatherEndpoint = endpoint({
  path: "/api/space-weather",
  name: "space_weather",
  kind: "prepared",
  tier: "free",
  subject: "space",
  ttl: "5 minutes",
  summary: "Geomagnetic Kp index, solar wind, peak flare class of 24 hours, active alerts",
  description:
    "Null where the agency has no usable reading, or its document could not be read. Times are those of the measurements. At most five active alerts, newest first; null where they are not known.",
  parameters: {},
  data: SpaceWeatherData,
  // Not of the index: a table of both would have a first column that names them.
  table: { lists: ["active_alerts"] },
  changes: [{ feed: spaceWeather, row: SpaceWeatherData, without: ["kp_history"] }],
  glance: {
    title: "Geomagnetic activity",
    headline: ({ kp_index, solar_wind_speed_km_s: speed, flare_peak, active_alerts }) => ({
      value: kp_index,
      unit: "Kp",
      note: clause(
        speed === null ? null : `solar wind ${numberText(speed)} km/s`,
        flare_peak === null ? null : `flares up to ${flare_peak} in 24 hours`,
        active_alerts === null ? "alerts not read" : counted(active_alerts.length, "active alert"),
      ),
    }),
    plots: ({ kp_history }) => [
      barSeries(
        "Kp index of each three hours, by when it was measured",
        "Kp",
        (kp_history ?? []).map(({ time, kp }) => ({ at: time, value: kp, ...(kp === null ? {} : kpLook(kp)) })),
        { most: 9 },
      ),
    ],
  },
  example: {
    kp_index: 4.33,
    kp_time: "2026-09-24T06:00:00.000Z",
    kp_estimated: 4.67,
    kp_history: [
      { time: "2026-09-24T00:00:00.000Z", kp: 5.67 },
      { time: "2026-09-24T03:00:00.000Z", kp: 4.67 },
      { time: "2026-09-24T06:00:00.000Z", kp: 4.33 },
    ],
    solar_wind_speed_km_s: 441.8,
    solar_wind_density_cm3: 1.22,
    solar_wind_time: "2026-09-24T08:49:00.000Z",
    flare_class: "C",
    flare_peak: "C1.3",
    flare_peak_flux_w_m2: 1.3486318e-6,
    flare_peak_time: "2026-09-24T02:05:00.000Z",
    active_alerts: [
      {
        code: "ALTK05",
        kind: "alert",
        headline: "Geomagnetic K-index of 5",
        scale: "G1",
        issued_at: "2026-09-24T05:51:10.343Z",
        active_until: "2026-09-25T05:51:10.343Z",
      },
    ],
  },
})
