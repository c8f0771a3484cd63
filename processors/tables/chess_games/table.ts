import { chessTv } from "../../../schemas/feeds/chess-tv.ts"
import { itemTable } from "../../table.ts"

export default itemTable(import.meta.url, {
  feed: chessTv,
  listed: "on_air",
})
