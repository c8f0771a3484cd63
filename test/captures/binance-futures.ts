import * as Schema from "effect/Schema"
import { recordedDocuments } from "../../ingestors/captures.ts"
import { document } from "../../ingestors/document.ts"
import { Decimal, EpochMs } from "../../ingestors/readers/wire.ts"
import binanceFutures, { Premium } from "../../ingestors/sources/binance-futures.ts"

/** The premium index of one contract, which is no list. */
const premium = document({
  format: "json",
  wire: Schema.Struct({ ...Premium.fields, lastFundingRate: Decimal }),
  url: (symbol: string) => `https://fapi.binance.com/fapi/v1/premiumIndex?symbol=${symbol}`,
})
/** Payments of the past. */
const payments = document({
  format: "json",
  wire: Schema.Array(Schema.Struct({ symbol: Schema.String, fundingRate: Decimal, fundingTime: EpochMs })),
  url: (symbol: string) => `https://fapi.binance.com/fapi/v1/fundingRate?symbol=${symbol}`,
})

export default recordedDocuments(binanceFutures, { premium, payments })
