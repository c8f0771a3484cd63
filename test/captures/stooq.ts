import * as Schema from "effect/Schema"
import { recordedDocuments } from "../../ingestors/captures.ts"
import { document } from "../../ingestors/document.ts"
import stooq from "../../ingestors/sources/stooq.ts"

/** Prices of each day; the header is English or Polish by host, and a market without volumes has no such column. */
const daily = document({
  format: "csv",
  wire: Schema.Struct({
    columns: Schema.Array(Schema.String).check(
      Schema.makeFilter((columns: ReadonlyArray<string>) => /^(Date|Data)$/.test(columns[0] ?? "") || "not by day"),
    ),
    rows: Schema.Array(Schema.Record(Schema.String, Schema.String)),
  }),
  url: (ticker: string) => `https://stooq.com/q/d/l/?s=${ticker}&i=d`,
})

export default recordedDocuments(stooq, { daily })
