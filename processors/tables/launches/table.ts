import { launches } from "../../../schemas/feeds/launches.ts"
import { itemTable } from "../../table.ts"

export default itemTable(import.meta.url, {
  feed: launches,
  columns: ({ item }) => ({ status_abbrev: item.statusAbbreviation }),
})
