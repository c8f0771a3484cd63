import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Address, Name, Sha256, Word } from "../../schemas/events/ledger.ts"
import { NonEmptyTextUpTo } from "../../schemas/values.ts"
import { ConfirmAnswer } from "../answers.ts"
import type { Chain, ChainUnavailable } from "../chain.port.ts"
import { TokenCandidate } from "../command.ts"
import type { BillingUnavailable, Refusal } from "../refusal.ts"

/** The proofs of a claim. It contains no facts of the chain: those are looked up where the claim is decided. */
export const Claim = Schema.Struct({
  txHash: Word,
  memo: Schema.NullOr(NonEmptyTextUpTo(200)),
  /** A signature of the text that `payer_proof_required` names, as 0x and hex digits. */
  signature: Schema.NullOr(NonEmptyTextUpTo(40_000)),
  /** The day (UTC, ISO) that the signed text names; null without a signature. */
  signedUntil: Schema.NullOr(NonEmptyTextUpTo(10)),
  /** The key to which the credits of a signed claim without bearer and memo go. */
  claimKey: Schema.NullOr(NonEmptyTextUpTo(200)),
  /** SHA-256 of a claim key that is not shown: enough for the text to sign. */
  claimKeyHash: Schema.NullOr(Sha256),
  /** The wallet that signed, if the caller names it: it is tried before all others. */
  payer: Schema.NullOr(Address),
  /** Public host of this service, or the id of this installation: part of the signed text. */
  service: NonEmptyTextUpTo(300),
  /** Hash of the bearer token whose account is credited; null to get a token. */
  bearer: Schema.NullOr(Sha256),
  /** Id for a new account, if one is opened. */
  newAccount: Name,
  /** The token to issue, if one is issued. Another one, or none, is refused as `token_needed`, which names the right one. */
  token: Schema.NullOr(TokenCandidate),
})
export type Claim = typeof Claim.Type

/** The outcome of a claim. */
export const ClaimOutcome = Schema.TaggedUnion({
  credited: ConfirmAnswer.fields,
  pending: {
    confirmations: Schema.Natural,
    required: Schema.Union([Schema.Natural, Schema.Literal("safe")]),
    retryAfterSeconds: Schema.Natural,
  },
  /** No block has held this transaction for 30 minutes. */
  unknown_transaction: {},
  /** The transaction is in a block and was reverted. */
  failed_transaction: {},
  /** Neither memo nor signature proves that the payment is the caller's. */
  payer_proof_required: {
    /**
     * `beneficiary_required`: the claim names neither bearer nor memo nor claim key, so there is no text. `claim_key_required`:
     * a signature was sent without the claim key that it names.
     */
    reason: Schema.Literals([
      "proof_required",
      "beneficiary_required",
      "claim_key_required",
      "signature_refused",
      "signature_expired",
    ]),
    /** What the payer signs now, and the day that it names. */
    toSign: Schema.NullOr(Schema.Struct({ text: Schema.String, until: Schema.String })),
  },
})
export type ClaimOutcome = typeof ClaimOutcome.Type

/** Claims of payments on a chain. */
export interface Payments {
  /** The chain, contract and wallet for payers. */
  readonly facts: Chain["facts"]
  /** Claims the payments of a transaction. Idempotent. */
  readonly claim: (claim: Claim) => Effect.Effect<ClaimOutcome, Refusal | BillingUnavailable | ChainUnavailable>
}
