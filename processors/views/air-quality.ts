import { type AirQuality, airQuality, airQualityEndpoint } from "../../schemas/feeds/air-quality.ts"
import { changesOf, from, type ViewContext, view } from "../view/view.ts"

/** The bands of the US index, by their highest value. */
const bands = [
  { usAqiMax: 50, label: "good", color: "green" },
  { usAqiMax: 100, label: "moderate", color: "yellow" },
  { usAqiMax: 150, label: "unhealthy_sensitive", color: "orange" },
  { usAqiMax: 200, label: "unhealthy", color: "red" },
  { usAqiMax: 300, label: "very_unhealthy", color: "purple" },
  { usAqiMax: Number.POSITIVE_INFINITY, label: "hazardous", color: "maroon" },
] as const

const categoryOf = (usAqi: number | null) => {
  const band = usAqi === null ? undefined : bands.find(({ usAqiMax }) => usAqi <= usAqiMax)
  return band === undefined ? null : { label: band.label, color: band.color }
}

const airAt = (now: AirQuality, { parameters }: ViewContext) => ({
  lat: Number(parameters.lat),
  lon: Number(parameters.lon),
  timezone: "GMT" as const,
  snapshot: {
    time: now.at,
    us_aqi: now.usAqi,
    european_aqi: now.europeanAqi,
    pm2_5: now.pm25UgPerM3,
    pm10: now.pm10UgPerM3,
    ozone: now.ozoneUgPerM3,
    nitrogen_dioxide: now.nitrogenDioxideUgPerM3,
    sulphur_dioxide: now.sulphurDioxideUgPerM3,
    carbon_monoxide: now.carbonMonoxideUgPerM3,
  },
  category: categoryOf(now.usAqi),
})

export default view({
  endpoint: airQualityEndpoint,
  reads: { air: from(airQuality, (parameters) => parameters) },
  changes: [changesOf(airQuality, airAt)],
  build: ({ air }, context) => airAt(air.payload, context),
})
