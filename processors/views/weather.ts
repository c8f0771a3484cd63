import { type WeatherObservation, weather, weatherEndpoint } from "../../schemas/feeds/weather.ts"
import { rounded } from "../../schemas/number.ts"
import { changesOf, from, type ViewContext, view } from "../view/view.ts"

const MPH_PER_M_PER_S = 3600 / 1609.344

const fahrenheit = (celsius: number | null): number | null => (celsius === null ? null : rounded(celsius * 1.8 + 32, 1))
const mph = (mPerS: number | null): number | null => (mPerS === null ? null : rounded(mPerS * MPH_PER_M_PER_S, 1))

/** Texts of the WMO weather codes that the provider uses. */
const conditions: Readonly<Record<number, string>> = {
  0: "Clear sky",
  1: "Mainly clear",
  2: "Partly cloudy",
  3: "Overcast",
  45: "Fog",
  48: "Depositing rime fog",
  51: "Light drizzle",
  53: "Moderate drizzle",
  55: "Dense drizzle",
  56: "Light freezing drizzle",
  57: "Dense freezing drizzle",
  61: "Slight rain",
  63: "Moderate rain",
  65: "Heavy rain",
  66: "Light freezing rain",
  67: "Heavy freezing rain",
  71: "Slight snowfall",
  73: "Moderate snowfall",
  75: "Heavy snowfall",
  77: "Snow grains",
  80: "Slight rain showers",
  81: "Moderate rain showers",
  82: "Violent rain showers",
  85: "Slight snow showers",
  86: "Heavy snow showers",
  95: "Thunderstorm",
  96: "Thunderstorm with slight hail",
  99: "Thunderstorm with heavy hail",
}

const weatherAt = (now: WeatherObservation, { parameters }: ViewContext) => ({
  lat: Number(parameters.lat),
  lon: Number(parameters.lon),
  time: now.at,
  temperature_f: fahrenheit(now.temperatureC),
  feels_like_f: fahrenheit(now.apparentTemperatureC),
  weather_code: now.weatherCode,
  conditions: now.weatherCode === null ? null : (conditions[now.weatherCode] ?? null),
  wind_speed_mph: mph(now.windSpeedMPerS),
  wind_gust_mph: mph(now.windGustMPerS),
  humidity_percent: now.humidityPercent,
})

export default view({
  endpoint: weatherEndpoint,
  reads: { weather: from(weather, (parameters) => parameters) },
  changes: [changesOf(weather, weatherAt)],
  build: ({ weather }, context) => weatherAt(weather.payload, context),
})
