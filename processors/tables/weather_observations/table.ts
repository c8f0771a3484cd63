import { weather } from "../../../schemas/feeds/weather.ts"
import { itemTable } from "../../table.ts"

export default itemTable(import.meta.url, {
  feed: weather,
  now: { identity: ["asked_latitude", "asked_longitude"] },
  held: { parameters: { lat: "asked_latitude", lon: "asked_longitude" } },
})
