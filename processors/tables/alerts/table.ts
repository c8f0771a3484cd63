import { weatherAlerts } from "../../../schemas/feeds/weather-alerts.ts"
import { itemTable } from "../../table.ts"

export default itemTable({
  name: "alerts",
  feed: weatherAlerts,
  without: ["areaDescription", "web"],
  texts: ["headline", "description"],
  columns: ({ item }) => ({ area: item.areaDescription }),
  listed: "listed",
})
