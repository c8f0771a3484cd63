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

/** A part of the state. Where it lies is its own affair: in memory, or on disk with what is in use in memory. */
export interface Table<Key extends string | number, Value> {
  readonly get: (key: Key) => Value | undefined
  readonly has: (key: Key) => boolean
  readonly set: (key: Key, value: Value) => unknown
  readonly delete: (key: Key) => unknown
  /** Everything in it, in no order that is promised. For proofs and tests: it may be millions. */
  readonly entries: () => Iterable<readonly [Key, Value]>
}

/** A table that stays in memory, bounded by its use, in the order in which keys came into it. */
export interface OrderedTable<Value> extends Table<string, Value> {
  readonly size: number
}

/** The numbers of the state. */
export interface Counters {
  /** The latest time of an event. */
  nowMs: number
  openQuotes: number
  /** Units of all purchases that stand. */
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
}

/** What the state keeps in tables that may grow without bound. */
export interface Tables {
  readonly accounts: Table<string, Account>
  /** Ids of accounts by number, in order of opening. */
  readonly accountOrder: Table<number, string>
  /** The account of every token ever, by hash; those of old are not their account's token any more. */
  readonly tokens: Table<string, string>
  /** Accounts by their opener, as `openerKey` writes it. */
  readonly openers: Table<string, string>
  readonly purchases: Table<string, Purchase>
  /** The payments of each transaction that were credited, once or again. */
  readonly transactions: Table<string, ReadonlyArray<string>>
  /** What is provisional of each account (`account/<id>`) and of each payer (`payer/<address>`). */
  readonly provisional: Table<string, ReadonlyArray<ProvisionalPurchase>>
  readonly quotes: Table<string, Quote>
  /** Memo hashes of quotes by number. */
  readonly quoteOrder: Table<number, string>
  /** Memo hashes of quotes by their total; the latest last. */
  readonly totals: Table<number, ReadonlyArray<string>>
  /** Quotes by keyed hash of a prefix of addresses: what the limits on them count. */
  readonly clients: Table<string, ClientQuotes>
  /** Tails that the unpaid quotes of a prefix hold of an amount, by day of issue. */
  readonly shares: Table<string, Tally>
  /** Tails of an amount (asked units) that are held, by day of issue. */
  readonly amounts: Table<number, Tally>
  /** Idempotency-Keys. */
  readonly attempts: Table<string, Attempt>
  /** Idempotency-Keys by number of attempt. */
  readonly attemptOrder: Table<number, string>
}

/** What the state keeps in order: as much as is in flight, and as `rules.ts` says. */
export interface OrderedTables {
  /** In order of time. */
  readonly openDebits: OrderedTable<OpenDebit>
  /** The last ones that ended, in order. */
  readonly closedDebits: OrderedTable<ClosedDebit>
  /** Purchases that are not final, those that were reversed included: what the chain may still change. */
  readonly unfinal: OrderedTable<true>
}

/**
 * The fold of the ledger. It is changed in place: a copy for each of a million events would cost more than the events.
 * Who needs the state before an event folds again up to it.
 */
export interface State extends Counters, Tables, OrderedTables {}

/** The numbers of the ledger before its first entry. */
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
}

/** A state that lies in memory. */
export interface MemoryState extends State {
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
  openDebits: new Map(),
  closedDebits: new Map(),
  unfinal: new Map(),
})
