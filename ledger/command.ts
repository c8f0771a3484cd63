import type { NoChargeReason, Payment, QuoteClient } from "../schemas/events/ledger.ts"
import type { Block, Transaction } from "./chain.port.ts"

/** A token that the caller has made: its hash, and the text that its HMAC covers. */
export interface TokenCandidate extends TokenWanted {
  readonly kid: string
  readonly hash: string
}

/** The text that the HMAC of a token covers. */
export interface TokenWanted {
  /** `memo/<hash>`, `payer/<address>/<claim key hash>` or `grant/<account>`. */
  readonly claimant: string
  /** The transaction of the first payment, or the account of a grant. */
  readonly origin: string
  readonly generation: number
}

/** Issues a quote. */
export interface IssueQuote {
  readonly _tag: "issueQuote"
  readonly askedCents: number
  /** keccak-256 of a memo that was generated for this quote. */
  readonly memoHash: string
  /** A random tail, 1 to 9,999; the quote gets the next free one. */
  readonly tail: number
  readonly client: QuoteClient
}

/** Claims the payments of a transaction. */
export interface Confirm {
  readonly _tag: "confirm"
  /** keccak-256 of the memo in the request; null without one. */
  readonly memoHash: string | null
  /**
   * The verified signer of the text that names this transaction, this memo's hash (or "no memo"), where the credits go and
   * `signedUntil`; null without.
   */
  readonly signer: string | null
  /** SHA-256 of the claim key in the request, to which the credits go without bearer and memo; null without one. */
  readonly claimKeyHash: string | null
  /** The day (UTC, ISO) until which the signature may be used, as the signed text names it; null without a signature. */
  readonly signedUntil: string | null
  /** Hash of the bearer token whose account is credited; null to get a token. */
  readonly bearer: string | null
  /** Null when no block holds the transaction, or it was reverted. */
  readonly transaction: Transaction | null
  /** Id for a new account, if one is opened. */
  readonly newAccount: string
  /** The token to issue, if one is issued; `token_needed` names the right one. */
  readonly token: TokenCandidate | null
}

/** Asks what the ledger knows of a claimant, before the chain is asked for the payment. */
export interface ReadClaimant {
  readonly _tag: "readClaimant"
  /** keccak-256 of the memo in the request; null without one. */
  readonly memoHash: string | null
  /** Hash of the bearer token; null without one. It must be valid. */
  readonly bearer: string | null
}

/** Sent by the watcher: where a payment stands in the chain now. */
export interface Observe {
  readonly _tag: "observe"
  readonly payment: Payment
  /** Null when the chain does not hold its transaction (any more), or the transaction has no such transfer. */
  readonly seen: {
    readonly block: Block
    readonly logIndex: number
    readonly payer: string
    readonly units: number
    /** The hash that its payer names on the chain, as `namedHashOf` reads it. */
    readonly namedHash: string | null
    /** Units of all transfers of its transaction to the wallet. */
    readonly transactionUnits: number
    /** Its own block included. */
    readonly confirmations: number
    readonly depth: Transaction["depth"]
  } | null
}

/** Sent by the watcher: a look did not find a purchase in the chain. */
export interface Doubt {
  readonly _tag: "doubt"
  readonly payment: Payment
  /** The block in which it was credited when the look began. */
  readonly blockHash: string
  /** The number of the newest block before the look. */
  readonly head: number
}

/** Sent by the watcher: a look found a doubted purchase where it was credited. */
export interface Trust {
  readonly _tag: "trust"
  readonly payment: Payment
  readonly blockHash: string
}

/** Revokes a token. */
export interface Revoke {
  readonly _tag: "revoke"
  readonly token: string
  /** Needed for an account that an operator opened: only an operator can issue its next token. */
  readonly confirmed: boolean
}

/** Reserves credits for a call before it is served. */
export interface Debit {
  readonly _tag: "debit"
  /** Hash of the bearer token; null without one. */
  readonly token: string | null
  readonly credits: number
  readonly purpose: string
  /** Id of the debit, made for this call: its caller can settle or release it, also where the answer is lost. */
  readonly debit: string
  /** Whether the call may end free of charge for another reason than a failure of this service. */
  readonly mayEndFree: boolean
  /** SHA-256 of the Idempotency-Key, and of method, path and sorted query. */
  readonly idempotency: { readonly key: string; readonly request: string } | null
}

