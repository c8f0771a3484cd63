import { tsunami, tsunamiLevel } from "../../../schemas/feeds/tsunami.ts"
import { itemTable } from "../../table.ts"

// No row of a message that is gone: the next one has replaced it in the feed.
export default itemTable(import.meta.url, {
  feed: tsunami,
  now: { identity: ["centre", "if(event = '', toString(issued_at), event)", "product"] },
  columns: ({ item }) => ({ level: tsunamiLevel[item.category] }),
})
