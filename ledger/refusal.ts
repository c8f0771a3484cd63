import type { TokenWanted } from "./command.ts"

/** What a caller with a proof of payment may learn about the account that already holds its credits. */
export interface OpenerHint {
  /** What opened that account. */
  readonly by: "memo" | "payer" | "operator"
  /** That memo hash or payer, if the transaction itself makes it public; else null. */
  readonly shown: string | null
  /** Whether the claim was made with that account's bearer token. */
  readonly bearer: boolean
}

/** Why the ledger refuses a command. Nothing was written. */
export type Refusal =
  /** A value does not have the form that the ledger stores: a mistake in the calling code. */
  | { readonly _tag: "invalid_command" }
  | { readonly _tag: "invalid_amount" }
  | { readonly _tag: "memo_in_use" }
  | { readonly _tag: "too_many_quotes"; readonly of: "client" | "network" | "all"; readonly retryAfterMs: number }
  | { readonly _tag: "missing_token" }
  | { readonly _tag: "invalid_token" }
  /** Token: it was revoked. Quote: it has expired without a known payment. */
  | { readonly _tag: "expired"; readonly of: "token" | "quote" }
  | {
      readonly _tag: "insufficient_credits"
      readonly balance: number
      readonly shortfall: number
      readonly needed: number
    }
  /** Too many debits of this account have ended uncharged today (UTC). */
  | { readonly _tag: "free_allowance_spent"; readonly retryAfterMs: number }
  /** This account was issued its new tokens of today (UTC). */
  | { readonly _tag: "token_allowance_spent"; readonly retryAfterMs: number }
  | { readonly _tag: "no_payment" }
  | { readonly _tag: "payer_proof_required" }
  /** The payer's signature would prove the payment, but the day that its text names is over. */
  | { readonly _tag: "signature_expired" }
  | { readonly _tag: "already_credited"; readonly opener: OpenerHint }
  | { readonly _tag: "too_small"; readonly units: number }
  | { readonly _tag: "pending"; readonly confirmations: number; readonly required: number | "safe" }
  | { readonly _tag: "token_needed"; readonly wanted: TokenWanted }
  /** Only an operator could issue a token for this account again: the caller must confirm the revoke. */
  | { readonly _tag: "confirmation_required" }
  | { readonly _tag: "unknown_debit" }
  | { readonly _tag: "debit_refunded" }
  | { readonly _tag: "debit_settled" }
  | { readonly _tag: "duplicate_debit" }
  /** The Idempotency-Key is in flight, or was sent with another request. */
  | { readonly _tag: "key_in_flight" }
  | { readonly _tag: "key_reused" }
  | { readonly _tag: "unknown_account" }
  | { readonly _tag: "account_in_use" }
  | { readonly _tag: "final_purchase" }
