import type { Evidence, Opener, QuoteClient } from "../../schemas/events/ledger.ts"

// The values of the state are never mutated, only replaced: a table on disk does not see a mutation.

/** How often something happened to an account on the latest day (UTC, since the epoch) on which it did. */
export interface DayCount {
  readonly day: number
  readonly count: number
}

/** Counts by slot of time (the number of a minute, of a day), without empty slots. */
export type Tally = ReadonlyArray<readonly [slot: number, count: number]>

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
  /** The wallet that was paid, and the USDC contract; absent where its entry is older than these members. */
  readonly wallet?: string
  readonly contract?: string
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
interface ProvisionalPurchase {
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

/** A table of the state, in memory or on disk. */
export interface Table<Key extends string | number, Value> {
  readonly get: (key: Key) => Value | undefined
  readonly has: (key: Key) => boolean
  readonly set: (key: Key, value: Value) => unknown
  readonly delete: (key: Key) => unknown
  /** All rows, in no particular order. For proofs and tests: there may be millions. */
  readonly entries: () => Iterable<readonly [Key, Value]>
}

/** A table in memory, in the order in which its keys were added. It must be bounded. */
export interface OrderedTable<Value> extends Table<string, Value> {
  readonly size: number
}

/** The counters of the state. */
export interface Counters {
  /** The latest time of an event. */
  nowMs: number
  openQuotes: number
  /** Units of all purchases that are not reversed. */
  creditedUnits: number
  /**
   * Quotes by number: the oldest that is remembered, the oldest that counts for a limit, the oldest that had not expired,
   * and the next one.
   */
  firstQuote: number
  firstHeldQuote: number
  firstRecentQuote: number
  nextQuote: number
  /** The number of the next account. */
  nextAccount: number
  /** Attempts by number: the oldest that is remembered, and the next one. */
  firstAttempt: number
  nextAttempt: number
  /** Reservations by number: the oldest that is remembered, and the next one. */
  firstReservation: number
  nextReservation: number
}

/** Tables that may grow without bound. */
export interface Tables {
  readonly accounts: Table<string, Account>
  /** Ids of accounts by number, in order of opening. */
  readonly accountOrder: Table<number, string>
  /** The account of every token ever issued, by hash, void ones included. */
  readonly tokens: Table<string, string>
  /** Accounts by the `openerKey` of their opener. */
  readonly openers: Table<string, string>
  readonly purchases: Table<string, Purchase>
  /** The keys of all payments of a transaction that were ever credited. */
  readonly transactions: Table<string, ReadonlyArray<string>>
  /** Provisional purchases by account (`account/<id>`) and by payer (`payer/<address>`). */
  readonly provisional: Table<string, ReadonlyArray<ProvisionalPurchase>>
  readonly quotes: Table<string, Quote>
  /** Memo hashes of quotes by number. */
  readonly quoteOrder: Table<number, string>
  /** Memo hashes of quotes by their total; the latest last. */
  readonly totals: Table<number, ReadonlyArray<string>>
  /** Quote counts by keyed hash of an address prefix, for the limits. */
  readonly clients: Table<string, ClientQuotes>
  /** Tails of an amount that the unpaid quotes of a prefix hold, by day of issue. */
  readonly shares: Table<string, Tally>
  /** Tails of an amount (asked units) that are held, by day of issue. */
  readonly amounts: Table<number, Tally>
  /** Idempotency-Keys. */
  readonly attempts: Table<string, Attempt>
  /** Idempotency-Keys by number of attempt. */
  readonly attemptOrder: Table<number, string>
  /** Reservations of the sister service, by the hash of their id. */
  readonly reservations: Table<string, Reservation>
  /** Keys of reservations by number. */
  readonly reservationOrder: Table<number, string>
}

/** Ordered tables, bounded by what is in flight and by `rules.ts`. */
export interface OrderedTables {
  /** In order of time. */
  readonly openDebits: OrderedTable<OpenDebit>
  /** The last ended debits, in order. */
  readonly closedDebits: OrderedTable<ClosedDebit>
  /** Purchases that the chain may still change: all that are not final, reversed ones included. */
  readonly unfinal: OrderedTable<true>
}

/**
 * The fold of the ledger. It is changed in place, as copying it for each of a million events would cost more than folding
 * them. The state before an earlier event is obtained by folding up to it.
 */
export interface State extends Counters, Tables, OrderedTables {}

/** The counters before the first entry. */
export const initialCounters: Readonly<Counters> = {
  nowMs: 0,
  openQuotes: 0,
  creditedUnits: 0,
  firstQuote: 0,
  firstHeldQuote: 0,
  firstRecentQuote: 0,
  nextQuote: 0,
  nextAccount: 0,
  firstAttempt: 0,
  nextAttempt: 0,
  firstReservation: 0,
  nextReservation: 0,
}

/** A state in memory. */
interface MemoryState extends State {
  readonly accounts: Map<string, Account>
}

/** The ledger before its first entry, in memory. */
export const initialState = (): MemoryState => ({
  ...initialCounters,
  accounts: new Map(),
  accountOrder: new Map(),
  tokens: new Map(),
  openers: new Map(),
  purchases: new Map(),
  transactions: new Map(),
  provisional: new Map(),
  quotes: new Map(),
  quoteOrder: new Map(),
  totals: new Map(),
  clients: new Map(),
  shares: new Map(),
  amounts: new Map(),
  attempts: new Map(),
  attemptOrder: new Map(),
  reservations: new Map(),
  reservationOrder: new Map(),
  openDebits: new Map(),
  closedDebits: new Map(),
  unfinal: new Map(),
})
