import { createHmac, hash } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { QuoteClient } from "../../schemas/events/ledger.ts"
import { makeFlights } from "../../schemas/flights.ts"
import type { Answers, LedgerClient } from "../answers.ts"
import type { Chain, ChainUnavailable } from "../chain.port.ts"
import type { TokenCandidate, TokenWanted } from "../command.ts"
import { transactionKey } from "../model/entry.ts"
import { readListed } from "../read-listed.ts"
import { BillingUnavailable, type Refusal } from "../refusal.ts"
import { CONFIRMATIONS_MIN, PROVISIONAL_MAX_UNITS, QUOTE_LIFE_MS, TAIL_MAX } from "../rules.ts"
import { makeToken, type TokenKeys, tokenHashOf } from "../token.ts"
import type { Claim, ClaimOutcome, Payments } from "./claim.ts"
import { claimKeyHashOf, MEMO_BYTES, makeMemo, memoHashOf } from "./proof.ts"

/** Confirms in flight; more are refused at once. */
const FLIGHTS_MAX = 1_000
/** Claims of one confirm: the first names the token that is expected, the others the one that the ledger wants instead. */
const CLAIMS_MAX = 4

const UNITS_PER_USD = 1_000_000

/** No wallet is configured, so nothing can be bought. */
class NothingSold extends Schema.TaggedError<NothingSold>()("nothing_sold", {}) {
  override get message() {
    return "no wallet is configured: nothing can be bought here"
  }
}

/** There is no token key of this `kid`, so the token cannot be derived: a misconfiguration. */
class TokenKeyMissing extends Schema.TaggedError<TokenKeyMissing>()("token_key_missing", {
  kid: Schema.String,
}) {
  override get message() {
    return `the token key ${this.kid} is not configured`
  }
}

/** A quote as its buyer gets it. The memo is in this answer and stored nowhere. */
export type IssuedQuote = Answers["issueQuote"] & { readonly memo: string; readonly memoHash: string }

/** A claim of a payment with its proofs. The hash of the transaction and the payer may be in any case. */
export interface ConfirmRequest extends Omit<Claim, "bearer" | "service" | "newAccount" | "token"> {
  /** The token whose account is credited, as `bearerOf` reads it. */
  readonly bearer: string | null
}

type Credited = Extract<ClaimOutcome, { readonly _tag: "credited" }>
/** The outcome of a confirm. */
export type ConfirmOutcome =
  | (Omit<Credited, "account" | "token"> & {
      /** Null when the bearer's account was credited. */
      readonly token: string | null
    })
  | Exclude<ClaimOutcome, Credited>

/** Why buying gives no answer. */
type BuyingFailure = Refusal | BillingUnavailable | NothingSold

/** Buying credits, independent of HTTP. It stores no memo and no token. */
export interface Buying {
  /** The chain, contract and wallet for payers; null when nothing is sold here. */
  readonly facts: Chain["facts"] | null
  /** Issues a quote. `client` holds address prefixes, of which the ledger gets keyed hashes. */
  readonly quote: (asked: {
    readonly askedCents: number
    readonly client: QuoteClient
  }) => Effect.Effect<IssuedQuote, BuyingFailure>
  /**
   * Claims the payments of a transaction. Idempotent for the same claimant; equal requests at the same time share one
   * execution.
   */
  readonly confirm: (
    claimed: ConfirmRequest,
  ) => Effect.Effect<ConfirmOutcome, BuyingFailure | ChainUnavailable | TokenKeyMissing>
  /** Reads the account of a token. `purchases`: whether they are listed; by default they are. */
  readonly account: (
    token: string | null,
    purchases?: boolean,
  ) => Effect.Effect<Answers["readAccount"], Refusal | BillingUnavailable>
  /** Revokes a token. */
  readonly revoke: (
    token: string | null,
    confirmed: boolean,
  ) => Effect.Effect<Answers["revoke"], Refusal | BillingUnavailable>
}

/** Dependencies of buying. */
export interface BuyingOptions {
  readonly ledger: LedgerClient
  /** Null: no wallet is configured, and nothing is sold. */
  readonly payments: Payments | null
  readonly tokenKeys: TokenKeys
  /** Public host of this service, or the id of this installation: part of the text that payers sign. */
  readonly service: string
  /** Returns `count` random bytes. */
  readonly random: (count: number) => Uint8Array
  /** Ids of new accounts. */
  readonly newId: () => string
  /** The secret key under which addresses of clients are hashed. */
  readonly clientKey: Uint8Array
}

const overloaded = () => new BillingUnavailable({ reason: "overloaded", retryAfterSeconds: 1 })

/** Equal requests have an equal key. It is a hash, so that no secret is kept in a map. */
const requestKeyOf = (asked: ConfirmRequest): string => hash("sha256", JSON.stringify(asked), "hex")

/**
 * The first token of the account that a confirm opens: of the memo's holder, else of the payer that the caller names and its
 * claim key. Null where the caller does not know what the account is opened with.
 */
