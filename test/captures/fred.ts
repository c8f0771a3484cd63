import * as Schema from "effect/Schema"
import { recordedDocuments } from "../../ingestors/captures.ts"
import { document } from "../../ingestors/document.ts"
import fred from "../../ingestors/sources/fred.ts"

/** https://fred.stlouisfed.org/docs/api/fred/series.html Title and units of a series. */
const information = document({
  format: "json",
  wire: Schema.Struct({ seriess: Schema.Array(Schema.Struct({ id: Schema.NonEmptyString, units: Schema.String })) }),
  url: (series: string) => `https://api.stlouisfed.org/fred/series?series_id=${series}&file_type=json`,
})

export default recordedDocuments(fred, { information })
