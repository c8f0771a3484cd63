import { Schema } from "effect"

/**
 * The ledger cannot say now. `overloaded`, `waited` and `log`: nothing has happened. `unknown`: another writer has taken
 * over, and whether the command was written is not known to this one; a debit that was is given back in time.
 */
export class BillingUnavailable extends Schema.TaggedError<BillingUnavailable>()("billing_unavailable", {
  reason: Schema.Literals(["overloaded", "waited", "log", "unknown", "stopped"]),
  retryAfterSeconds: Schema.Int,
}) {
  override get message() {
    return `the ledger is unavailable (${this.reason})`
  }
}
