import * as Schema from "effect/Schema"
import { endpoint } from "../contract/endpoint.ts"
import { latitude, longitude } from "../contract/parameters.ts"
import { Instant } from "../event.ts"
import { type Parameters, valueFeed } from "../feed.ts"
import { TextUpTo } from "../values.ts"

const between = (minimum: number, maximum: number) => Schema.Finite.check(Schema.isBetween({ minimum, maximum }))

/** WMO code 4677 of the present weather. */
const WeatherCode = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 99 }))

/** Current conditions at a place, metric. A member is null where the model has no value. */
export const WeatherObservation = Schema.Struct({
  /** Centre of the model's grid cell, which need not be the point that was asked for. */
  latitude: between(-90, 90),
  longitude: between(-180, 180),
  elevationM: Schema.NullOr(between(-500, 9000)),
  at: Instant,
  temperatureC: Schema.NullOr(between(-100, 70)),
  apparentTemperatureC: Schema.NullOr(between(-150, 100)),
  weatherCode: Schema.NullOr(WeatherCode),
  windSpeedMPerS: Schema.NullOr(between(0, 150)),
  windGustMPerS: Schema.NullOr(between(0, 200)),
  humidityPercent: Schema.NullOr(between(0, 100)),
})
export type WeatherObservation = typeof WeatherObservation.Type

/** The place that is observed on schedule and stands for the feed in its reliability: New York. */
export const WEATHER_CANARY: Parameters = { lat: "40.71", lon: "-74.01" }

export const weather = valueFeed({
  name: "weather",
  instances: [WEATHER_CANARY],
  description: "Current weather conditions at a place, observed on demand.",
  value: WeatherObservation,
  key: "current",
  happenedAt: (item) => item.at,
  contentAgeMax: "1 hour",
})

export const weatherEndpoint = endpoint({
  path: "/api/weather",
  name: "weather",
  kind: "on-demand",
  tier: "free",
  subject: "earth",
  ttl: "10 minutes",
  summary: "Current weather at a place, in US customary units",
  description:
    "Coordinates are rounded to two decimals, about a kilometre. Values belong to the weather model's grid cell around the point and are null where the model has none.",
  parameters: {
    lat: { schema: latitude, description: "Latitude, degrees north, -90 to 90", unit: "degrees", example: "43.7" },
    lon: { schema: longitude, description: "Longitude, degrees east, -180 to 180", unit: "degrees", example: "-79.4" },
  },
  data: Schema.Struct({
    lat: between(-90, 90).annotate({ description: "Latitude asked for, degrees north, two decimals" }),
    lon: between(-180, 180).annotate({ description: "Longitude asked for, degrees east, two decimals" }),
    time: Instant.annotate({ description: "When the conditions held" }),
    temperature_f: Schema.NullOr(between(-150, 160)).annotate({
      description: "Air temperature at 2 m, degrees Fahrenheit",
    }),
    feels_like_f: Schema.NullOr(between(-240, 220)).annotate({
      description: "Apparent temperature, degrees Fahrenheit",
    }),
    weather_code: Schema.NullOr(WeatherCode).annotate({ description: "WMO code 4677 of the present weather" }),
    conditions: Schema.NullOr(TextUpTo(60)).annotate({ description: "The weather code in words" }),
    wind_speed_mph: Schema.NullOr(between(0, 340)).annotate({ description: "Wind speed at 10 m, miles per hour" }),
    wind_gust_mph: Schema.NullOr(between(0, 450)).annotate({ description: "Gusts at 10 m, miles per hour" }),
    humidity_percent: Schema.NullOr(between(0, 100)).annotate({ description: "Relative humidity at 2 m, percent" }),
  }),
  changes: [{ feed: weather, latitude: "lat", longitude: "lon" }],
  example: {
    lat: 43.7,
    lon: -79.4,
    time: "2026-03-06T02:00:00.000Z",
    temperature_f: 32.6,
    feels_like_f: 22.5,
    weather_code: 3,
    conditions: "Overcast",
    wind_speed_mph: 13.2,
    wind_gust_mph: 33.3,
    humidity_percent: 71,
  },
})
