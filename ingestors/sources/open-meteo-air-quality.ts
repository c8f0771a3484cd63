import * as Schema from "effect/Schema"
import { type AirQuality, AQI_MAX, airQuality, CONCENTRATION_MAX } from "../../schemas/feeds/air-quality.ts"
import { rounded } from "../../schemas/number.ts"
import { within } from "../readers/numbers.ts"
import { PlaceTime, placeInstant, placeMembers, placeSource, Units } from "../readers/open-meteo.ts"
import { Decimal, maybe } from "../readers/wire.ts"

const variables = [
  "us_aqi",
  "european_aqi",
  "pm2_5",
  "pm10",
  "ozone",
  "nitrogen_dioxide",
  "sulphur_dioxide",
  "carbon_monoxide",
] as const
type Variable = (typeof variables)[number]

const Current = Schema.Struct({
  time: PlaceTime,
  us_aqi: maybe(Decimal),
  european_aqi: maybe(Decimal),
  pm2_5: maybe(Decimal),
  pm10: maybe(Decimal),
  ozone: maybe(Decimal),
  nitrogen_dioxide: maybe(Decimal),
  sulphur_dioxide: maybe(Decimal),
  carbon_monoxide: maybe(Decimal),
})

/** https://open-meteo.com/en/docs/air-quality-api */
const Place = Schema.Struct({ ...placeMembers, current: maybe(Current), current_units: maybe(Units) })

/**
 * Labels of units other than micrograms in a cubic metre. The expected label is not compared itself: it begins with the
 * Greek mu or the micro sign, and recorded answers have it in a wrong encoding.
 */
const OTHER_UNIT = /^\s*(?:[mnk]?g\/|pp[mbt])/i

/** The air of a place; null without current values: a value may be null, but not all of them can be absent. */
const airOf = (place: typeof Place.Type): AirQuality | null => {
  const now = place.current ?? null
  const at = now === null ? null : placeInstant(now.time, place)
  if (now === null || at === null || variables.every((name) => now[name] === undefined)) return null
  const index = (name: Variable): number | null => {
    const value = within(now[name], 0, AQI_MAX)
    return value === null ? null : rounded(value, 0)
  }
  const concentration = (name: Variable): number | null => {
    const unit = place.current_units?.[name]
    return typeof unit === "string" && OTHER_UNIT.test(unit) ? null : within(now[name], 0, CONCENTRATION_MAX)
  }
  return {
    latitude: place.latitude,
    longitude: place.longitude,
    at,
    usAqi: index("us_aqi"),
    europeanAqi: index("european_aqi"),
    pm25UgPerM3: concentration("pm2_5"),
    pm10UgPerM3: concentration("pm10"),
    ozoneUgPerM3: concentration("ozone"),
    nitrogenDioxideUgPerM3: concentration("nitrogen_dioxide"),
    sulphurDioxideUgPerM3: concentration("sulphur_dioxide"),
    carbonMonoxideUgPerM3: concentration("carbon_monoxide"),
  }
}

export default placeSource({
  name: "open-meteo-air-quality",
  provider: "OpenMeteo.air_quality",
  fills: airQuality,
  every: "30 minutes",
  // Of the 9,000 fetches on request a day that all sources of the provider share.
  onDemand: { perMinuteMax: 40, perDayMax: 2_000 },
  service: "air quality",
  values: "current values",
  document: { name: "current", host: "air-quality-api.open-meteo.com", path: "/v1/air-quality", variables },
  place: Place,
  toValue: airOf,
  attribution: {
    provider: "Open-Meteo.com, with information of the Copernicus Atmosphere Monitoring Service",
    licence: "CC BY 4.0",
    url: "https://open-meteo.com/en/docs/air-quality-api",
  },
})
