import type { Evidence, Opener, QuoteClient } from "../../schemas/events/ledger.ts"
import type { DayCount } from "./day-count.ts"
import type { Tally } from "./tally.ts"

// The values of the state are never mutated, only replaced: a table on disk does not see a mutation.

/** A bearer token by its hash, and the text that its HMAC covers. */
interface Token {
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
  /** The part of `spent` that the sister service charged. */
  readonly spentBySister: number
  /** Credits of its open debits, which are taken from the balance already. */
  readonly open: number
  /** Credits of grants and of purchases that are not reversed. */
  readonly added: number
  readonly token: Token | null
  /** Set by its first token, replaced only by an operator. Null before that token. */
  readonly opener: Opener | null
  /** Debits that ended uncharged because of the caller. */
  readonly freeEnds: DayCount
  /** Reservations of the sister service that ended uncharged. */
  readonly sisterFreeEnds: DayCount
  /** Tokens that its callers were issued. */
  readonly tokensIssued: DayCount
  /** Purchases that are not reversed: their number, and the units paid for them. */
  readonly purchaseCount: number
  readonly purchasedUnits: number
  /** Keys of all payments that were ever credited to it, in order. */
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
  /** Its payments that are not reversed. */
  readonly payments: number
  /** Whether it counts as open: not paid, and not expired at the last sweep. */
  readonly open: boolean
  /** Whether no payment of it was ever credited. */
  readonly unpaid: boolean
}

/** The unpaid quotes of one prefix of addresses, by the time of their issue. */
export interface ClientQuotes {
  /** By minute, those that may be open. */
  readonly minutes: Tally
  /** By day, those whose total may still be in its window. */
  readonly days: Tally
}

/** A payment that was credited at least once. */
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
  /** The hash that its payer named on the chain; null for none. */
  readonly namedHash: string | null
  readonly claimant: string
  readonly provisional: boolean
  readonly status: "credited" | "final" | "reversed"
  /** Null if the last look found it, or there was no look yet. */
  readonly doubt: PurchaseDoubt | null
}

/** The misses of a purchase since a look last found it. */
export interface PurchaseDoubt {
  readonly sinceMs: number
  /** The lowest head of the chain at any of these misses. */
  readonly head: number
  readonly misses: number
}

/** A purchase that was credited before its block was safe, and is not final. */
export interface ProvisionalPurchase {
  readonly key: string
  readonly units: number
}

/** A debit that is neither settled nor refunded. */
export interface OpenDebit {
  readonly account: string
  readonly credits: number
  readonly atMs: number
  /** The key of its attempt, or of its reservation; null without one. */
  readonly key: string | null
  /** Whether the sister service reserved it. */
  readonly bySister: boolean
}

/** A debit that has ended. `charged` is its cost in credits. */
export interface ClosedDebit {
  readonly account: string
  readonly charged: number
  readonly ended: "settled" | "refunded"
  readonly key: string | null
  readonly bySister: boolean
}

/** The last attempt under an Idempotency-Key. */
export interface Attempt {
  /** Its number, in order of attempts. */
  readonly place: number
  readonly debit: string
  readonly request: string
  readonly attempt: number
  readonly atMs: number
  readonly ended: "settled" | "refunded" | null
}

/** A reservation of the sister service, by the hash of its id. */
export interface Reservation {
  /** Its number, in order of reservations. */
  readonly place: number
  readonly debit: string
  readonly account: string
  readonly credits: number
  /** SHA-256 of the members that a repeated reserve must have too. */
  readonly request: string
  readonly atMs: number
  /** The balance after its debit. */
  readonly balance: number
  readonly end: ReservationEnd | null
}

/** How a reservation ended first: what an operator refunds later does not change it. */
export interface ReservationEnd {
  /** `commit`: by the sister. `return`: not in time, or by an operator. */
  readonly by: "commit" | "return"
  readonly charged: number
  /** The balance after it. */
  readonly balance: number
}
