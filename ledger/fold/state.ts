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
} from "./values.ts"

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
