import * as Schema from "effect/Schema"
import { Instant } from "../event.ts"
import { Problem } from "./reply.ts"

// What the payment endpoints share. Amounts are given in dollars and in units: millionths of a dollar, as USDC counts.

/** The chain of payments, with what a wallet takes that does not know it yet (`wallet_addEthereumChain`, EIP-3085). */
export const BASE_CHAIN = {
  id: 8453,
  addable: {
    chainName: "Base",
    nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
    rpcUrls: ["https://mainnet.base.org"],
    blockExplorerUrls: ["https://basescan.org"],
  },
} as const

/** Bounds of the amount of a quote, in dollars. */
export const ASKED_USD_MIN = 1
export const ASKED_USD_MAX = 10_000
/** Limits for one client: confirms, as each may query the chain, and calls of the other payment endpoints. */
export const CONFIRMS_PER_MINUTE = 10
export const PAYMENT_CALLS_PER_MINUTE = 120
const CENTS_PER_USD = 100
const UNITS_PER_USD = 1_000_000

/** The cents of an amount in dollars; null when it has more than 2 decimals. Exact: 19.99 is 1,999. */
export const centsOf = (usd: number): number | null => {
  const cents = Math.round(usd * CENTS_PER_USD)
  // Both sides are the number nearest to the same decimal, so they are equal where there is no third decimal.
  return cents / CENTS_PER_USD === usd ? cents : null
}

/** Units of USDC as dollars, exact to the millionth. */
export const usdOf = (units: number): number => units / UNITS_PER_USD

/** The amount of a quote. */
export const AskedUsd = Schema.Finite.check(
  Schema.makeFilter((usd) => (centsOf(usd) === null ? "must have at most 2 decimals" : undefined)),
  // Last, as only the last check reaches the OpenAPI document.
  Schema.isBetween({ minimum: ASKED_USD_MIN, maximum: ASKED_USD_MAX }),
).annotate({ description: "Dollars: 1 to 10,000, at most 2 decimals" })

/** A word of 32 bytes of the chain, in lower case. */
export const Word = Schema.String.check(Schema.isPattern(/^0x[0-9a-f]{64}$/u)).annotate({
  description: "0x and 64 lower-case hex digits",
})

/** An address of the chain, in checksum case as it is shown. */
export const Address = Schema.String.check(Schema.isPattern(/^0x[0-9a-fA-F]{40}$/u)).annotate({
  description: "0x and 40 hex digits",
})

/** A purchase as its buyer sees it. */
export const PurchaseRecord = Schema.Struct({
  tx_hash: Word,
  amount_usd: Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0)).annotate({
    description: "Dollars that were transferred",
  }),
  credits_added: Schema.Natural,
  block_number: Schema.Natural,
  confirmed_at: Instant.annotate({ description: "When the credits were added" }),
  status: Schema.Literals(["provisional", "confirmed", "final", "reversed"]).annotate({
    description:
      "provisional: a few blocks deep; confirmed: its block has the tag safe; final: its block is finalized; reversed: its block left the chain, and the credits were taken back",
  }),
}).annotate({ identifier: "PurchaseRecord" })
export type PurchaseRecord = typeof PurchaseRecord.Type

/** The body of a 202: the payment is not deep enough in the chain yet, or not mined. */
export const PaymentPending = Schema.Struct({
  status: Schema.Literal("pending"),
  confirmations: Schema.Natural.annotate({ description: "Blocks from its own on; 0 while it is in no block" }),
  required: Schema.Union([Schema.Natural, Schema.Literal("safe")]).annotate({
    description: "Required confirmations; safe: the block must have the tag safe, as for more than 20 USD",
  }),
  retry_after_seconds: Schema.Natural.annotate({ description: "Also in Retry-After" }),
}).annotate({ identifier: "PaymentPending" })
export type PaymentPending = typeof PaymentPending.Type

/** A claim key: a secret that the claimant draws, keeps, and shows at each confirm by signature without token and memo. */
export const ClaimKey = Schema.String.check(Schema.isPattern(/^tw_claim_[0-9a-f]{64}$/u)).annotate({
  description: "tw_claim_ and 64 lower-case hex digits",
})

/** The day until which a signature may be used. */
export const SignatureUntil = Schema.String.check(Schema.isPattern(/^\d{4}-\d\d-\d\d$/u)).annotate({
  description: "A day (UTC), YYYY-MM-DD",
})

/** The body of a 409 that requires proof: problem details with the text to sign. */
export const PayerProofRequired = Schema.Struct({
  ...Problem.fields,
  error: Schema.Literal("payer_proof_required"),
  reason: Schema.Literals([
    "proof_required",
    "beneficiary_required",
    "claim_key_required",
    "signature_refused",
    "signature_expired",
  ]).annotate({
    description:
      "proof_required: neither memo nor signature was sent; beneficiary_required: nor is it said where the credits go; claim_key_required: the signature was sent without the claim key; signature_refused: it is not one of this text by a wallet that paid; signature_expired: its day is over, sign the new text",
  }),
  text_to_sign: Schema.NullOr(Schema.NonEmptyString).annotate({
    description:
      "The paying wallet signs this text (EIP-191 personal_sign). It names where the credits go: to the bearer token that was sent, else to the memo, else to the claim key. Send the signature as `signature`, with `signature_until` and the same token, `nonce` or `claim_key`. Null for beneficiary_required: send one of these first",
  }),
  signature_until: Schema.NullOr(SignatureUntil).annotate({
    description:
      "The day that the text names: a signature of it may be used until its end. Send it back with the signature",
  }),
}).annotate({ identifier: "PayerProofRequired" })
export type PayerProofRequired = typeof PayerProofRequired.Type

/** The body of a 409 for a payment that was credited to another claimant before: problem details with the next step. */
export const AlreadyCredited = Schema.Struct({
  ...Problem.fields,
  error: Schema.Literal("already_credited"),
  opened_by: Schema.Literals(["memo", "payer", "operator"]).annotate({
    description: "The proof that opened the account with the credits; showing it returns that account's token",
  }),
  next_step: Schema.Literals(["show_memo", "sign", "send_token", "ask_operator"]).annotate({
    description:
      "The next step of the account's owner: show_memo: confirm with that memo as `nonce`; sign: confirm with the payer's signature and the same claim key, without `nonce`; send_token: confirm with the bearer token that the credits were added to; ask_operator: only an operator can help",
  }),
  shown: Schema.NullOr(Schema.String).annotate({
    description: "The memo's hash, or the payer, that opened the account, where the transaction shows it; else null",
  }),
}).annotate({ identifier: "AlreadyCredited" })
export type AlreadyCredited = typeof AlreadyCredited.Type
