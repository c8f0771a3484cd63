import * as Schema from "effect/Schema"
import { recordedDocuments } from "../../ingestors/captures.ts"
import { document } from "../../ingestors/document.ts"
import { Decimal, maybe } from "../../ingestors/readers/wire.ts"
import noaaSwpc, { Reading, rowsOf, table, UtcTime } from "../../ingestors/sources/noaa-swpc.ts"

/** Retired documents, and documents close to those that are requested. */
export default recordedDocuments(noaaSwpc, {
  plasma: table(
    "/products/solar-wind/plasma-1-day.json",
    Schema.Struct({ time_tag: UtcTime, density: Reading, speed: Reading, temperature: maybe(Decimal) }),
  ),
  magneticField: table("/products/solar-wind/mag-1-day.json", Schema.Struct({ time_tag: UtcTime, bz_gsm: Reading })),
  kpForecast: table(
    "/products/noaa-planetary-k-index-forecast.json",
    Schema.Struct({ time_tag: UtcTime, kp: Reading, observed: Schema.String, noaa_scale: maybe(Schema.String) }),
  ),
  flares: table(
    "/json/goes/primary/xray-flares-latest.json",
    Schema.Struct({ time_tag: UtcTime, max_class: Schema.NullOr(Schema.String) }),
  ),
  scales: document({
    format: "json",
    wire: Schema.Record(
      Schema.String,
      Schema.Struct({ DateStamp: Schema.String, G: Schema.Struct({ Scale: maybe(Schema.String) }) }),
    ),
    url: "https://services.swpc.noaa.gov/products/noaa-scales.json",
  }),
  windSpeed: document({
    format: "json",
    wire: Schema.Union([
      Schema.Struct({ WindSpeed: Decimal }),
      rowsOf(Schema.Struct({ time_tag: UtcTime, proton_speed: Reading })),
    ]),
    url: "https://services.swpc.noaa.gov/products/summary/solar-wind-speed.json",
  }),
  fieldSummary: document({
    format: "json",
    wire: Schema.Struct({ Bt: Decimal, Bz: Decimal }),
    url: "https://services.swpc.noaa.gov/products/summary/solar-wind-mag-field.json",
  }),
})
