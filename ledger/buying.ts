import { createHmac, hash } from "node:crypto"
import { Effect, Schema } from "effect"
import { LRUCache } from "lru-cache"
import { type Chain, ChainUnavailable, type Found, type Transaction } from "../infra/chain/chain.port.ts"
import { makeFlights } from "./buying/flights.ts"
import { textToSign } from "./buying/proof.ts"
import type { LedgerClient } from "./client.ts"
import type { Answers, PurchaseSeen, Refusal, TokenWanted } from "./command.ts"
import { MEMO_BYTES, makeMemo, memoHashOf } from "./memo.ts"
import { CONFIRMATIONS_MIN, PROVISIONAL_UNITS_MAX, QUOTE_LIFE_MS, TAIL_MAX } from "./rules.ts"
import { makeToken, type TokenKeys, tokenHashOf } from "./token.ts"
import { BillingUnavailable } from "./unavailable.ts"

/** How long a hash that the chain does not know is waited for, in milliseconds. */
export const UNKNOWN_MS_MAX = 30 * 60_000
/** Unknown hashes that are remembered. The one asked for longest ago is forgotten first, and is waited for afresh. */
const UNKNOWN_HASHES_MAX = 50_000
/** Confirms on their way at the same time; more are refused at once. */
const FLIGHTS_MAX = 1_000
/** How long the chain may take for one answer. */
const CHAIN_WAIT = "10 seconds"
/** How often a token is made anew for what the ledger wants, should that change in between. */
const TOKEN_ATTEMPTS_MAX = 3

const UNKNOWN_RETRY_SECONDS = 5
const SAFE_RETRY_SECONDS = 30
const BLOCK_SECONDS = 2
const UNITS_PER_USD = 1_000_000
const CHAIN_RETRY_SECONDS = 10

/** There is no wallet to pay to: nothing can be bought here. */
export class NothingSold extends Schema.TaggedError<NothingSold>()("nothing_sold", {}) {
  override get message() {
    return "no wallet is configured: nothing can be bought here"
  }
}

/** The key of this `kid` is not held, so the token cannot be made. A mistake of the operator's. */
export class TokenKeyMissing extends Schema.TaggedError<TokenKeyMissing>()("token_key_missing", {
  kid: Schema.String,
}) {
  override get message() {
    return `the key ${this.kid} of tokens is not held`
  }
}

/** A quote as its buyer gets it. The memo exists in this answer and nowhere else. */
export interface Quoted {
  readonly memo: string
  readonly memoHash: string
  readonly totalUnits: number
  readonly credits: number
  readonly proof: "amount" | "signature"
  readonly expiresAtMs: number
}

/** What a caller shows to claim a payment. */
export interface Claimed {
  /** 0x and 64 hex digits, in any case. */
  readonly txHash: string
  readonly memo: string | null
  /** A signature of the text that `payer_proof_required` tells, as 0x and hex digits. */
  readonly signature: string | null
  /** The token to which the credits are to be added, as `bearerOf` reads it. */
  readonly bearer: string | null
}

/** What came of a confirm. */
export type Confirmed =
  | {
      readonly _tag: "credited"
      /** Null when the credits were added to the bearer's token. */
      readonly token: string | null
      readonly credits: number
      readonly balance: number
      readonly provisional: boolean
      readonly purchases: ReadonlyArray<PurchaseSeen>
    }
  | {
      readonly _tag: "pending"
      readonly confirmations: number
      readonly required: number | "safe"
      readonly retryAfterSeconds: number
    }
  /** Nobody has seen this transaction in a block for 30 minutes. */
  | { readonly _tag: "unknown_transaction" }
  /** The transaction stands in a block, and was reverted. */
  | { readonly _tag: "failed_transaction" }
  /** Neither memo nor signature shows that the payment is the caller's. */
  | { readonly _tag: "payer_proof_required"; readonly text: string; readonly signatureRefused: boolean }

/** What may keep the desk from an answer. */
export type DeskFailure = Refusal | BillingUnavailable | NothingSold

