import { hash } from "node:crypto"
import { Effect } from "effect"
import { LRUCache } from "lru-cache"
import type { Answers } from "../answers.ts"
import { type Chain, ChainUnavailable, type TransactionLookup } from "../chain.port.ts"
import type { LedgerClient } from "../client.ts"
import type { TokenCandidate } from "../command.ts"
import { memoHashOf } from "../memo.ts"
import type { Refusal } from "../refusal.ts"
import { CONFIRMATIONS_MIN } from "../rules.ts"
import type { BillingUnavailable } from "../unavailable.ts"
import { makeFlights } from "./flights.ts"
import { textToSign } from "./proof.ts"

/** How long a hash that the chain does not know is waited for, in milliseconds. */
export const UNKNOWN_MS_MAX = 30 * 60_000
/** Unknown hashes that are remembered. The one asked for longest ago is forgotten first, and is waited for afresh. */
const UNKNOWN_HASHES_MAX = 50_000
/** Questions to the chain on their way at the same time; more are refused at once. */
const FLIGHTS_MAX = 1_000
/** How long the chain may take for one answer. */
const CHAIN_WAIT = "10 seconds"
const CHAIN_RETRY_SECONDS = 10
/** How long verified facts wait for the second step of their claim, which brings the token. */
const VERIFIED_MS_MAX = 15_000

const UNKNOWN_RETRY_SECONDS = 5
const SAFE_RETRY_SECONDS = 30
const BLOCK_SECONDS = 2

/** What is shown for a payment. Nothing here is a fact of the chain: those are looked up where the claim is decided. */
export interface Claim {
  /** 0x and 64 lower-case hex digits. */
  readonly txHash: string
  readonly memo: string | null
  /** A signature of the text that `payer_proof_required` names, as 0x and hex digits. */
  readonly signature: string | null
  /** The wallet that has signed, in lower case, where the caller names it: it is asked before all others. */
  readonly payer: string | null
  /** Host of this service as the payer knows it: it stands in the signed text. */
  readonly host: string
  /** Hash of the bearer token to which the credits are to be added; null to get a token. */
  readonly bearer: string | null
  /** Id of the account, should one be opened. */
  readonly newAccount: string
  /** A token, should one be issued; without the right one the refusal `token_needed` says which is wanted. */
  readonly token: TokenCandidate | null
}

/** What came of a claim. */
export type ClaimOutcome =
  | ({ readonly _tag: "credited" } & Answers["confirm"])
  | {
      readonly _tag: "pending"
      readonly confirmations: number
      readonly required: number | "safe"
      readonly retryAfterSeconds: number
    }
  /** No block has held this transaction for 30 minutes. */
  | { readonly _tag: "unknown_transaction" }
  /** The transaction stands in a block, and was reverted. */
  | { readonly _tag: "failed_transaction" }
  /** Neither memo nor signature shows that the payment is the caller's. */
  | { readonly _tag: "payer_proof_required"; readonly text: string; readonly signatureRefused: boolean }

/** Payments on the chain, and where they are claimed. */
export interface Payments {
  /** What payments are asked for on. */
  readonly facts: Chain["facts"]
  /** Claims what a transaction has paid. The same for the same claim, however often. */
  readonly claim: (claim: Claim) => Effect.Effect<ClaimOutcome, Refusal | BillingUnavailable | ChainUnavailable>
}

/** What payments are verified and decided with. */
export interface PaymentsOptions {
  readonly ledger: LedgerClient
  readonly chain: Pick<Chain, "facts" | "find" | "signerOf">
  /** The monotonic clock, in milliseconds. */
  readonly nowMs?: () => number
}

/** When asking again makes sense: after the blocks that are missing. */
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

/** Facts that were verified for a claim: the transaction, and who has signed. */
interface VerifiedFacts {
  readonly found: Exclude<TransactionLookup, { readonly _tag: "unknown" }>
  readonly signer: string | null
}

