import * as Effect from "effect/Effect"
import { LRUCache } from "lru-cache"
import { makeFlights } from "../../schemas/flights.ts"
import type { LedgerClient } from "../answers.ts"
import { type Chain, ChainUnavailable, type TransactionLookup } from "../chain.port.ts"
import { lastDayOf } from "../model/claims.ts"
import { CONFIRMATIONS_MIN } from "../rules.ts"
import type { Claim, ClaimOutcome, Payments } from "./claim.ts"
import { beneficiaryOf, claimKeyHashOf, memoHashOf, textToSign } from "./proof.ts"

/** How long an unknown transaction hash counts as pending, in milliseconds. */
const UNKNOWN_MAX_MS = 30 * 60_000
/** Unknown hashes that are remembered. The least recently claimed is forgotten first; its wait then starts again. */
const UNKNOWN_HASHES_MAX = 50_000
/** Look-ups on the chain in flight; more are refused at once. */
const FLIGHTS_MAX = 1_000
/** Deadline of one look-up on the chain. */
const CHAIN_WAIT = "10 seconds"
const CHAIN_RETRY_SECONDS = 10

const UNKNOWN_RETRY_SECONDS = 5
const SAFE_RETRY_SECONDS = 30
const BLOCK_SECONDS = 2

/** Dependencies of payments. */
export interface PaymentsOptions {
  readonly ledger: LedgerClient
  readonly chain: Pick<Chain, "facts" | "find" | "signerOf">
  /** The monotonic clock, in milliseconds. */
  readonly nowMs?: () => number
  /** The wall clock, for the day in the text to sign. Whether a signature still counts is the ledger's decision. */
  readonly wallMs?: () => number
}

/** When a retry makes sense: after the missing blocks. */
const retryAfterSeconds = (confirmations: number, required: number | "safe"): number =>
  required === "safe" ? SAFE_RETRY_SECONDS : Math.max(1, required - confirmations) * BLOCK_SECONDS

const bounded = <A>(asked: Effect.Effect<A, ChainUnavailable>): Effect.Effect<A, ChainUnavailable> =>
  asked.pipe(
    Effect.timeoutOrElse({
      duration: CHAIN_WAIT,
      orElse: () =>
        Effect.fail(new ChainUnavailable({ problem: "no answer in time", retryAfterSeconds: CHAIN_RETRY_SECONDS })),
    }),
  )

type ProofRequired = Extract<ClaimOutcome, { readonly _tag: "payer_proof_required" }>

/**
 * Claims payments: verifies them with this process's own client of the chain and has the ledger decide. Its only state is
 * look-ups in flight and unknown hashes.
 */