/** The desk at which credits are bought. It knows no HTTP, and keeps no memo and no token. */
export interface Buying {
  /** What payments are asked for on; null when nothing is sold here. */
  readonly facts: Chain["facts"] | null
  /** Makes a quote. `client` is the key under which the client counts; the ledger gets its keyed hash. */
  readonly quote: (asked: {
    readonly askedCents: number
    readonly client: string
  }) => Effect.Effect<Quoted, DeskFailure>
  /**
   * Claims what a transaction has paid. The same for the same claimant, however often; questions that are alike and come
   * at the same time are one.
   */
  readonly confirm: (claimed: Claimed) => Effect.Effect<Confirmed, DeskFailure | ChainUnavailable | TokenKeyMissing>
  /** Reads the account of a token. */
  readonly account: (token: string | null) => Effect.Effect<Answers["readAccount"], Refusal | BillingUnavailable>
  /** Gives up a token. */
  readonly revoke: (token: string | null) => Effect.Effect<Answers["revoke"], Refusal | BillingUnavailable>
}

/** What the desk works with. */
export interface BuyingOptions {
  readonly ledger: LedgerClient
  /** Null: no wallet is configured, and nothing is sold. */
  readonly chain: Chain | null
  readonly tokenKeys: TokenKeys
  /** Host of this service as payers know it: it stands in what they sign. */
  readonly host: string
  /** So many random bytes. */
  readonly random: (count: number) => Uint8Array
  /** Ids of new accounts. */
  readonly newId: () => string
  /** The secret key under which addresses of clients are hashed. */
  readonly clientKey: Uint8Array
  /** The monotonic clock, in milliseconds. */
  readonly nowMs?: () => number
}

const overloaded = () => new BillingUnavailable({ reason: "overloaded", retryAfterSeconds: 1 })

/** Which quotes and claims are alike: by hashes, as no secret is kept, not even as a key. */
const likenessOf = ({ txHash, memo, signature, bearer }: Claimed): string =>
  hash("sha256", JSON.stringify([txHash, memo, signature, bearer]), "hex")

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

