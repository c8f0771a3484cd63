import * as Schema from "effect/Schema"
import { REQUEST_ID } from "../../ledger/request-id.ts"
import { Sha256 } from "../../schemas/events/ledger.ts"
import { NonEmptyTextUpTo } from "../../schemas/text.ts"

// Schemas that commands, answers and refusals between processes share.

export const Name = NonEmptyTextUpTo(200)
export const Note = NonEmptyTextUpTo(500)

/** The request of the public port that a command belongs to, for the log of the receiving process. */
export const RequestId = Schema.NullOr(Schema.String.check(Schema.isPattern(REQUEST_ID)))

export const TokenWanted = Schema.Struct({ claimant: Name, origin: Name, generation: Schema.Natural })
export const TokenOf = Schema.Struct({ ...TokenWanted.fields, kid: Name })
/** A token that another process derived, by its hash. */
export const TokenCandidate = Schema.Struct({ ...TokenOf.fields, hash: Sha256 })

export const Idempotency = Schema.Struct({ key: Sha256, request: Sha256 })
