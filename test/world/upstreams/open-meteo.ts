import { simulatedUpstream, type WorldReply } from "../upstream.ts"
import type { World } from "../world.ts"

const DAY_MS = 86_400_000
const INTERVAL_MS = 900_000

const places = (value: number, count: number): number => Number(value.toFixed(count))
const codes = [0, 1, 2, 3, 3, 61, 63, 80, 45, 71, 95] as const

/** The weather of the world at a place, metric, constant for a quarter of an hour. */
export const weatherAt = (world: World, latitude: number, longitude: number) => {
  const atMs = Math.floor(world.nowMs / INTERVAL_MS) * INTERVAL_MS
  const place = `${latitude.toFixed(1)} ${longitude.toFixed(1)}`
  const wander = (what: string, centre: number, spread: number, periodMs: number) =>
    world.wander(`${what} ${place}`, centre, spread, periodMs, atMs)
  const season = Math.cos(((atMs / DAY_MS - 196) / 365.25) * 2 * Math.PI) * Math.sign(latitude || 1)
  const temperature = 28 - Math.abs(latitude) * 0.5 + season * Math.abs(latitude) * 0.25
  const windSpeed = Math.abs(wander("wind", 5, 5, DAY_MS))
  return {
    atMs,
    temperature: wander("temperature", temperature, 5, DAY_MS),
    windSpeed,
    gusts: windSpeed * 1.7,
    humidity: Math.round(Math.min(100, Math.max(5, wander("humidity", 65, 30, DAY_MS)))),
    code: codes[Math.floor(world.random("weather", place, Math.floor(atMs / (3 * 3_600_000))) * codes.length)] ?? 0,
  }
}

const speedUnits: Readonly<Record<string, { readonly label: string; readonly perMPerS: number }>> = {
  kmh: { label: "km/h", perMPerS: 3.6 },
  ms: { label: "m/s", perMPerS: 1 },
  mph: { label: "mp/h", perMPerS: 1 / 0.44704 },
  kn: { label: "kn", perMPerS: 3600 / 1852 },
}

/** A variable of a service: the label of its unit, and its value. */
type Variable = readonly [unit: string, value: number | null]

/** One service of the provider: its model's grid and interval, and its variables at a place. */
export interface PlaceService {
  readonly cellsPerDegree: number
  readonly intervalSeconds: number
  readonly at: (
    latitude: number,
    longitude: number,
  ) => { readonly atMs: number; readonly variables: Readonly<Record<string, Variable>> }
}

const refusal = (reason: string): WorldReply => ({ status: 400, body: { error: true, reason } })

const placeOf = (
  { cellsPerDegree, intervalSeconds, at }: PlaceService,
  world: World,
  query: URLSearchParams,
  [latitude, longitude, index]: readonly [latitude: number, longitude: number, index: number],
) => {
  const { atMs, variables } = at(latitude, longitude)
  const requested = (query.get("current") ?? "").split(",").flatMap((name) => {
    const variable = variables[name]
    return variable === undefined ? [] : [[name, variable] as const]
  })
  return {
    latitude: places(Math.round(latitude * cellsPerDegree) / cellsPerDegree, 4),
    longitude: places(Math.round(longitude * cellsPerDegree) / cellsPerDegree, 4),
    generationtime_ms: places(0.05 + world.random("generation", latitude, longitude), 6),
    utc_offset_seconds: 0,
    timezone: "GMT",
    timezone_abbreviation: "GMT",
    elevation: Math.round(world.random("elevation", latitude.toFixed(1), longitude.toFixed(1)) * 800),
    ...(index === 0 ? {} : { location_id: index }),
    current_units: {
      time: "iso8601",
      interval: "seconds",
      ...Object.fromEntries(requested.map(([name, [unit]]) => [name, unit])),
    },
    current: {
      time: new Date(atMs).toISOString().slice(0, 16),
      interval: intervalSeconds,
      ...Object.fromEntries(requested.map(([name, [, value]]) => [name, value])),
    },
  }
}

/** What a service answers for the places of a query: one is an object, several are an array, a wrong one is refused. */
export const answerPlaces = (service: PlaceService, world: World, query: URLSearchParams): WorldReply => {
  const latitudes = (query.get("latitude") ?? "").split(",").map(Number)
  const longitudes = (query.get("longitude") ?? "").split(",").map(Number)
  if (query.get("latitude") === null || query.get("longitude") === null)
    return refusal("Parameter 'latitude' and 'longitude' must have the same number of elements")
  const wrong = latitudes.find((one) => !(Math.abs(one) <= 90))
  if (wrong !== undefined) return refusal(`Latitude must be in range of -90 to 90°. Given: ${wrong}.`)
  const answers = latitudes.map((one, index) => placeOf(service, world, query, [one, longitudes[index] ?? 0, index]))
  return { body: (answers.length === 1 ? answers[0] : undefined) ?? answers }
}

const forecasts = (world: World, query: URLSearchParams): PlaceService => ({
  cellsPerDegree: 8,
  intervalSeconds: INTERVAL_MS / 1000,
  at: (latitude, longitude) => {
    const weather = weatherAt(world, latitude, longitude)
    const speed = speedUnits[query.get("wind_speed_unit") ?? "kmh"] ?? { label: "km/h", perMPerS: 3.6 }
    const fahrenheit = query.get("temperature_unit") === "fahrenheit"
    const degrees = (celsius: number) => places(fahrenheit ? celsius * 1.8 + 32 : celsius, 1)
    const temperatureUnit = fahrenheit ? "°F" : "°C"
    return {
      atMs: weather.atMs,
      variables: {
        temperature_2m: [temperatureUnit, degrees(weather.temperature)],
        apparent_temperature: [temperatureUnit, degrees(weather.temperature - weather.windSpeed * 0.4)],
        relative_humidity_2m: ["%", weather.humidity],
        weather_code: ["wmo code", weather.code],
        wind_speed_10m: [speed.label, places(weather.windSpeed * speed.perMPerS, 1)],
        wind_gusts_10m: [speed.label, places(weather.gusts * speed.perMPerS, 1)],
      },
    }
  },
})

export default simulatedUpstream({
  name: "open-meteo",
  hosts: ["api.open-meteo.com", "customer-api.open-meteo.com"],
  answer: ({ path, query }, world) =>
    path === "/v1/forecast" ? answerPlaces(forecasts(world, query), world, query) : null,
})
