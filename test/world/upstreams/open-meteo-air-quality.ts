import { simulatedUpstream } from "../upstream.ts"
import type { World } from "../world.ts"
import { answerPlaces, type PlaceService } from "./open-meteo.ts"

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** The model has no value of sulphur dioxide for about this share of the hours. */
const UNKNOWN_SHARE = 0.2

const tenths = (value: number): number => Number(value.toFixed(1))

/** The air of the world at a place, constant for an hour; micrograms in a cubic metre. */
export const airAt = (world: World, latitude: number, longitude: number) => {
  const atMs = Math.floor(world.nowMs / HOUR_MS) * HOUR_MS
  const place = `${latitude.toFixed(1)} ${longitude.toFixed(1)}`
  const wander = (what: string, centre: number, spread: number) =>
    Math.max(0, world.wander(`${what} ${place}`, centre, spread, DAY_MS, atMs))
  // Some places have clean air, and others smog.
  const smog = 1 + 8 * world.random("smog", place)
  const pm25 = tenths(wander("pm2.5", 6 * smog, 5 * smog))
  return {
    atMs,
    usAqi: Math.round(Math.min(500, pm25 * 3.4)),
    europeanAqi: Math.round(pm25 * 1.6),
    pm25,
    pm10: tenths(pm25 + wander("pm10", 5, 4)),
    carbonMonoxide: tenths(wander("co", 80 + 60 * smog, 50)),
    nitrogenDioxide: tenths(wander("no2", 6 * smog, 5)),
    sulphurDioxide: world.random("so2", place, atMs) < UNKNOWN_SHARE ? null : tenths(wander("so2", 2 * smog, 2)),
    ozone: tenths(wander("o3", 60, 40)),
  }
}

// With the Greek letter, U+03BC, as the provider writes it.
const MICROGRAMS = "\u03BCg/m\u00B3"

const airQuality = (world: World): PlaceService => ({
  cellsPerDegree: 10,
  intervalSeconds: HOUR_MS / 1000,
  at: (latitude, longitude) => {
    const air = airAt(world, latitude, longitude)
    return {
      atMs: air.atMs,
      variables: {
        us_aqi: ["USAQI", air.usAqi],
        european_aqi: ["EAQI", air.europeanAqi],
        pm2_5: [MICROGRAMS, air.pm25],
        pm10: [MICROGRAMS, air.pm10],
        ozone: [MICROGRAMS, air.ozone],
        nitrogen_dioxide: [MICROGRAMS, air.nitrogenDioxide],
        sulphur_dioxide: [MICROGRAMS, air.sulphurDioxide],
        carbon_monoxide: [MICROGRAMS, air.carbonMonoxide],
      },
    }
  },
})

export default simulatedUpstream({
  name: "open-meteo-air-quality",
  hosts: ["air-quality-api.open-meteo.com", "customer-air-quality-api.open-meteo.com"],
  answer: ({ path, query }, world) =>
    path === "/v1/air-quality" ? answerPlaces(airQuality(world), world, query) : null,
})
