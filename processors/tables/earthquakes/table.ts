import { earthquakes } from "../../../schemas/feeds/earthquakes.ts"
import { itemTable } from "../../table.ts"

export default itemTable(import.meta.url, {
  feed: earthquakes,
  now: { identity: ["id"], stands: "status != 'deleted'" },
})
