import type { BillingUnavailable } from "../../ledger/client.ts"
import type { Command } from "../../ledger/command.ts"
import type { Refusal } from "../../ledger/refusal.ts"

// After a lost reply it is unknown whether the command was written. This file decides which commands may be sent again, and
// what the answer to the second request implies about the first.

/** What the answer to a command that was sent again means for its caller. */
export type Meaning =
  /** It holds, whatever the first request did. */
  | "stands"
  /** The first request may have been written, and its answer is lost. */
  | "lost"

const ONCE: ReadonlySet<Command["_tag"]> = new Set(["grant", "reissue", "acceptClock"])

/**
 * Whether a command may be sent again when it is unknown whether it was written. All but `grant`, `reissue` and
 * `acceptClock`: a repeated confirm, observe, settle or refund is idempotent, and quotes and debits carry an id. A grant has
 * no id and would be applied twice; a second reissue would void the token of the first.
 */
export const mayResend = ({ _tag }: Command): boolean => !ONCE.has(_tag)

/** What the refusal of a repeated command means, when the outcome of the first request is unknown. */
export const meaningOf = (command: Command, refusal: Refusal | BillingUnavailable): Meaning => {
  // It is certain only that the second request wrote nothing.
  if (refusal._tag === "billing_unavailable") return "lost"
  // The memo was generated for this quote, so the first request was written; its total is lost with its answer.
  if (command._tag === "issueQuote" && refusal._tag === "memo_in_use") return "lost"
  // The first request was written: its caller releases the debit, whose id it has made.
  if (command._tag === "debit" && refusal._tag === "duplicate_debit") return "lost"
  return "stands"
}
