import * as Schema from "effect/Schema"
import { recordedDocuments } from "../../ingestors/captures.ts"
import { document } from "../../ingestors/document.ts"
import { csvTable } from "../../ingestors/readers/csv.ts"
import { Day, Decimal } from "../../ingestors/readers/wire.ts"
import frankfurter from "../../ingestors/sources/frankfurter.ts"
import { FOREX_DAYS_MAX } from "../../schemas/feeds/forex.ts"

/** The European Central Bank's own table, from which Frankfurter computes its rates: units of each currency for one euro. */
const Reference = csvTable(
  ["FREQ", "CURRENCY", "TIME_PERIOD", "OBS_VALUE"],
  Schema.Struct({
    FREQ: Schema.Literal("D"),
    CURRENCY: Schema.String.check(Schema.isPattern(/^[A-Z]{3}$/)),
    TIME_PERIOD: Day,
    OBS_VALUE: Decimal,
  }),
)

const reference = document({
  format: "csv",
  wire: Reference,
  url: `https://data-api.ecb.europa.eu/service/data/EXR/D..EUR.SP00.A?format=csvdata&lastNObservations=${FOREX_DAYS_MAX}`,
})

export default recordedDocuments(frankfurter, { reference })