const expectedToken = (
  { txHash, memo, claimKey, claimKeyHash, payer }: Omit<ConfirmRequest, "bearer">,
  chainId: number,
): TokenWanted | null => {
  const origin = transactionKey(chainId, txHash)
  if (memo !== null) return { claimant: `memo/${memoHashOf(memo)}`, origin, generation: 1 }
  const keyHash = claimKey === null ? claimKeyHash : claimKeyHashOf(claimKey)
  return payer === null || keyHash === null ? null : { claimant: `payer/${payer}/${keyHash}`, origin, generation: 1 }
}

/** Opens buying. Its only state is the confirms in flight. */
export const openBuying = (options: BuyingOptions): Buying => {
  const { ledger, payments, tokenKeys, service, random, newId, clientKey } = options
  const confirms = makeFlights<ConfirmOutcome, BuyingFailure | ChainUnavailable | TokenKeyMissing>({
    limit: { countMax: FLIGHTS_MAX, full: overloaded },
  })

  const keyedHash = (prefix: string): string => createHmac("sha256", clientKey).update(prefix).digest("hex")
  const quote: Buying["quote"] = ({ askedCents, client }) =>
    Effect.gen(function* () {
      if (payments === null) return yield* new NothingSold()
      const memo = makeMemo(random(MEMO_BYTES))
      const memoHash = memoHashOf(memo)
      const { answer } = yield* ledger.submit({
        _tag: "issueQuote",
        askedCents,
        memoHash,
        tail: 1 + (Buffer.from(random(4)).readUInt32BE() % TAIL_MAX),
        client: {
          address: keyedHash(`address ${client.address}`),
          network: keyedHash(`network ${client.network}`),
          provider: keyedHash(`provider ${client.provider}`),
        },
      })
      return { memo, memoHash, ...answer }
    })

  const candidateOf = (wanted: TokenWanted): TokenCandidate | null => {
    const token = makeToken(tokenKeys, tokenKeys.current, wanted)
    return token === null ? null : { ...wanted, kid: tokenKeys.current, hash: tokenHashOf(token) }
  }

  /** Claims with the token that is expected. Another one is wanted after a revoke, or from a payer that was not named. */
  const confirmOnce = Effect.fnUntraced(function* (payments: Payments, { bearer, ...asked }: ConfirmRequest) {
    const shown = { ...asked, service, bearer: bearer === null ? null : tokenHashOf(bearer), newAccount: newId() }
    const claim = (token: TokenCandidate | null) => Effect.result(payments.claim({ ...shown, token }))
    const expected = bearer === null ? expectedToken(asked, payments.facts.chainId) : null
    let claimed = yield* claim(expected === null ? null : candidateOf(expected))
    for (let claims = 1; claims < CLAIMS_MAX; claims++) {
      if (claimed._tag === "Success" || claimed.failure._tag !== "token_needed") break
      const candidate = candidateOf(claimed.failure.wanted)
      if (candidate === null) return yield* new TokenKeyMissing({ kid: tokenKeys.current })
      claimed = yield* claim(candidate)
    }
    if (claimed._tag === "Failure")
      return yield* claimed.failure._tag === "token_needed" ? overloaded() : Effect.fail(claimed.failure)
    const outcome = claimed.success
    if (outcome._tag !== "credited") return outcome
    const { account: _, token, ...credited } = outcome
    const text = token === null ? null : makeToken(tokenKeys, token.kid, token)
    if (token !== null && text === null) return yield* new TokenKeyMissing({ kid: token.kid })
    return { ...credited, token: text }
  })

  return {
    facts: payments?.facts ?? null,
    quote,
    confirm: (asked) => {
      if (payments === null) return Effect.fail(new NothingSold())
      const claimed = {
        ...asked,
        txHash: asked.txHash.toLowerCase(),
        payer: asked.payer === null ? null : asked.payer.toLowerCase(),
      }
      return confirms.ask(requestKeyOf(claimed), () => confirmOnce(payments, claimed))
    },
    account: (token, purchases = true) => {
      const by = { token: token === null ? null : tokenHashOf(token) }
      return purchases
        ? readListed(ledger, by)
        : ledger.submit({ _tag: "readAccount", by, purchases }).pipe(Effect.map(({ answer }) => answer))
    },
    // Refused before the ledger is asked: a revoke command needs the hash of a token.
    revoke: (token, confirmed) =>
      token === null
        ? Effect.fail({ _tag: "missing_token" as const })
        : ledger
            .submit({ _tag: "revoke", token: tokenHashOf(token), confirmed })
            .pipe(Effect.map(({ answer }) => answer)),
  }
}

/** The rules of buying that pages and replies state. */
export const buyingRules = {
  /** Up to this amount `confirmationsMin` are enough. */
  provisionalUsdMax: PROVISIONAL_MAX_UNITS / UNITS_PER_USD,
  confirmationsMin: CONFIRMATIONS_MIN,
  quoteMinutes: QUOTE_LIFE_MS / 60_000,
} as const
