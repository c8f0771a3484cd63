import type { Evidence } from "../schemas/events/ledger.ts"

/** A bearer token, by its hash, and what its HMAC speaks of. */
export interface Token {
  readonly hash: string
  readonly kid: string
  readonly generation: number
  readonly claimant: string
  readonly origin: string
  readonly issuedAtMs: number
  revoked: boolean
}

/** One account. `balance - shortfall` is the sum of its entries. */
export interface Account {
  readonly id: string
  /** Entries so far. */
  sequence: number
  balance: number
  shortfall: number
  /** Credits of calls that were served and charged. */
  spent: number
  /** Credits of purchases and grants that stand. */
  added: number
  token: Token | undefined
  /** Payments that were credited to it, in order, those that were reversed included. */
  readonly payments: Array<string>
}

/** A quote that is still remembered. */
export interface Quote {
  readonly memoHash: string
  readonly totalUnits: number
  readonly proof: "amount" | "signature"
  readonly issuedAtMs: number
  readonly expiresAtMs: number
  readonly client: string
  /** Payments of it that stand. */
  payments: number
  /** Whether it still counts as open: neither paid nor, when last looked at, expired. */
  open: boolean
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
  readonly claimant: string
  readonly provisional: boolean
  status: "credited" | "final" | "reversed"
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
  readonly debit: string
  readonly request: string
  readonly attempt: number
  readonly atMs: number
  ended: "settled" | "refunded" | undefined
}

/**
 * The fold of the ledger. It is changed in place: a copy for each of a million events would cost more than the events.
 * Who needs the state before an event folds again up to it.
 */
export interface State {
  /** The latest time of an event. */
  nowMs: number
  readonly accounts: Map<string, Account>
  /** Every token ever, by hash; revoked ones are not their account's token any more, or are marked. */
  readonly tokens: Map<string, Account>
  /** Accounts by the claimant that opened them with a memo. */
  readonly claimants: Map<string, Account>
  readonly purchases: Map<string, Purchase>
  /** Keys of the purchases that are not final, those that were reversed included: what the chain may still change. */
  readonly unfinal: Set<string>
  /** Units of all purchases that stand. */
  creditedUnits: number
  /** In order of issue, as all maps of quotes. */
  readonly quotes: Map<string, Quote>
  /** Quotes by their total; the latest last. */
  readonly totals: Map<number, ReadonlyArray<Quote>>
  /** Quotes that had not expired when the last one was issued. */
  readonly recentQuotes: Map<string, Quote>
  /** The recent quotes of each client. */
  readonly clients: Map<string, ReadonlyArray<Quote>>
  openQuotes: number
  /** In order of time. */
  readonly openDebits: Map<string, OpenDebit>
  /** The last ones that ended, in order. */
  readonly closedDebits: Map<string, ClosedDebit>
  /** Idempotency-Keys, in order of their last attempt. */
  readonly attempts: Map<string, Attempt>
}

/** The ledger before its first entry. */
export const initialState = (): State => ({
  nowMs: 0,
  accounts: new Map(),
  tokens: new Map(),
  claimants: new Map(),
  purchases: new Map(),
  unfinal: new Set(),
  creditedUnits: 0,
  quotes: new Map(),
  totals: new Map(),
  recentQuotes: new Map(),
  clients: new Map(),
  openQuotes: 0,
  openDebits: new Map(),
  closedDebits: new Map(),
  attempts: new Map(),
})
