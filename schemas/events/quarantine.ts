import * as Schema from "effect/Schema"
import { eventType } from "../event.ts"

/** An upstream's document that no schema of its source accepts, kept for inspection. */
export const documentQuarantined = eventType({
  type: "document.quarantined",
  topic: "quarantine",
  version: 1,
  description: "An upstream document that did not decode, with the schema's words about it.",
  data: Schema.Struct({
    feed: Schema.NonEmptyString,
    parameters: Schema.Record(Schema.String, Schema.String),
    provider: Schema.NonEmptyString,
    /** Name of the document within its source. */
    document: Schema.NonEmptyString,
    /** The message of the schema. */
    problem: Schema.String,
    /** The first bytes of the document as text; longer ones are cut. */
    body: Schema.String,
    /** Whole length of the document, in bytes. */
    bodyBytes: Schema.Natural,
  }),
})
