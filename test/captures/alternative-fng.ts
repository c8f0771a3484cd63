import * as Schema from "effect/Schema"
import { recordedDocuments } from "../../ingestors/captures.ts"
import { document } from "../../ingestors/document.ts"
import alternativeFng, { Label, Metadata, Value } from "../../ingestors/sources/alternative-fng.ts"

/** The index requested with `date_format`: its times are dates, in one of several orders of day, month and year. */
const DatedIndex = Schema.Struct({
  data: Schema.Array(
    Schema.Struct({
      value: Value,
      value_classification: Label,
      timestamp: Schema.String.check(Schema.isPattern(/^\d{1,4}[-./]\d{1,2}[-./]\d{1,4}$/)),
    }),
  ),
  metadata: Metadata,
})

const datedIndex = document({
  format: "json",
  wire: DatedIndex,
  url: "https://api.alternative.me/fng/?limit=30&date_format=world",
})

export default recordedDocuments(alternativeFng, { datedIndex })
