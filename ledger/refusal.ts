import type { TokenWanted } from "./command.ts"

/** Whose a payment is that was credited before: what a caller may know of it who has shown that it is his business. */
export interface OpenerHint {
  /** What the account was opened with that holds its credits. */
  readonly by: "memo" | "payer" | "operator"
  /** Which memo hash or payer that is, where its transaction shows it to everybody; else null. */
  readonly shown: string | null
  /** Whether the credits were added by the account's bearer token. */
  readonly bearer: boolean
}

/** Why the ledger says no. Nothing has happened, and the words are for the caller. */
export type Refusal =
  /** Its values do not have the form that the ledger keeps: a mistake of the caller's code. */
  | { readonly _tag: "invalid_command" }
  | { readonly _tag: "invalid_amount" }
  | { readonly _tag: "memo_in_use" }
  | { readonly _tag: "too_many_quotes"; readonly of: "client" | "network" | "all"; readonly retryAfterMs: number }
  | { readonly _tag: "missing_token" }
  | { readonly _tag: "invalid_token" }
  /** Of a token: it was revoked. Of a quote: its time is over and no payment of it is known. */
  | { readonly _tag: "expired"; readonly of: "token" | "quote" }
  | {
      readonly _tag: "insufficient_credits"
      readonly balance: number
      readonly shortfall: number
      readonly needed: number
    }
  /** Too many debits of this account have ended uncharged on this day of UTC. */
  | { readonly _tag: "free_allowance_spent"; readonly retryAfterMs: number }
  | { readonly _tag: "no_payment" }
  | { readonly _tag: "payer_proof_required" }
  | { readonly _tag: "already_credited"; readonly opener: OpenerHint }
  | { readonly _tag: "too_small"; readonly units: number }
  | { readonly _tag: "pending"; readonly confirmations: number; readonly required: number | "safe" }
  | { readonly _tag: "token_needed"; readonly wanted: TokenWanted }
  /** Only an operator could bring a token of this account back: its holder must say that he knows. */
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
