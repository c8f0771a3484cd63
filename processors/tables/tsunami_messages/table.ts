import { tsunami, tsunamiLevel } from "../../../schemas/feeds/tsunami.ts"
import { itemTable } from "../../table.ts"

// No row of a message that is gone: the next one has replaced it in the feed.
export default itemTable({
  name: "tsunami_messages",
  feed: tsunami,
  texts: ["event", "product", "magnitudeType", "note", "url"],
  columns: ({ item }) => ({ level: tsunamiLevel[item.category] }),
  partition: (row) => row.issued_at.slice(0, 4),
})
