import type { Evidence, Opener, QuoteClient } from "../../schemas/events/ledger.ts"
import type { FreeEnds } from "./free-ends.ts"
import type { Tally } from "./tally.ts"

// The values of the state are never changed, only replaced: what a table does not see, it could not keep.

/** A bearer token, by its hash, and what its HMAC speaks of. */
export interface Token {
  readonly hash: string
  readonly kid: string
  readonly generation: number
  readonly claimant: string
  readonly origin: string
  readonly issuedAtMs: number
  readonly revoked: boolean
}

/** One account. `balance - shortfall` is the sum of its entries. */
export interface Account {
  readonly id: string
  /** Entries so far. */
  readonly sequence: number
  readonly balance: number
  readonly shortfall: number
  /** Credits of calls that were served and charged. */
  readonly spent: number
  /** Credits of purchases and grants that stand. */
  readonly added: number
  readonly token: Token | null
  /** What it was opened with: said by its first token, and replaced by an operator alone. Null before that token. */
  readonly opener: Opener | null
  /** Debits that ended uncharged by what the callers did, on the latest day (UTC, since the epoch) with one. */
  readonly freeEnds: FreeEnds
  /** Purchases that stand: their number, and the units that were paid for them. */
  readonly purchaseCount: number
  readonly purchasedUnits: number
  /** Payments that were credited to it, in order, those that were reversed included. */
  readonly payments: ReadonlyArray<string>
}

/** A quote that is still remembered. */
export interface Quote {
  /** Its number, in order of issue. */
  readonly place: number
  readonly memoHash: string
  readonly totalUnits: number
  readonly proof: "amount" | "signature"
  readonly issuedAtMs: number
  readonly expiresAtMs: number
  readonly client: QuoteClient
  /** Payments of it that stand. */
  readonly payments: number
  /** Whether it still counts as open: neither paid nor, when last looked at, expired. */
  readonly open: boolean
  /** Whether no payment of it was ever credited. */
  readonly unpaid: boolean
}

/** The unpaid quotes of one prefix of addresses, by the time of their issue. */
export interface ClientQuotes {
  /** By minute, those that may be open. */
  readonly minutes: Tally
  /** By day, those of whose totals the windows may run. */
  readonly days: Tally
}

/** A payment that was credited, once or again. */
export interface Purchase {
  readonly key: string
  readonly account: string
  readonly payer: string
  readonly units: number
  readonly credits: number
  readonly blockHash: string
  readonly blockNumber: number
  readonly creditedAtMs: number
  readonly evidence: Evidence
  readonly memoHash: string | null
  /** The word that its payer named on the chain; null for none. */
  readonly namedHash: string | null
  readonly claimant: string
  readonly provisional: boolean
  readonly status: "credited" | "final" | "reversed"
  /** Null where the last look found it, or none has looked yet. */
  readonly doubt: PurchaseDoubt | null
}

/** What looks have missed of a purchase since one found it. */
export interface PurchaseDoubt {
  readonly sinceMs: number
  /** The newest block at the misses: the lowest that was said. */
  readonly head: number
  readonly misses: number
}

/** A purchase that was credited before its block was safe, and is not final. */
export interface ProvisionalPurchase {
  readonly key: string
  readonly units: number
}

/** A debit that waits for its end. */
export interface OpenDebit {
  readonly account: string
  readonly credits: number
  readonly atMs: number
  readonly key: string | null
}

/** A debit that has ended. `charged` is what it cost. */
export interface ClosedDebit {
  readonly account: string
  readonly charged: number
  readonly ended: "settled" | "refunded"
  readonly key: string | null
}

/** What is known of an Idempotency-Key. */
export interface Attempt {
  /** Its number, in order of attempts. */
  readonly place: number
  readonly debit: string
  readonly request: string
  readonly attempt: number
  readonly atMs: number
  readonly ended: "settled" | "refunded" | null
}
