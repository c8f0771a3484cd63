import type { BillingUnavailable } from "../../ledger/client.ts"
import type { Command } from "../../ledger/command.ts"
import type { Refusal } from "../../ledger/refusal.ts"

// A request went out and its reply was lost: whether the command was written is not known. Which commands may be sent
// again, and what an answer to the second sending says of the first.

/** What the answer to a command that was sent again means. */
export type Meaning =
  /** It stands, whatever the first sending did. */
  | "stands"
  /** The first sending was written, and what it answered is lost. */
  | "lost"
  /** The first sending has taken credits for a call that nobody serves any more: they are to be given back. */
  | "release"

const ONCE: ReadonlySet<Command["_tag"]> = new Set(["grant", "reissue", "acceptClock"])

/**
 * Whether a command may be sent again when it is unknown whether it was written. All but grants, reissues and a clock that
 * is accepted: a repeated confirm, observe, settle or refund finds what the first one did, and quotes and debits bring an
 * id of their own. A grant has none, and would be given twice; a second reissue would void the token of the first.
 */
export const mayResend = ({ _tag }: Command): boolean => !ONCE.has(_tag)

/** What it means that a command was refused which had been sent before, with an unknown outcome. */
export const meaningOf = (command: Command, refusal: Refusal | BillingUnavailable): Meaning => {
  // Only of the second sending is it certain that nothing happened.
  if (refusal._tag === "billing_unavailable") return "lost"
  // The memo was made for this quote alone: it is the first sending that uses it, and told its total to nobody.
  if (command._tag === "issueQuote" && refusal._tag === "memo_in_use") return "lost"
  if (command._tag === "debit" && refusal._tag === "duplicate_debit") return "release"
  // Perhaps the first sending's own: then nobody serves it, and the writer gives it back in time.
  if (command._tag === "debit" && refusal._tag === "key_in_flight") return "lost"
  return "stands"
}
