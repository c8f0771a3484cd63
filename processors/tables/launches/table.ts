import { launches } from "../../../schemas/feeds/launches.ts"
import { itemTable } from "../../table.ts"

export default itemTable({
  name: "launches",
  feed: launches,
  without: ["statusAbbreviation", "webcastLive", "url"],
  texts: ["provider", "vehicle", "mission", "netPrecision", "pad", "location"],
  columns: ({ item }) => ({ status_abbrev: item.statusAbbreviation }),
  listed: "listed",
})
