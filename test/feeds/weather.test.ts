import { describe, expect, it } from "vitest"
import openMeteo from "../../ingestors/sources/open-meteo.ts"
import weatherTable from "../../processors/tables/weather_observations/table.ts"
import weatherView from "../../processors/views/weather.ts"
import { WEATHER_CANARY, type WeatherObservation, weather } from "../../schemas/feeds/weather.ts"
import simulated, { weatherAt } from "../world/upstreams/open-meteo.ts"
import { worldAt } from "../world/world.ts"
import { capturesAbsent, collectedCapture } from "./support/captures.ts"
import { feedTest, polled } from "./support/feed-test.ts"
import { normalised, refusedBy } from "./support/read.ts"
import { OBSERVED_AT } from "./support/rows.ts"
import { reading, shown } from "./support/shown.ts"
import { observed, pollFailure, upstreamOf } from "./support/world.ts"

const NOW_MS = Date.parse("2026-11-20T12:34:56.000Z")
const HERE = { lat: "1", lon: "2" }
const TORONTO = { lat: "43.7", lon: "-79.4" }
type Answer = Parameters<typeof openMeteo.read>[0]

const show = (answer: Answer, parameters = TORONTO) =>
  shown(weatherView, [reading(normalised(openMeteo, answer, { parameters }).payload, parameters)], {
    nowMs: NOW_MS,
    parameters,
  })

const observation: WeatherObservation = {
  latitude: 43.75,
  longitude: -79.25,
  elevationM: 165,
  at: "2026-11-20T12:30:00.000Z",
  temperatureC: 0.5,
  apparentTemperatureC: null,
  weatherCode: 3,
  windSpeedMPerS: 5.9,
  windGustMPerS: null,
  humidityPercent: 71,
}
// The place of the canary, which is the instance that refusals are tried with.
const here = { latitude: 40.71, longitude: -74.01 }

feedTest({
  feed: weather,
  polls: [
    polled({
      source: openMeteo,
      world: simulated,
      instances: [WEATHER_CANARY, TORONTO, { lat: "-33.87", lon: "151.21" }],
      freeText: false,
      breakRow: null,
      refused: [
        ["an error object", { error: true, reason: "no" }, /was refused/],
        ["a place without conditions", here, /no current conditions/],
        ["an unreadable time", { ...here, current: { time: "now" } }, /no current conditions/],
      ],
    }),
  ],
  views: [weatherView],
  table: weatherTable,
  rows: [
    {
      kind: "changed",
      parameters: TORONTO,
      item: observation,
      makes: {
        asked_latitude: 43.7,
        asked_longitude: -79.4,
        at: "2026-11-20T12:30:00.000Z",
        latitude: 43.75,
        longitude: -79.25,
        elevation_m: 165,
        temperature_c: 0.5,
        apparent_temperature_c: null,
        weather_code: 3,
        wind_speed_m_s: 5.9,
        wind_gust_m_s: null,
        humidity_percent: 71,
        observed_at: OBSERVED_AT,
      },
    },
    { kind: "gone", parameters: TORONTO, item: observation, makes: null },
  ],
})

