import * as Schema from "effect/Schema"
import { recordedDocuments } from "../../ingestors/captures.ts"
import { document } from "../../ingestors/document.ts"
import { oneOrMany, XmlText } from "../../ingestors/readers/formats.ts"
import tsunamiGov, { centreOf } from "../../ingestors/sources/tsunami-gov.ts"
import type { Parameters } from "../../schemas/feed.ts"

/** A message in the Common Alerting Protocol: it adds nothing that is served to the Atom feed. */
const cap = document({
  format: "xml",
  wire: Schema.Struct({
    alert: Schema.Struct({ identifier: XmlText, sent: XmlText, info: oneOrMany(Schema.Struct({ event: XmlText })) }),
  }),
  url: (parameters: Parameters) => `https://www.tsunami.gov/events/xml/${centreOf(parameters)}CAP.xml`,
})

export default recordedDocuments(tsunamiGov, { cap })
