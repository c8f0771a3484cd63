import { randomBytes } from "node:crypto"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { ChainUnavailable } from "../../ledger/chain.port.ts"
import { BillingUnavailable, type Claim, type ClaimOutcome } from "../../ledger/client.ts"
import type { Refusal } from "../../ledger/refusal.ts"
import { Address, Sha256, Word } from "../../schemas/events/ledger.ts"
import { NonEmptyTextUpTo } from "../../schemas/text.ts"
import { openSealedText, SEAL_RANDOM_BYTES, sealText } from "../signing/sealed-text.ts"
import { Unavailable } from "./wire.ts"
import { ConfirmAnswer } from "./wire-answers.ts"
import { Name, RequestId, TokenCandidate } from "./wire-members.ts"
import { RefusalSchema } from "./wire-refusals.ts"

// A claim between an api process and the process that holds the ledger. Memo, signature and claim key are sealed, as they are
// worth credits to a reader; the receiving process looks up the facts of the chain.

const PURPOSE = "claim"

const ShownProof = Schema.fromJsonString(
  Schema.Struct({
    memo: Schema.NullOr(NonEmptyTextUpTo(200)),
    signature: Schema.NullOr(NonEmptyTextUpTo(40_000)),
    claimKey: Schema.NullOr(NonEmptyTextUpTo(200)),
  }),
)
const ClaimWire = Schema.Struct({
  txHash: Word,
  sealed: NonEmptyTextUpTo(60_000),
  signedUntil: Schema.NullOr(NonEmptyTextUpTo(10)),
  claimKeyHash: Schema.NullOr(Sha256),
  payer: Schema.NullOr(Address),
  service: NonEmptyTextUpTo(300),
  bearer: Schema.NullOr(Sha256),
  newAccount: Name,
  token: Schema.NullOr(TokenCandidate),
  request: RequestId,
})

const Outcome = Schema.Union([
  Schema.TaggedStruct("credited", ConfirmAnswer.fields),
  Schema.TaggedStruct("pending", {
    confirmations: Schema.Natural,
    required: Schema.Union([Schema.Natural, Schema.Literal("safe")]),
    retryAfterSeconds: Schema.Natural,
  }),
  Schema.TaggedStruct("unknown_transaction", {}),
  Schema.TaggedStruct("failed_transaction", {}),
  Schema.TaggedStruct("payer_proof_required", {
    reason: Schema.Literals([
      "proof_required",
      "beneficiary_required",
      "claim_key_required",
      "signature_refused",
      "signature_expired",
    ]),
    toSign: Schema.NullOr(Schema.Struct({ text: Schema.String, until: Schema.String })),
  }),
])
const Reply = Schema.fromJsonString(
  Schema.Union([
    Schema.Struct({ outcome: Outcome }),
    Schema.Struct({ refusal: RefusalSchema }),
    Schema.Struct({ unavailable: Unavailable }),
    Schema.Struct({
      chain: Schema.Struct({
        problem: Schema.String,
        retryAfterSeconds: Schema.Natural,
        of: Schema.Literals(["providers", "receipt"]),
      }),
    }),
  ]),
)

/** The result of a claim. */
export type ClaimResult = Result.Result<ClaimOutcome, Refusal | BillingUnavailable | ChainUnavailable>

const decodeClaim = Schema.decodeUnknownResult(ClaimWire)
const decodeShown = Schema.decodeUnknownResult(ShownProof)
const decodeReply = Schema.decodeUnknownResult(Reply)

/** The body of a claim's request. `secret` is the edge's current one; `request` the public port's that it belongs to. */
export const writeClaim = (
  { memo, signature, claimKey, ...rest }: Claim,
  secret: string,
  request: string | null = null,
): string =>
  JSON.stringify({
    ...rest,
    request,
    sealed: sealText(secret, PURPOSE, JSON.stringify({ memo, signature, claimKey }), randomBytes(SEAL_RANDOM_BYTES)),
  })

/** A claim that arrived, and the request of the public port that it belongs to. */
export interface ReceivedClaim {
  readonly claim: Claim
  readonly request: string | null
}

/** The claim of a request's parsed body; null if it is none, or was sealed with another secret. */
export const readClaim = (body: unknown, secrets: ReadonlyArray<string>): ReceivedClaim | null => {
  const claim = decodeClaim(body)
  if (Result.isFailure(claim)) return null
  const { sealed, request, ...rest } = claim.success
  const shown = decodeShown(openSealedText(secrets, PURPOSE, sealed))
  return Result.isFailure(shown) ? null : { claim: { ...rest, ...shown.success }, request }
}

/** The body of a claim's reply. */
export const writeClaimReply = (claimed: ClaimResult): object => {
  if (Result.isSuccess(claimed)) return { outcome: claimed.success }
  const { failure } = claimed
  if (failure._tag === "ChainUnavailable")
    return { chain: { problem: failure.problem, retryAfterSeconds: failure.retryAfterSeconds, of: failure.of } }
  if (failure._tag !== "billing_unavailable") return { refusal: failure }
  return { unavailable: { reason: failure.reason, retryAfterSeconds: failure.retryAfterSeconds } }
}

/** The result in a reply; null for a text that is no reply. */
export const readClaimReply = (text: string): ClaimResult | null => {
  const reply = decodeReply(text)
  if (Result.isFailure(reply)) return null
  const result = reply.success
  if ("outcome" in result) return Result.succeed(result.outcome)
  if ("refusal" in result) return Result.fail(result.refusal)
  if ("chain" in result) return Result.fail(new ChainUnavailable(result.chain))
  return Result.fail(new BillingUnavailable(result.unavailable))
}
