import { weather } from "../../../schemas/feeds/weather.ts"
import { itemTable, monthOf } from "../../table.ts"

export default itemTable({
  name: "weather_observations",
  feed: weather,
  without: ["windSpeedMPerS", "windGustMPerS"],
  columns: ({ parameters, item }) => ({
    asked_latitude: Number(parameters.lat),
    asked_longitude: Number(parameters.lon),
    wind_speed_m_s: item.windSpeedMPerS,
    wind_gust_m_s: item.windGustMPerS,
  }),
  partition: ({ at }) => monthOf(at),
})
