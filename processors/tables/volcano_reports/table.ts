import { volcanoes } from "../../../schemas/feeds/volcanoes.ts"
import { itemTable } from "../../table.ts"

// No row of a report that is gone: the next issue has replaced it.
export default itemTable(import.meta.url, {
  feed: volcanoes,
  now: { identity: ["volcano_number", "if(volcano_number IS NULL, name, '')", "period"] },
})