describe.skipIf(capturesAbsent)("captured forecasts", () => {
  it("are shown in the units they came in, through metric ones", () => {
    const answer = collectedCapture(openMeteo, "forecast", "forecast-fahrenheit-mph-toronto-2026-03-05.json")
    const { payload, contentAtMs } = normalised(openMeteo, answer, { parameters: TORONTO })
    // Local time, five hours behind.
    expect(contentAtMs).toBe(Date.parse("2026-03-06T02:00:00Z"))
    expect(payload).toMatchObject({ temperatureC: 0.33, windSpeedMPerS: 5.9, elevationM: 165 })
    expect(show(answer)).toEqual({
      lat: 43.7,
      lon: -79.4,
      time: "2026-03-06T02:00:00.000Z",
      temperature_f: 32.6,
      feels_like_f: 22.5,
      weather_code: 3,
      conditions: "Overcast",
      wind_speed_mph: 13.2,
      wind_gust_mph: 33.3,
      humidity_percent: null,
    })
  })
  it("of several places give the requested one, however its degree sign is encoded", () => {
    const answer = collectedCapture(openMeteo, "forecast", "forecast-multi-location-2026-06-27.json")
    expect(normalised(openMeteo, answer, { parameters: { lat: "51.51", lon: "-0.13" } })).toEqual({
      contentAtMs: Date.parse("2026-06-27T07:15:00Z"),
      payload: {
        latitude: 51.5,
        longitude: -0.25,
        elevationM: 29,
        at: "2026-06-27T07:15:00.000Z",
        temperatureC: 22.8,
        apparentTemperatureC: null,
        weatherCode: 3,
        windSpeedMPerS: 1.81,
        windGustMPerS: null,
        humidityPercent: 70,
      },
    })
  })
})

describe("weather", () => {
  it("of the older spelling is the same", () => {
    const answer = {
      latitude: 1,
      longitude: 2,
      current_weather: { time: 1_763_640_000, temperature: 10, windspeed: 10, weathercode: 95 },
    }
    // Without a label the speed is in the requested unit, metres per second.
    expect(show(answer, HERE)).toMatchObject({
      time: "2025-11-20T12:00:00.000Z",
      temperature_f: 50,
      wind_speed_mph: 22.4,
      conditions: "Thunderstorm",
    })
  })
  it("is null where the model has no value or no unit", () => {
    const current = { time: "2026-11-20T12:00", temperature_2m: null, wind_speed_10m: 3, relative_humidity_2m: 250 }
    const answer = { latitude: 1, longitude: 2, current, current_units: { wind_speed_10m: "furlongs" } }
    expect(show(answer, HERE)).toMatchObject({ temperature_f: null, wind_speed_mph: null, humidity_percent: null })
  })
  it("of another place than the requested one is refused", () => {
    const current = { time: "2026-11-20T12:00", temperature_2m: 20 }
    const refused = (latitude: number, longitude: number, lat: string, lon: string) =>
      refusedBy(openMeteo, { latitude, longitude, current }, { parameters: { lat, lon } })
    expect(refused(40.71, -74.01, "43.7", "-79.4")).toMatchObject({ message: "the forecast is of another place" })
    // The cell of the model may lie a little beside, across the date line as well.
    expect(refused(43.75, -79.25, "43.7", "-79.4")).toBeUndefined()
    expect(refused(0, -179.9, "0", "179.9")).toBeUndefined()
    expect(refused(89.5, 10, "89.9", "150")).toBeUndefined()
  })
  it.each([WEATHER_CANARY, TORONTO, { lat: "-33.87", lon: "151.21" }])("of the world at %o is shown", async (place) => {
    const { payload } = await observed(openMeteo, simulated, NOW_MS, place)
    const truth = weatherAt(worldAt("test", NOW_MS), Number(place.lat), Number(place.lon))
    const data = shown(weatherView, [reading(payload, place)], { nowMs: NOW_MS, parameters: place }) as Record<
      string,
      number
    >
    expect(data).toMatchObject({
      time: "2026-11-20T12:30:00.000Z",
      weather_code: truth.code,
      humidity_percent: truth.humidity,
    })
    expect(data.temperature_f).toBeCloseTo(truth.temperature * 1.8 + 32, 0)
    expect(data.wind_speed_mph).toBeCloseTo(truth.windSpeed / 0.44704, 0)
  })
  it("is not had for a place that is none", async () => {
    const upstream = upstreamOf(simulated, worldAt("test", NOW_MS))
    const failure = await pollFailure(openMeteo, upstream, { lat: "91", lon: "0" })
    expect(failure).toMatchObject({ value: { _tag: "HttpFailed", status: 400 } })
  })
})
