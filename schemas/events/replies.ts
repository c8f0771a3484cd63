import * as Schema from "effect/Schema"
import { eventType } from "../event.ts"

/**
 * A premium call was answered under an Idempotency-Key. The subject is the id of its debit. It is written before the
 * debit is settled, at least once, and does not imply that the debit is settled.
 */
export const replyKept = eventType({
  type: "reply.kept",
  topic: "replies",
  version: 1,
  description: "The reply to a premium call with an Idempotency-Key, to be sent again when the request is repeated.",
  data: Schema.Struct({
    /** Id of the debit. */
    debit: Schema.NonEmptyString,
    status: Schema.Int.check(Schema.isBetween({ minimum: 200, maximum: 599 })),
    /** Id of the receipt within the body. */
    receiptId: Schema.NonEmptyString,
    /** The whole body; null where it is larger than what is kept. */
    body: Schema.NullOr(Schema.String),
  }),
})
