import * as Schema from "effect/Schema"
import type { Refusal } from "../../ledger/refusal.ts"
import { Name, TokenWanted } from "./wire-members.ts"

/** Refusals without members. */
const plainRefusals = [
  "invalid_command",
  "invalid_amount",
  "memo_in_use",
  "missing_token",
  "invalid_token",
  "no_payment",
  "payer_proof_required",
  "signature_expired",
  "confirmation_required",
  "unknown_debit",
  "debit_refunded",
  "debit_settled",
  "duplicate_debit",
  "key_in_flight",
  "key_reused",
  "unknown_account",
  "account_in_use",
  "final_purchase",
] as const

/** Every refusal, as it is sent. */
export const RefusalSchema: Schema.Codec<Refusal, unknown> = Schema.Union([
  Schema.TaggedStruct("too_many_quotes", {
    of: Schema.Literals(["client", "network", "all"]),
    retryAfterMs: Schema.Finite,
  }),
  Schema.TaggedStruct("expired", { of: Schema.Literals(["token", "quote"]) }),
  Schema.TaggedStruct("insufficient_credits", {
    balance: Schema.Natural,
    shortfall: Schema.Natural,
    needed: Schema.Natural,
  }),
  Schema.TaggedStruct("free_allowance_spent", { retryAfterMs: Schema.Finite }),
  Schema.TaggedStruct("token_allowance_spent", { retryAfterMs: Schema.Finite }),
  Schema.TaggedStruct("already_credited", {
    opener: Schema.Struct({
      by: Schema.Literals(["memo", "payer", "operator"]),
      shown: Schema.NullOr(Name),
      bearer: Schema.Boolean,
    }),
  }),
  Schema.TaggedStruct("too_small", { units: Schema.Natural }),
  Schema.TaggedStruct("pending", {
    confirmations: Schema.Natural,
    required: Schema.Union([Schema.Natural, Schema.Literal("safe")]),
  }),
  Schema.TaggedStruct("token_needed", { wanted: TokenWanted }),
  Schema.Struct({ _tag: Schema.Literals(plainRefusals) }),
])
