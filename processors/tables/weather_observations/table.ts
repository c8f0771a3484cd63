import { weather } from "../../../schemas/feeds/weather.ts"
import { monthOf, table } from "../../table.ts"

export default table({
  name: "weather_observations",
  feed: weather,
  rows: ({ kind, parameters, item, observedAt }) =>
    kind === "gone"
      ? []
      : [
          {
            asked_latitude: Number(parameters.lat),
            asked_longitude: Number(parameters.lon),
            at: item.at,
            latitude: item.latitude,
            longitude: item.longitude,
            elevation_m: item.elevationM,
            temperature_c: item.temperatureC,
            apparent_temperature_c: item.apparentTemperatureC,
            weather_code: item.weatherCode,
            wind_speed_m_s: item.windSpeedMPerS,
            wind_gust_m_s: item.windGustMPerS,
            humidity_percent: item.humidityPercent,
            observed_at: observedAt,
          },
        ],
  partition: (row) => monthOf(row.at),
})
