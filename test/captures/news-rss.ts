import * as Schema from "effect/Schema"
import { recordedDocuments } from "../../ingestors/captures.ts"
import { document } from "../../ingestors/document.ts"
import newsRss from "../../ingestors/sources/news-rss.ts"

/** The posts of a subreddit as JSON, which its host gives to registered programs only. */
const listing = document({
  format: "json",
  wire: Schema.Struct({
    kind: Schema.Literal("Listing"),
    data: Schema.Struct({
      after: Schema.NullOr(Schema.String),
      children: Schema.Array(
        Schema.Struct({
          kind: Schema.Literal("t3"),
          data: Schema.Struct({
            title: Schema.NonEmptyString,
            /** Seconds since the epoch, with decimals. */
            created_utc: Schema.Finite,
            permalink: Schema.String,
            score: Schema.Int,
            stickied: Schema.Boolean,
            over_18: Schema.Boolean,
          }),
        }),
      ),
    }),
  }),
  url: "https://www.reddit.com/r/wallstreetbets/hot.json",
})

export default recordedDocuments(newsRss, { listing })
