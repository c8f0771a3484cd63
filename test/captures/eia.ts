import * as Schema from "effect/Schema"
import { recordedDocuments } from "../../ingestors/captures.ts"
import { document } from "../../ingestors/document.ts"
import eia from "../../ingestors/sources/eia.ts"

/** The page of a weekly series, which has the same frame and another table. */
const weekly = document({
  format: "text",
  wire: Schema.String.check(
    Schema.isPattern(/hist_xls\/[A-Z0-9_]+w\.xls/),
    Schema.isPattern(/Release Date: \d{1,2}\/\d{1,2}\/\d{4}/),
  ),
  url: "https://www.eia.gov/dnav/pet/hist/LeafHandler.ashx?n=PET&s=WCESTUS1&f=W",
})

export default recordedDocuments(eia, { weekly })
