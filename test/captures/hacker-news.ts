import * as Schema from "effect/Schema"
import { recordedDocuments } from "../../ingestors/captures.ts"
import { document } from "../../ingestors/document.ts"
import hackerNews from "../../ingestors/sources/hacker-news.ts"

/** Items and profiles that changed most recently. */
const updates = document({
  format: "json",
  wire: Schema.Struct({ items: Schema.Array(Schema.Natural), profiles: Schema.Array(Schema.String) }),
  url: "https://hacker-news.firebaseio.com/v0/updates.json",
})

export default recordedDocuments(hackerNews, { updates })
