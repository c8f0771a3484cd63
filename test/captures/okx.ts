import * as Schema from "effect/Schema"
import { recordedDocuments } from "../../ingestors/captures.ts"
import { document } from "../../ingestors/document.ts"
import { Decimal } from "../../ingestors/readers/wire.ts"
import okx from "../../ingestors/sources/okx.ts"

/** Payments of the past, with the rate that was paid. */
const payments = document({
  format: "json",
  wire: Schema.Struct({
    code: Schema.Literal("0"),
    data: Schema.Array(
      Schema.Struct({ instId: Schema.String, fundingRate: Decimal, realizedRate: Decimal, fundingTime: Decimal }),
    ),
  }),
  url: (instId: string) => `https://www.okx.com/api/v5/public/funding-rate-history?instId=${instId}`,
})

export default recordedDocuments(okx, { payments })
