import { weatherAlerts } from "../../../schemas/feeds/weather-alerts.ts"
import { itemTable } from "../../table.ts"

export default itemTable(import.meta.url, {
  feed: weatherAlerts,
  columns: ({ item }) => ({ area: item.areaDescription }),
})
