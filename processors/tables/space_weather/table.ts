import { spaceWeather } from "../../../schemas/feeds/space-weather.ts"
import { itemTable } from "../../table.ts"

export default itemTable(import.meta.url, {
  feed: spaceWeather,
  held: {},
  columns: ({ item: { measurements } }) => {
    const { kp, kpEstimated, solarWind, xray } = measurements
    return {
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
    }
  },
})
