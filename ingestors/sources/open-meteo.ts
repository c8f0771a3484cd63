import * as Schema from "effect/Schema"
import { type WeatherObservation, weather } from "../../schemas/feeds/weather.ts"
import { rounded } from "../../schemas/number.ts"
import { within } from "../readers/numbers.ts"
import { PlaceTime, placeInstant, placeMembers, placeSource, Units } from "../readers/open-meteo.ts"
import { Decimal, maybe } from "../readers/wire.ts"

/** Conditions now. Each name has an older spelling, and both still answer. */
const Current = Schema.Struct({
  time: PlaceTime,
  temperature_2m: maybe(Decimal),
  temperature: maybe(Decimal),
  apparent_temperature: maybe(Decimal),
  relative_humidity_2m: maybe(Decimal),
  relativehumidity_2m: maybe(Decimal),
  weather_code: maybe(Decimal),
  weathercode: maybe(Decimal),
  wind_speed_10m: maybe(Decimal),
  windspeed_10m: maybe(Decimal),
  windspeed: maybe(Decimal),
  wind_gusts_10m: maybe(Decimal),
  windgusts_10m: maybe(Decimal),
})

const Place = Schema.Struct({
  ...placeMembers,
  current: maybe(Current),
  current_units: maybe(Units),
  current_weather: maybe(Current),
  current_weather_units: maybe(Units),
})
type Place = typeof Place.Type

const variables = [
  "temperature_2m",
  "apparent_temperature",
  "relative_humidity_2m",
  "weather_code",
  "wind_speed_10m",
  "wind_gusts_10m",
]

const toCelsius = (value: number, unit: string): number | null =>
  unit.endsWith("F") ? ((value - 32) * 5) / 9 : unit.endsWith("C") ? value : null

/** Metres per second in one of each unit of speed; miles an hour are labelled `mp/h`. */
const mPerS: Readonly<Record<string, number>> = {
  "m/s": 1,
  "km/h": 1 / 3.6,
  "mp/h": 0.44704,
  mph: 0.44704,
  kn: 1852 / 3600,
}

const toMPerS = (value: number, unit: string): number | null => {
  const factor = mPerS[unit]
  return factor === undefined ? null : value * factor
}

/** The value of the first of some spellings, in our unit, or null. The labelled unit counts, not the requested one. */
const reader =
  (current: typeof Current.Type, units: typeof Units.Type) =>
  (
    names: ReadonlyArray<Exclude<keyof typeof Current.Type, "time">>,
    bounds: readonly [minimum: number, maximum: number],
    convert: { readonly unit: string; readonly to: (value: number, unit: string) => number | null },
  ): number | null => {
    for (const name of names) {
      const value = current[name]
      if (value === null || value === undefined) continue
      const unit = units[name]
      const converted = convert.to(value, typeof unit === "string" ? unit : convert.unit)
      if (converted !== null && converted >= bounds[0] && converted <= bounds[1]) return rounded(converted, 2)
    }
    return null
  }

const unconverted = { unit: "", to: (value: number) => value }
// An answer without units has the requested ones.
const celsius = { unit: "°C", to: toCelsius }
const speed = { unit: "m/s", to: toMPerS }

const observation = (place: Place): WeatherObservation | null => {
  const current = place.current ?? place.current_weather ?? null
  if (current === null) return null
  const at = placeInstant(current.time, place)
  if (at === null) return null
  const read = reader(current, (place.current ? place.current_units : place.current_weather_units) ?? {})
  const code = read(["weather_code", "weathercode"], [0, 99], unconverted)
  return {
    latitude: place.latitude,
    longitude: place.longitude,
    elevationM: within(place.elevation, -500, 9000),
    at,
    temperatureC: read(["temperature_2m", "temperature"], [-100, 70], celsius),
    apparentTemperatureC: read(["apparent_temperature"], [-150, 100], celsius),
    weatherCode: code === null || !Number.isInteger(code) ? null : code,
    windSpeedMPerS: read(["wind_speed_10m", "windspeed_10m", "windspeed"], [0, 150], speed),
    windGustMPerS: read(["wind_gusts_10m", "windgusts_10m"], [0, 200], speed),
    humidityPercent: read(["relative_humidity_2m", "relativehumidity_2m"], [0, 100], unconverted),
  }
}

export default placeSource({
  name: "open-meteo",
  provider: "OpenMeteo.forecast",
  fills: weather,
  every: "10 minutes",
  // Of the 5,000 requests an hour that are free, so that no minute uses them up.
  onDemand: { perMinuteMax: 80, perDayMax: 9_000 },
  service: "forecast",
  values: "current conditions",
  document: {
    name: "forecast",
    host: "api.open-meteo.com",
    path: "/v1/forecast",
    variables,
    query: { wind_speed_unit: "ms" },
  },
  place: Place,
  toValue: observation,
  attribution: {
    provider: "Open-Meteo.com",
    licence: "CC BY 4.0",
    url: "https://open-meteo.com/en/license",
  },
})