/** Which claims rest on the same facts: by hashes, as no secret is kept, not even as a key. */
const factsKeyOf = ({ txHash, memo, signature, payer, host }: Claim): string =>
  hash("sha256", JSON.stringify([txHash, memo, signature, payer, host]), "hex")

/**
 * Payments, verified by this process's own client of the chain and decided by the ledger. It holds only questions on
 * their way, hashes that the chain did not know, and for some seconds the facts of claims that wait for their token.
 */
export const makePayments = ({ ledger, chain, nowMs = () => performance.now() }: PaymentsOptions): Payments => {
  const unknownSinceMs = new LRUCache<string, number>({ max: UNKNOWN_HASHES_MAX })
  const verified = new LRUCache<string, VerifiedFacts>({ max: FLIGHTS_MAX, ttl: VERIFIED_MS_MAX })
  const finds = makeFlights<TransactionLookup, ChainUnavailable>(
    FLIGHTS_MAX,
    () => new ChainUnavailable({ problem: "too many questions", retryAfterSeconds: CHAIN_RETRY_SECONDS }),
  )

  /** A hash that stands in no block: waited for, from when it was first asked for. */
  const isWaitedFor = (txHash: string): boolean => {
    const since = unknownSinceMs.get(txHash)
    if (since === undefined) unknownSinceMs.set(txHash, nowMs())
    return since === undefined || nowMs() - since < UNKNOWN_MS_MAX
  }

  /** Looks the transaction up, and who has signed; null where no block holds it. */
  const verify = ({ txHash, signature, payer }: Claim, text: string) =>
    Effect.gen(function* () {
      const found = yield* finds.ask(txHash, () => bounded(chain.find(txHash)))
      if (found._tag === "unknown") return null
      const signerAmong = (candidates: ReadonlyArray<string>) =>
        signature === null || candidates.length === 0
          ? Effect.succeed(null)
          : bounded(chain.signerOf({ text, signature, candidates }))
      // Only some contracts are asked: dust that was bundled with a payment must not come before its payer.
      const transfers = found._tag === "mined" ? found.transaction.transfers : []
      const candidates = [
        ...new Set(transfers.toSorted((one, other) => other.units - one.units).map(({ payer }) => payer)),
      ]
      // The wallet that the caller names comes first, alone: no number of contracts beside it can crowd it out.
      const named = yield* signerAmong(candidates.filter((one) => one === payer))
      const signer = named ?? (yield* signerAmong(candidates.filter((one) => one !== payer)))
      return { found, signer }
    })

  const claim: Payments["claim"] = (asked) =>
    Effect.gen(function* () {
      const { txHash, memo, signature, host, bearer, newAccount, token } = asked
      const memoHash = memo === null ? null : memoHashOf(memo)
      const { chainId, wallet } = chain.facts
      const text = textToSign({ host, chainId, wallet, transaction: txHash, memoHash })
      // Nothing can be claimed without a proof, so nothing is looked up.
      if (memo === null && signature === null)
        return { _tag: "payer_proof_required" as const, text, signatureRefused: false }
      const key = factsKeyOf(asked)
      const facts = (token === null ? undefined : verified.get(key)) ?? (yield* verify(asked, text))
      if (facts === null)
        return isWaitedFor(txHash)
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
        ledger.submit({ _tag: "confirm", memoHash, signer, bearer, transaction, newAccount, token }),
      )
      if (claimed._tag === "Success") return { _tag: "credited" as const, ...claimed.success.answer }
      const refusal = claimed.failure
      switch (refusal._tag) {
        case "token_needed":
          verified.set(key, facts)
          return yield* Effect.fail(refusal)
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
          return {
            _tag: "payer_proof_required" as const,
            text,
            signatureRefused: signature !== null && signer === null,
          }
        case "no_payment":
          if (found._tag === "failed") return { _tag: "failed_transaction" as const }
          return yield* Effect.fail(refusal)
        default:
          return yield* Effect.fail(refusal)
      }
    })

  return { facts: chain.facts, claim }
}