export const makePayments = (options: PaymentsOptions): Payments => {
  const { ledger, chain, nowMs = () => performance.now(), wallMs = Date.now } = options
  const unknownSinceMs = new LRUCache<string, number>({ max: UNKNOWN_HASHES_MAX })
  const finds = makeFlights<TransactionLookup, ChainUnavailable>({
    limit: {
      countMax: FLIGHTS_MAX,
      full: () => new ChainUnavailable({ problem: "too many look-ups", retryAfterSeconds: CHAIN_RETRY_SECONDS }),
    },
  })

  /** Whether an unknown hash still counts as pending, from its first claim on. */
  const isPending = (txHash: string): boolean => {
    const since = unknownSinceMs.get(txHash)
    if (since === undefined) unknownSinceMs.set(txHash, nowMs())
    return since === undefined || nowMs() - since < UNKNOWN_MAX_MS
  }

  /**
   * Whether a claim may cost a look-up: its memo is of a quote or an account, its bearer is valid, or a signature is shown, which
   * only the transaction can refute. A memo that the ledger does not know cannot be credited.
   */
  const mayCost = ({ signature, bearer }: Claim, memoHash: string | null) =>
    memoHash === null && bearer === null
      ? Effect.succeed(true)
      : ledger
          .submit({ _tag: "readClaimant", memoHash, bearer })
          .pipe(Effect.map(({ answer }) => answer.memoKnown || bearer !== null || signature !== null))

  /** Looks up the transaction and its signer; null if no block holds it. */
  const verify = Effect.fnUntraced(function* ({ txHash, signature, payer }: Claim, text: string | null) {
    const found = yield* finds.ask(txHash, () => bounded(chain.find(txHash)))
    if (found._tag === "unknown") return null
    const signerAmong = (candidates: ReadonlyArray<string>) =>
      signature === null || text === null || candidates.length === 0
        ? Effect.succeed(null)
        : bounded(chain.signerOf({ text, signature, candidates }))
    // The largest payers first, as only some contracts are asked: dust in a bundle must not crowd out its payer.
    const transfers = found._tag === "mined" ? found.transaction.transfers : []
    const candidates = [
      ...new Set(transfers.toSorted((one, other) => other.units - one.units).map(({ payer }) => payer)),
    ]
    // The wallet that the caller names is asked first and alone: other contracts cannot crowd it out.
    const named = yield* signerAmong(candidates.filter((one) => one === payer))
    const signer = named ?? (yield* signerAmong(candidates.filter((one) => one !== payer)))
    return { found, signer }
  })

  const claim: Payments["claim"] = (asked) =>
    Effect.gen(function* () {
      const { txHash, memo, signature, signedUntil, claimKey, bearer, newAccount, token } = asked
      const memoHash = memo === null ? null : memoHashOf(memo)
      const claimKeyHash = claimKey === null ? asked.claimKeyHash : claimKeyHashOf(claimKey)
      const beneficiary = beneficiaryOf({ bearer, memoHash, claimKeyHash })
      const textUntil = (until: string): string | null =>
        beneficiary === null
          ? null
          : textToSign({ ...chain.facts, service: asked.service, transaction: txHash, memoHash, beneficiary, until })
      const proofRequired = (reason: ProofRequired["reason"]): ProofRequired => {
        const until = lastDayOf(wallMs())
        const text = textUntil(until)
        return text === null
          ? { _tag: "payer_proof_required", reason: "beneficiary_required", toSign: null }
          : { _tag: "payer_proof_required", reason, toSign: { text, until } }
      }
      const hidesKey = beneficiary?.by === "claimKey" && claimKey === null
      // Without a proof nothing can be claimed, so nothing is looked up. A signature is no proof without the claim key that it names.
      if (memo === null && signature === null) return proofRequired("proof_required")
      if (memo === null && (beneficiary === null || hidesKey)) return proofRequired("claim_key_required")
      const signedText = signature === null || signedUntil === null ? null : textUntil(signedUntil)
      if (memo === null && signedText === null) return proofRequired("signature_refused")
      if (!(yield* mayCost(asked, memoHash))) return proofRequired("proof_required")
      const facts = yield* verify(asked, signedText)
      if (facts === null)
        return isPending(txHash)
          ? {
              _tag: "pending" as const,
              confirmations: 0,
              required: CONFIRMATIONS_MIN,
              retryAfterSeconds: UNKNOWN_RETRY_SECONDS,
            }
          : { _tag: "unknown_transaction" as const }
      unknownSinceMs.delete(txHash)
      const { found, signer } = facts
      const transaction = found._tag === "mined" ? found.transaction : null
      const claimed = yield* Effect.result(
        ledger.submit({
          _tag: "confirm",
          memoHash,
          signer,
          claimKeyHash: claimKey === null ? null : claimKeyHash,
          signedUntil,
          bearer,
          transaction,
          newAccount,
          token,
        }),
      )
      if (claimed._tag === "Success") return { _tag: "credited" as const, ...claimed.success.answer }
      const refusal = claimed.failure
      switch (refusal._tag) {
        case "pending": {
          const { confirmations, required } = refusal
          return {
            _tag: "pending" as const,
            confirmations,
            required,
            retryAfterSeconds: retryAfterSeconds(confirmations, required),
          }
        }
        case "payer_proof_required":
          return proofRequired(signature === null ? "proof_required" : "signature_refused")
        case "signature_expired":
          return proofRequired("signature_expired")
        case "no_payment":
          if (found._tag === "failed") return { _tag: "failed_transaction" as const }
          return yield* Effect.fail(refusal)
        default:
          return yield* Effect.fail(refusal)
      }
    })

  return { facts: chain.facts, claim }
}
