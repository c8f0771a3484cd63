import { spaceWeather } from "../../../schemas/feeds/space-weather.ts"
import { monthOf, table } from "../../table.ts"

export default table({
  name: "space_weather",
  feed: spaceWeather,
  rows: ({ kind, item, observedAt }) => {
    if (kind === "gone") return []
    const { kp, kpEstimated, solarWind, xray } = item.measurements
    return [
      {
        observed_at: observedAt,
        kp_index: kp?.index ?? null,
        kp_at: kp?.at ?? null,
        kp_estimated: kpEstimated?.index ?? null,
        solar_wind_speed_km_s: solarWind?.speedKmPerS ?? null,
        solar_wind_density_cm3: solarWind?.densityPerCm3 ?? null,
        solar_wind_temperature_k: solarWind?.temperatureK ?? null,
        solar_wind_at: solarWind?.at ?? null,
        xray_flux_w_m2: xray?.fluxWPerM2 ?? null,
        xray_at: xray?.at ?? null,
        xray_peak_flux_w_m2: xray?.peakFluxWPerM2 ?? null,
        xray_peak_at: xray?.peakAt ?? null,
      },
    ]
  },
  partition: (row) => monthOf(row.observed_at),
})
