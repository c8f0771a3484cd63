import * as Schema from "effect/Schema"
import { Name } from "../schemas/events/ledger.ts"
import { TokenWanted } from "./command.ts"

/** What a caller with a proof of payment may learn about the account that already holds its credits. */
const OpenerHint = Schema.Struct({
  /** What opened that account. */
  by: Schema.Literals(["memo", "payer", "operator"]),
  /** That memo hash or payer, if the transaction itself makes it public; else null. */
  shown: Schema.NullOr(Name),
  /** Whether the claim was made with that account's bearer token. */
  bearer: Schema.Boolean,
})
export type OpenerHint = typeof OpenerHint.Type

/** Why the ledger refuses a command. Nothing was written. */
export const Refusal = Schema.TaggedUnion({
  /** A value does not have the form that the ledger stores: a mistake in the calling code. */
  invalid_command: {},
  invalid_amount: {},
  memo_in_use: {},
  too_many_quotes: { of: Schema.Literals(["client", "network", "all"]), retryAfterMs: Schema.Finite },
  missing_token: {},
  invalid_token: {},
  /** Token: it was revoked. Quote: it has expired without a known payment. */
  expired: { of: Schema.Literals(["token", "quote"]) },
  insufficient_credits: { balance: Schema.Natural, shortfall: Schema.Natural, needed: Schema.Natural },
  /** Too many debits of this account have ended uncharged today (UTC). */
  free_allowance_spent: { retryAfterMs: Schema.Finite },
  /** This account was issued its new tokens of today (UTC). */
  token_allowance_spent: { retryAfterMs: Schema.Finite },
  no_payment: {},
  payer_proof_required: {},
  /** The payer's signature would prove the payment, but the day that its text names is over. */
  signature_expired: {},
  already_credited: { opener: OpenerHint },
  too_small: { units: Schema.Natural },
  pending: {
    confirmations: Schema.Natural,
    required: Schema.Union([Schema.Natural, Schema.Literal("safe")]),
  },
  /** A token would be issued, and the command holds another one, or none. */
  token_needed: { wanted: TokenWanted },
  /** Only an operator could issue a token for this account again: the caller must confirm the revoke. */
  confirmation_required: {},
  unknown_debit: {},
  debit_refunded: {},
  debit_settled: {},
  duplicate_debit: {},
  /** The Idempotency-Key is in flight: its debit has been open for `openMs`, and is refunded after `dueMs` at the latest. */
  key_in_flight: { openMs: Schema.Finite, dueMs: Schema.Finite },
  /** The Idempotency-Key was sent with another request. */
  key_reused: {},
  unknown_account: {},
  account_in_use: {},
  final_purchase: {},
})
export type Refusal = typeof Refusal.Type

/**
 * The ledger gives no answer now. `unknown`: another writer took over, or its reply was lost, so the command may have been
 * written; such a debit is refunded after its deadline. For all other reasons nothing was written. `standby`: this process
 * does not hold the ledger. `clock`: its clock is doubted. `unreachable`: no process that may hold it can be reached.
 */
export class BillingUnavailable extends Schema.TaggedError<BillingUnavailable>()("billing_unavailable", {
  reason: Schema.Literals(["overloaded", "waited", "log", "unknown", "stopped", "standby", "unreachable", "clock"]),
  retryAfterSeconds: Schema.Int,
}) {
  override get message() {
    return `the ledger is unavailable (${this.reason})`
  }
}