/** Ends a debit before the call is answered. */
export interface Settle {
  readonly _tag: "settle"
  readonly debit: string
  /** Why the call is free of charge; null to charge it. `client_gone` is charged once the day's allowance is spent. */
  readonly noChargeReason: NoChargeReason | null
}

/** Refunds a debit. */
export interface Refund {
  readonly _tag: "refund"
  readonly debit: string
  /** Null when the caller that reserved it releases it; only an operator refunds a settled one. */
  readonly operator: { readonly name: string; readonly note: string } | null
}

/** Reserves credits for a call of the sister service. The same reservation with the same members has the same answer. */
export interface Reserve {
  readonly _tag: "reserve"
  /** Hash of the bearer token; null without one. */
  readonly token: string | null
  /** 1 to `SISTER_CREDITS_MAX`. */
  readonly credits: number
  /** The endpoint of the sister service. */
  readonly endpoint: string
  /** The sister's own id of the call, whichever its token: 1 to 100 characters. */
  readonly reservation: string
}

/** Ends a reservation of the sister service: charged, or free of charge. */
export interface EndReservation {
  readonly _tag: "endReservation"
  readonly reservation: string
  readonly charged: boolean
}

/** Refunds debits that were not settled in time, at most `ORPHANS_PER_COMMAND_MAX` of them. */
export interface RefundOrphans {
  readonly _tag: "refundOrphans"
  /** Also the calls that are not overdue, since no process that could answer them lives; not the sister's. */
  readonly callsAreDead?: boolean
}

/** Grants credits. */
export interface Grant {
  readonly _tag: "grant"
  /** An existing account, or a new id: a new account needs a token. */
  readonly account: string
  readonly credits: number
  readonly operator: string
  readonly reason: string
  readonly payment: Payment | null
  readonly token: TokenCandidate | null
}

/** Accepts a doubted clock of the ledger's machine: an operator has checked it. */
interface AcceptClock {
  readonly _tag: "acceptClock"
  readonly operator: string
  readonly reason: string
}

/** Issues a new token for an account on behalf of an operator. */
export interface Reissue {
  readonly _tag: "reissue"
  readonly account: string
  readonly operator: string
  readonly reason: string
  /** The token to issue; `token_needed` names the right one. */
  readonly token: TokenCandidate | null
}

/** Lists accounts for operators, in the order of their opening, `ACCOUNTS_PAGE_MAX` a page. */
export interface ListAccounts {
  readonly _tag: "listAccounts"
  /** The place of the last account of the previous page; -1 for the first page. */
  readonly after: number
}

/** Reads an account. */
export interface ReadAccount {
  readonly _tag: "readAccount"
  /** By the hash of its token, or by its id (operators). */
  readonly by: { readonly token: string | null } | { readonly account: string }
}

/** Lists the payments that the chain may still change for the watcher, `UNFINAL_PAGE_MAX` a page. */
export interface ListUnfinal {
  readonly _tag: "listUnfinal"
  /** The key of the last payment of the previous page; null for the first page. */
  readonly after: string | null
}

/** Looks up an Idempotency-Key, for a call that needs no debit. */
export interface ReadAttempt {
  readonly _tag: "readAttempt"
  /** Hash of the bearer token; null without one. */
  readonly token: string | null
  /** As in a debit. */
  readonly idempotency: { readonly key: string; readonly request: string }
}

/** Every command of the ledger. The writer adds the time at which it is decided. */
export type Command =
  | IssueQuote
  | Confirm
  | ReadClaimant
  | Observe
  | Doubt
  | Trust
  | Revoke
  | Debit
  | Settle
  | Refund
  | Reserve
  | EndReservation
  | RefundOrphans
  | Grant
  | AcceptClock
  | Reissue
  | ListAccounts
  | ReadAccount
  | ReadAttempt
  | ListUnfinal
