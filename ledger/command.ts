import type { NoChargeReason, Payment, QuoteClient } from "../schemas/events/ledger.ts"
import type { Block, Transaction } from "./chain.port.ts"

/** A token that the caller has made, by its hash, and what its HMAC speaks of. */
export interface TokenCandidate extends TokenWanted {
  readonly kid: string
  readonly hash: string
}

/** What the HMAC of a token must speak of. */
export interface TokenWanted {
  /** `memo/<hash>`, `payer/<address>` or `grant/<account>`. */
  readonly claimant: string
  /** The transaction of the first payment, or the account of a grant. */
  readonly origin: string
  readonly generation: number
}

/** Asks for a quote. */
export interface IssueQuote {
  readonly _tag: "issueQuote"
  readonly askedCents: number
  /** keccak-256 of a memo that was made for this quote. */
  readonly memoHash: string
  /** A random tail, 1 to 9,999; the next free one is taken. */
  readonly tail: number
  readonly client: QuoteClient
}

/** Claims what a transaction has paid. */
export interface Confirm {
  readonly _tag: "confirm"
  /** keccak-256 of the memo that was shown; null when none was. */
  readonly memoHash: string | null
  /** Who signed the text that names this transaction and this memo's hash (or "no memo"), as verified; null without. */
  readonly signer: string | null
  /** Hash of the bearer token to which the credits are to be added; null to get a token. */
  readonly bearer: string | null
  /** Null when the chain knows no such transaction, or it failed. */
  readonly transaction: Transaction | null
  /** Id of the account, should one be opened. */
  readonly newAccount: string
  /** A token, should one be issued; without the right one the refusal says which is wanted. */
  readonly token: TokenCandidate | null
}

/** Tells where the chain has a payment now: of the watcher. */
export interface Observe {
  readonly _tag: "observe"
  readonly payment: Payment
  /** Null when its transaction is not, or no more, in the chain, or has no such transfer there. */
  readonly seen: {
    readonly block: Block
    readonly logIndex: number
    readonly payer: string
    readonly units: number
    /** The word that its payer names on the chain, as `namedHashOf` reads it. */
    readonly namedHash: string | null
    /** Units of all transfers of its transaction to the wallet. */
    readonly transactionUnits: number
    /** Its own block included. */
    readonly confirmations: number
    readonly depth: Transaction["depth"]
  } | null
}

/** Says that a look did not find a purchase in the chain: of the watcher. */
export interface Doubt {
  readonly _tag: "doubt"
  readonly payment: Payment
  /** The block in which it was credited, as the look knew it. */
  readonly blockHash: string
  /** The newest block of which the chain knew before the look. */
  readonly head: number
}

/** Says that a look has found a doubted purchase where it was credited: of the watcher. */
export interface Trust {
  readonly _tag: "trust"
  readonly payment: Payment
  readonly blockHash: string
}

/** Gives up a token. */
export interface Revoke {
  readonly _tag: "revoke"
  readonly token: string
  /** Whether its holder knows that only an operator can bring a token back where an operator has opened the account. */
  readonly confirmed: boolean
}

/** Takes credits for a call, before it is served. */
export interface Debit {
  readonly _tag: "debit"
  /** Hash of the bearer token; null when none was sent. */
  readonly token: string | null
  readonly credits: number
  readonly purpose: string
  /** Id of the debit, unless `idempotency` gives it one. */
  readonly debit: string
  /** Whether the call may turn out to be free of charge by what comes of it, other than by our own failure. */
  readonly mayEndFree: boolean
  /** SHA-256 of the Idempotency-Key, and of method, path and sorted query. */
  readonly idempotency: { readonly key: string; readonly request: string } | null
}

/** Ends a debit: the call can be answered. */
export interface Settle {
  readonly _tag: "settle"
  readonly debit: string
  /** Why it is to be free of charge; null when it is charged. `client_gone` is charged where the allowance is spent. */
  readonly noChargeReason: NoChargeReason | null
}

/** Gives a debit back. */
export interface Refund {
  readonly _tag: "refund"
  readonly debit: string
  /** Null when who reserved it releases it; only an operator refunds a settled one. */
  readonly operator: { readonly name: string; readonly note: string } | null
}

/** Gives back debits that were not settled in time, at most `ORPHANS_PER_COMMAND_MAX` of them. */
export interface RefundOrphans {
  readonly _tag: "refundOrphans"
}

/** Gives credits. */
export interface Grant {
  readonly _tag: "grant"
  /** An account that exists, or a new id: a new account needs a token. */
  readonly account: string
  readonly credits: number
  readonly operator: string
  readonly reason: string
  readonly payment: Payment | null
  readonly token: TokenCandidate | null
}

/** Takes the clock of the ledger's machine as it is, against its doubt: an operator has looked. */
export interface AcceptClock {
  readonly _tag: "acceptClock"
  readonly operator: string
  readonly reason: string
}

/** Gives an account a new token by hand. */
export interface Reissue {
  readonly _tag: "reissue"
  readonly account: string
  readonly operator: string
  readonly reason: string
  /** The token; without the right one the refusal says which is wanted. */
  readonly token: TokenCandidate | null
}

/** Lists accounts in the order of their opening, at most `ACCOUNTS_PAGE_MAX` of them: for operators. */
export interface ListAccounts {
  readonly _tag: "listAccounts"
  /** The place of the last account of the page before; -1 for the first page. */
  readonly after: number
}

/** Reads an account. */
export interface ReadAccount {
  readonly _tag: "readAccount"
  /** By the hash of its token, or by its id (operators). */
  readonly by: { readonly token: string | null } | { readonly account: string }
}

/** Reads the payments that the chain may still change, at most `UNFINAL_PAGE_MAX` of them: of the watcher. */
export interface ListUnfinal {
  readonly _tag: "listUnfinal"
  /** The last payment of the page before, as its text; null for the first page. */
  readonly after: string | null
}

/** Asks what became of an Idempotency-Key, for a call that needs no debit. */
export interface ReadAttempt {
  readonly _tag: "readAttempt"
  /** Hash of the bearer token; null when none was sent. */
  readonly token: string | null
  /** As a debit has them. */
  readonly idempotency: { readonly key: string; readonly request: string }
}

/** What the ledger can be asked to do. The writer adds the time at which the command has its turn. */
export type Command =
  | IssueQuote
  | Confirm
  | Observe
  | Doubt
  | Trust
  | Revoke
  | Debit
  | Settle
  | Refund
  | RefundOrphans
  | Grant
  | AcceptClock
  | Reissue
  | ListAccounts
  | ReadAccount
  | ReadAttempt
  | ListUnfinal
