import { type Effect, Schema } from "effect"

/** A reply as it was given: what is sent again to whoever repeats the request under its Idempotency-Key. */
export interface KeptReply {
  readonly status: number
  /** Its body, the very bytes. */
  readonly body: Buffer
  /** `X-Service-Receipt-Id`. */
  readonly receiptId: string
}

/** What there is of the reply to a debit. `tooLarge`: it was given, and is larger than what is kept. */
export type FoundReply = KeptReply | "tooLarge" | "unknown"

/** The kept replies cannot be written or read now. Trying again may succeed. */
export class RepliesUnavailable extends Schema.TaggedError<RepliesUnavailable>()("RepliesUnavailable", {
  problem: Schema.String,
}) {
  override get message() {
    return `kept replies are unavailable: ${this.problem}`
  }
}

/** The replies of the last 24 hours that were given under an Idempotency-Key, by the id of their debit. */
export interface ReplyStore {
  /** Keeps a reply, and succeeds when it is durable. Of one that is larger than 1 MiB only that fact is kept. */
  readonly append: (debit: string, reply: KeptReply) => Effect.Effect<void, RepliesUnavailable>
  /** The reply to a debit. Waits a bounded time where it was given elsewhere and has not been seen here yet. */
  readonly get: (debit: string) => Effect.Effect<FoundReply, RepliesUnavailable>
}