/** Opens the desk. It holds nothing but what is on its way, and the hashes that the chain did not know lately. */
export const openBuying = (options: BuyingOptions): Buying => {
  const { ledger, chain, tokenKeys, host, random, newId, clientKey } = options
  const nowMs = options.nowMs ?? (() => performance.now())
  const unknownSinceMs = new LRUCache<string, number>({ max: UNKNOWN_HASHES_MAX })
  const finds = makeFlights<Found, ChainUnavailable>(
    FLIGHTS_MAX,
    () => new ChainUnavailable({ problem: "too many questions", retryAfterSeconds: CHAIN_RETRY_SECONDS }),
  )
  const confirms = makeFlights<Confirmed, DeskFailure | ChainUnavailable | TokenKeyMissing>(FLIGHTS_MAX, overloaded)

  const quote: Buying["quote"] = ({ askedCents, client }) =>
    Effect.gen(function* () {
      if (chain === null) return yield* new NothingSold()
      const memo = makeMemo(random(MEMO_BYTES))
      const memoHash = memoHashOf(memo)
      const { answer } = yield* ledger.submit({
        _tag: "issueQuote",
        askedCents,
        memoHash,
        tail: 1 + (Buffer.from(random(4)).readUInt32BE() % TAIL_MAX),
        client: createHmac("sha256", clientKey).update(client).digest("hex"),
      })
      return { memo, memoHash, ...answer }
    })

  const tokenOf = (kid: string, wanted: TokenWanted): Effect.Effect<string, TokenKeyMissing> => {
    const token = makeToken(tokenKeys, kid, wanted)
    return token === null ? Effect.fail(new TokenKeyMissing({ kid })) : Effect.succeed(token)
  }

  /** Submits a claim, with a token as soon as the ledger has said what it must speak of. */
  const claim = Effect.fnUntraced(function* (
    shown: { readonly memoHash: string | null; readonly signer: string | null; readonly bearer: string | null },
    transaction: Transaction | null,
  ) {
    const newAccount = newId()
    const submit = (token: { readonly kid: string; readonly hash: string; readonly wanted: TokenWanted } | null) =>
      ledger.submit({
        _tag: "confirm",
        ...shown,
        transaction,
        newAccount,
        token: token === null ? null : { ...token.wanted, kid: token.kid, hash: token.hash },
      })
    let answered = yield* Effect.result(submit(null))
    for (let attempt = 0; attempt < TOKEN_ATTEMPTS_MAX; attempt++) {
      if (answered._tag === "Success") return answered.success.answer
      if (answered.failure._tag !== "token_needed") return yield* Effect.fail(answered.failure)
      // What is wanted changes between two attempts only where the same claimant does something else meanwhile.
      const { wanted } = answered.failure
      const kid = tokenKeys.current
      const token = yield* tokenOf(kid, wanted)
      answered = yield* Effect.result(submit({ kid, hash: tokenHashOf(token), wanted }))
    }
    return answered._tag === "Success" ? answered.success.answer : yield* overloaded()
  })

  /** A hash that stands in no block: waited for, from when it was first asked for. */
  const isWaitedFor = (txHash: string): boolean => {
    const since = unknownSinceMs.get(txHash)
    if (since === undefined) unknownSinceMs.set(txHash, nowMs())
    return since === undefined || nowMs() - since < UNKNOWN_MS_MAX
  }

  const confirmOnce = (chainThere: Chain, { txHash, memo, signature, bearer }: Claimed) =>
    Effect.gen(function* () {
      const found = yield* finds.ask(txHash, () => bounded(chainThere.find(txHash)))
      if (found._tag === "unknown")
        return isWaitedFor(txHash)
          ? {
              _tag: "pending" as const,
              confirmations: 0,
              required: CONFIRMATIONS_MIN,
              retryAfterSeconds: UNKNOWN_RETRY_SECONDS,
            }
          : { _tag: "unknown_transaction" as const }
      unknownSinceMs.delete(txHash)

      const memoHash = memo === null ? null : memoHashOf(memo)
      const { chainId, wallet } = chainThere.facts
      const text = textToSign({ host, chainId, wallet, transaction: txHash, memoHash })
      const transaction = found._tag === "mined" ? found.transaction : null
      // Only some contracts are asked: dust that somebody bundled with a payment must not come before its payer.
      const payers = transaction?.transfers.toSorted((one, other) => other.units - one.units)
      const candidates = [...new Set(payers?.map(({ payer }) => payer))]
      const signer =
        signature === null || candidates.length === 0
          ? null
          : yield* bounded(chainThere.signerOf({ text, signature, candidates }))

      const shown = { memoHash, signer, bearer: bearer === null ? null : tokenHashOf(bearer) }
      const claimed = yield* Effect.result(claim(shown, transaction))
      if (claimed._tag === "Success") {
        const { token, credits, balance, provisional, purchases } = claimed.success
        const text = token === null ? null : yield* tokenOf(token.kid, token)
        return { _tag: "credited" as const, token: text, credits, balance, provisional, purchases }
      }
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

  return {
    facts: chain?.facts ?? null,
    quote,
    confirm: (asked) => {
      if (chain === null) return Effect.fail(new NothingSold())
      const claimed = { ...asked, txHash: asked.txHash.toLowerCase() }
      return confirms.ask(likenessOf(claimed), () => confirmOnce(chain, claimed))
    },
    account: (token) =>
      ledger
        .submit({ _tag: "readAccount", by: { token: token === null ? null : tokenHashOf(token) } })
        .pipe(Effect.map(({ answer }) => answer)),
    // A revoke without a token is refused as every call is whose token is missing; it names none that could exist.
    revoke: (token) =>
      token === null
        ? Effect.fail({ _tag: "missing_token" as const })
        : ledger.submit({ _tag: "revoke", token: tokenHashOf(token) }).pipe(Effect.map(({ answer }) => answer)),
  }
}

/** The rules of buying that buyers are told. */
export const buyingRules = {
  /** Up to this amount a few blocks are enough. */
  provisionalUsdMax: PROVISIONAL_UNITS_MAX / UNITS_PER_USD,
  confirmationsMin: CONFIRMATIONS_MIN,
  quoteMinutes: QUOTE_LIFE_MS / 60_000,
} as const
