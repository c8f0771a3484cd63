import { airQuality } from "../../../schemas/feeds/air-quality.ts"
import { itemTable } from "../../table.ts"

export default itemTable(import.meta.url, {
  feed: airQuality,
  now: { identity: ["asked_latitude", "asked_longitude"] },
  held: { parameters: { lat: "asked_latitude", lon: "asked_longitude" } },
})
