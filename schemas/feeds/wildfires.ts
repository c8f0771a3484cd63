import * as Schema from "effect/Schema"
import { endpoint } from "../contract/endpoint.ts"
import { clause, counted, marksOf, none, numberText, timeText } from "../contract/glance.ts"
import { Instant } from "../event.ts"
import { listFeed, type Parameters } from "../feed.ts"
import { Latitude, Longitude, NonEmptyTextUpTo } from "../values.ts"

/** The satellites whose detections are read, each an instance of the feed. */
export const fireSatellites = ["noaa-20", "noaa-21", "suomi-npp"] as const
export const fireInstances: ReadonlyArray<Parameters> = fireSatellites.map((satellite) => ({ satellite }))

/** The most detections kept of one satellite: the strongest. A bad day of the season has ten times as many. */
export const FIRES_MAX = 1_000
/** How many detections are shown. */
export const FIRES_SHOWN_MAX = 25

const RadiativePower = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 100_000 }))

/** How sure the algorithm is that a hot pixel is a fire. */
export const fireConfidences = ["low", "nominal", "high"] as const

/** One hot pixel as a satellite saw it. A large fire is many of them. */
export const Fire = Schema.Struct({
  /** Centre of the pixel. */
  latitude: Latitude,
  longitude: Longitude,
  acquiredAt: Instant,
  /** Such as NOAA-20 or Terra; an unknown one by the provider's code. */
  satellite: NonEmptyTextUpTo(40),
  instrument: Schema.NullOr(Schema.Literals(["VIIRS", "MODIS"])),
  /** Null where the provider gives none. MODIS: below 30 percent low, from 80 high. */
  confidence: Schema.NullOr(Schema.Literals(fireConfidences)),
  /** MODIS alone gives a number. */
  confidencePercent: Schema.NullOr(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 100 }))),
  /** Fire radiative power, megawatts; null where it was not computed. */
  radiativePowerMw: Schema.NullOr(RadiativePower),
  /** Brightness temperature of the channel that sees fires, kelvin; VIIRS saturates at 367. */
  brightnessK: Schema.NullOr(Schema.Finite.check(Schema.isBetween({ minimum: 200, maximum: 2000 }))),
  daytime: Schema.NullOr(Schema.Boolean),
  /** Collection and kind of processing, such as 2.0NRT; later processing may replace a detection. */
  version: Schema.NullOr(NonEmptyTextUpTo(20)),
})
export type Fire = typeof Fire.Type

const power = (fire: Fire): number => fire.radiativePowerMw ?? -1

const keyOf = ({ satellite, acquiredAt, latitude, longitude }: Fire): string =>
  `${satellite}/${acquiredAt}/${latitude}/${longitude}`

/** The most intense first; equal ones by key, so that equal lists have equal orders. */
const byPower = (one: Fire, other: Fire): number =>
  power(other) - power(one) || (keyOf(one) < keyOf(other) ? -1 : keyOf(one) > keyOf(other) ? 1 : 0)

export const wildfires = listFeed({
  name: "wildfires",
  instances: fireInstances,
  description: "Fires in North America that one satellite detected in the last 24 hours, the strongest first.",
  item: Fire,
  itemsMax: FIRES_MAX,
  keepsFirst: true,
  key: keyOf,
  publishesGone: false,
  order: byPower,
  happenedAt: (item) => item.acquiredAt,
  // A satellite passes over the continent at midday and midnight, and a winter night may show no fire at all.
  contentAgeMax: "30 hours",
})

type ShownFire = {
  readonly radiative_power_mw: number | null
  readonly state: string | null
}

/** One fire in one line. */
const fireTitle = ({ radiative_power_mw: power, state }: ShownFire): string =>
  clause(power === null ? "Fire" : `Fire, ${numberText(power)} MW`, state)

export const wildfiresEndpoint = endpoint({
  path: "/api/wildfires",
  name: "wildfires",
  kind: "prepared",
  tier: "free",
  subject: "earth",
  ttl: "10 minutes",
  summary: "The most intense fire detections in North America of the last 24 hours",
  description:
    "At most 25 hot pixels seen by VIIRS on NOAA-20, NOAA-21 and Suomi NPP, by radiative power. A large fire can fill several places. Not every hot pixel is a wildfire: flares, volcanoes and industry are hot too.",
  parameters: {},
  data: Schema.Struct({
    count: Schema.Natural.annotate({ description: "How many detections are listed" }),
    fires: Schema.Array(
      Schema.Struct({
        lat: Latitude.annotate({ description: "Centre of the pixel, degrees north" }),
        lon: Longitude.annotate({ description: "Centre of the pixel, degrees east" }),
        state: Schema.NullOr(Schema.String.check(Schema.isPattern(/^[A-Z]{2}$/))).annotate({
          description:
            "Approximate US state, district or territory as two letters, from outlines at 1:10,000,000: it may be wrong within some two kilometres of a border or coast. Null outside the United States",
        }),
        radiative_power_mw: Schema.NullOr(RadiativePower).annotate({ description: "Fire radiative power, megawatts" }),
        confidence: Schema.NullOr(Schema.Literals(fireConfidences)),
        satellite: NonEmptyTextUpTo(40),
        acquired_at: Instant.annotate({ description: "When the satellite saw it" }),
        daytime: Schema.NullOr(Schema.Boolean),
      }),
    ).check(Schema.isMaxLength(FIRES_SHOWN_MAX)),
  }),
  changes: [{ feed: wildfires, latitude: "lat", longitude: "lon", title: fireTitle }],
  glance: {
    title: "Wildfires",
    headline: ({ count, fires: [strongest] }) =>
      strongest === undefined
        ? none("No fire was detected in North America in 24 hours")
        : {
            value: strongest.radiative_power_mw,
            unit: "MW",
            note: clause(
              `strongest of ${counted(count, "detection")} in North America`,
              strongest.state,
              timeText(strongest.acquired_at),
            ),
          },
    marks: ({ fires }) =>
      marksOf(fires, (fire) => ({
        title: fireTitle(fire),
        // Powers span orders of magnitude: 10 MW weighs a quarter, 10,000 MW all.
        weight: fire.radiative_power_mw === null ? 0 : Math.log10(1 + fire.radiative_power_mw) / 4,
        at: fire.acquired_at,
      })),
  },
  example: {
    count: 1,
    fires: [
      {
        lat: 40.61,
        lon: -122.48,
        state: "CA",
        radiative_power_mw: 183.89,
        confidence: "high",
        satellite: "NOAA-21",
        acquired_at: "2026-08-17T20:33:00.000Z",
        daytime: true,
      },
    ],
  },
})
