import * as Schema from "effect/Schema"

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
