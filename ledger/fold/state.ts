import type { Tally } from "./tally.ts"
import type {
  Account,
  Attempt,
  ClientQuotes,
  ClosedDebit,
  OpenDebit,
  ProvisionalPurchase,
  Purchase,
  Quote,
  Reservation,
} from "./values.ts"

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
  reservations: new Map(),
  reservationOrder: new Map(),
  openDebits: new Map(),
  closedDebits: new Map(),
  unfinal: new Map(),
})
