import { earthquakes } from "../../../schemas/feeds/earthquakes.ts"
import { itemTable, monthOf } from "../../table.ts"

// No row of a quake that is gone: it is only too old for the daily list.
export default itemTable({
  name: "earthquakes",
  feed: earthquakes,
  without: ["type", "url", "otherIds"],
  texts: ["magnitudeType", "place", "alert"],
  partition: ({ time }) => monthOf(time),
})
