import * as Schema from "effect/Schema"
import { endpoint } from "../contract/endpoint.ts"
import { latitude, longitude } from "../contract/parameters.ts"
import { Instant } from "../event.ts"
import { type Parameters, valueFeed } from "../feed.ts"

const between = (minimum: number, maximum: number) => Schema.Finite.check(Schema.isBetween({ minimum, maximum }))

/** The highest index that is accepted: dust storms exceed the 500 at which the scale of the US index ends. */
export const AQI_MAX = 5_000
/** The highest concentration that is accepted, in micrograms in a cubic metre. */
export const CONCENTRATION_MAX = 1_000_000

const Index = Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: AQI_MAX })))
const Concentration = Schema.NullOr(between(0, CONCENTRATION_MAX))

/** The air at a place, of a model. A member is null where the model has no value; concentrations are in micrograms in a cubic metre. */
export const AirQuality = Schema.Struct({
  /** Centre of the model's grid cell, which need not be the point that was asked for. */
  latitude: between(-90, 90),
  longitude: between(-180, 180),
  at: Instant,
  usAqi: Index,
  europeanAqi: Index,
  pm25UgPerM3: Concentration,
  pm10UgPerM3: Concentration,
  ozoneUgPerM3: Concentration,
  nitrogenDioxideUgPerM3: Concentration,
  sulphurDioxideUgPerM3: Concentration,
  carbonMonoxideUgPerM3: Concentration,
})
export type AirQuality = typeof AirQuality.Type

/** The place of a request without one, which is observed on schedule and stands for the feed in its reliability: Los Angeles. */
export const AIR_QUALITY_CANARY = { lat: "34.05", lon: "-118.24" } as const satisfies Parameters

export const airQuality = valueFeed({
  name: "air-quality",
  instances: [AIR_QUALITY_CANARY],
  description: "Current air quality at a place by a model of the atmosphere, observed on demand.",
  value: AirQuality,
  key: "current",
  happenedAt: (item) => item.at,
  contentAgeMax: "3 hours",
})

const micrograms = (what: string) =>
  Concentration.annotate({ description: `${what}, micrograms in a cubic metre; null where the model has no value` })

export const airQualityEndpoint = endpoint({
  path: "/api/air-quality",
  name: "air_quality",
  kind: "on-demand",
  tier: "free",
  subject: "earth",
  ttl: "30 minutes",
  summary: "Current air quality at a place",
  description:
    "Values of a model of the atmosphere (CAMS), not of a station, for its grid cell around the point: about 11 km in Europe and 40 km elsewhere. Coordinates are rounded to two decimals. Where one of them is missing or invalid, the defaults of both apply.",
  parameters: {
    lat: {
      schema: latitude,
      description: "Latitude, degrees north, -90 to 90",
      unit: "degrees",
      default: AIR_QUALITY_CANARY.lat,
      whenWrong: "defaults",
      example: "52.52",
    },
    lon: {
      schema: longitude,
      description: "Longitude, degrees east, -180 to 180",
      unit: "degrees",
      default: AIR_QUALITY_CANARY.lon,
      whenWrong: "defaults",
      example: "13.41",
    },
  },
  data: Schema.Struct({
    lat: between(-90, 90).annotate({ description: "Latitude asked for, degrees north, two decimals" }),
    lon: between(-180, 180).annotate({ description: "Longitude asked for, degrees east, two decimals" }),
    timezone: Schema.Literal("GMT").annotate({ description: "Zone of the snapshot's time" }),
    snapshot: Schema.Struct({
      time: Instant.annotate({ description: "When the values hold" }),
      us_aqi: Index.annotate({ description: "US Air Quality Index" }),
      european_aqi: Index.annotate({ description: "European Air Quality Index" }),
      pm2_5: micrograms("Particles up to 2.5 micrometres"),
      pm10: micrograms("Particles up to 10 micrometres"),
      ozone: micrograms("Ozone"),
      nitrogen_dioxide: micrograms("Nitrogen dioxide"),
      sulphur_dioxide: micrograms("Sulphur dioxide"),
      carbon_monoxide: micrograms("Carbon monoxide"),
    }),
    category: Schema.NullOr(
      Schema.Struct({
        label: Schema.Literals([
          "good",
          "moderate",
          "unhealthy_sensitive",
          "unhealthy",
          "very_unhealthy",
          "hazardous",
        ]).annotate({ description: "Band of the US index, up to 50, 100, 150, 200, 300, and above" }),
        color: Schema.Literals(["green", "yellow", "orange", "red", "purple", "maroon"]),
      }),
    ).annotate({ description: "Band of the US index; null without one" }),
  }),
  changes: [{ feed: airQuality, latitude: "lat", longitude: "lon" }],
  example: {
    lat: 52.52,
    lon: 13.41,
    timezone: "GMT",
    snapshot: {
      time: "2024-02-21T15:00:00.000Z",
      us_aqi: 41,
      european_aqi: 22,
      pm2_5: 8.8,
      pm10: 9.7,
      ozone: 54,
      nitrogen_dioxide: 17.7,
      sulphur_dioxide: 1.3,
      carbon_monoxide: 220,
    },
    category: { label: "good", color: "green" },
  },
})
