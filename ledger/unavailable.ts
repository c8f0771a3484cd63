import { Schema } from "effect"

/**
 * The ledger cannot say now. `unknown`: another writer has taken over, or its reply was lost, and whether the command was
 * written is not known; a debit that was is given back in time. All others: nothing has happened. `standby`: this process
 * does not hold the ledger. `clock`: its clock is not to be believed. `unreachable`: no process that may hold it can be reached.
 */
export class BillingUnavailable extends Schema.TaggedError<BillingUnavailable>()("billing_unavailable", {
  reason: Schema.Literals(["overloaded", "waited", "log", "unknown", "stopped", "standby", "unreachable", "clock"]),
  retryAfterSeconds: Schema.Int,
}) {
  override get message() {
    return `the ledger is unavailable (${this.reason})`
  }
}
