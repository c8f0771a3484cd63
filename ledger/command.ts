import type { NoChargeReason, Opener, Payment, QuoteClient } from "../schemas/events/ledger.ts"
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

/** What brings a token of an account back: its opener. */
export interface WayBack {
  readonly by: "memo" | "payer" | "operator"
  /** The transaction to confirm; null for an operator, or where no purchase of the memo stands. */
  readonly transaction: string | null
  /** The memo's hash, or the payer; null for an operator. */
  readonly shown: string | null
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

/** Gives back debits that were not settled in time, at most `ORPHANS_EACH` of them. */
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

/** Lists accounts in the order of their opening, at most `ACCOUNTS_EACH` of them: for operators. */
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

/** Reads the payments that the chain may still change, at most `UNFINAL_EACH` of them: of the watcher. */
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

/** A purchase as its buyer may see it. */
export interface PurchaseSeen {
  readonly payment: string
  readonly units: number
  readonly credits: number
  readonly blockNumber: number
  readonly creditedAtMs: number
  readonly provisional: boolean
  readonly status: "credited" | "final" | "reversed"
}

/** A purchase that is not final, as the watcher must know it. */
export interface UnfinalPurchase {
  /** Its text, in whose order the pages are. */
  readonly key: string
  readonly payment: Payment
  readonly payer: string
  readonly units: number
  readonly namedHash: string | null
  readonly blockHash: string
  readonly blockNumber: number
  /** When it was credited last. */
  readonly creditedAtMs: number
  /** Whether a look has missed it since it was last seen. */
  readonly doubted: boolean
  readonly status: "credited" | "reversed"
}

/** An account as operators see it in a list. */
export interface AccountSeen {
  /** Its number, in order of opening, from 0. */
  readonly place: number
  readonly account: string
  readonly balance: number
  readonly shortfall: number
  /** Null for an account without a token yet. */
  readonly opener: Opener | null
  readonly token: "live" | "revoked" | "none"
  /** Purchases that stand. */
  readonly purchaseCount: number
}

/** What the ledger answers to a command that it accepts. */
export interface Answers {
  readonly issueQuote: {
    readonly totalUnits: number
    readonly credits: number
    readonly proof: "amount" | "signature"
    readonly expiresAtMs: number
  }
  readonly confirm: {
    readonly account: string
    /** Credits of this transaction that the account got, now or before. */
    readonly credits: number
    readonly balance: number
    readonly provisional: boolean
    /** Which token to make again for the caller; null when the credits went to the bearer's. */
    readonly token: (TokenWanted & { readonly kid: string }) | null
    readonly purchases: ReadonlyArray<PurchaseSeen>
  }
  readonly observe: { readonly became: "unchanged" | "reversed" | "moved" | "credited" | "final" }
  /** `reversed`: it was missed for long enough. */
  readonly doubt: { readonly became: "unchanged" | "doubted" | "reversed" }
  readonly trust: { readonly became: "unchanged" | "trusted" }
  readonly revoke: { readonly account: string; readonly balance: number; readonly wayBack: WayBack }
  readonly reissue: {
    readonly account: string
    readonly balance: number
    readonly token: TokenWanted & { readonly kid: string }
  }
  readonly listAccounts: { readonly accounts: ReadonlyArray<AccountSeen>; readonly more: boolean }
  readonly debit: {
    readonly debit: string
    readonly account: string
    readonly balance: number
    /** True: this request was served and charged before; the reply that was kept is due, free of charge. */
    readonly replayed: boolean
  }
  readonly settle: {
    readonly account: string
    readonly charged: number
    readonly returned: number
    readonly balance: number
  }
  readonly refund: { readonly account: string; readonly credits: number; readonly balance: number }
  readonly refundOrphans: { readonly refunded: number }
  readonly grant: {
    readonly account: string
    readonly balance: number
    readonly token: (TokenWanted & { readonly kid: string }) | null
  }
  readonly acceptClock: { readonly atMs: number }
  readonly readAccount: {
    readonly account: string
    readonly balance: number
    readonly shortfall: number
    readonly issuedAtMs: number | null
    /** The newest, at most `PURCHASES_TOLD_MAX`. */
    readonly purchases: ReadonlyArray<PurchaseSeen>
    /** Of all purchases that were not reversed. */
    readonly purchaseCount: number
    readonly purchasedUnits: number
    readonly added: number
    readonly spent: number
  }
  readonly readAttempt: {
    readonly account: string
    readonly balance: number
    /** The debit whose reply is due, free of charge; null when this request was not served and charged under the key. */
    readonly replay: string | null
  }
  readonly listUnfinal: {
    readonly purchases: ReadonlyArray<UnfinalPurchase>
    readonly more: boolean
    /** Units of all purchases that stand. */
    readonly creditedUnits: number
  }
}

/** The answer to a command of a type. */
export type AnswerTo<C extends Command> = Answers[C["_tag"]]

/** Whose a payment is that was credited before: what a caller may know of it who has shown that it is his business. */
export interface OpenerSeen {
  /** What the account was opened with that holds its credits. */
  readonly by: "memo" | "payer" | "operator"
  /** Which memo hash or payer that is, where its transaction shows it to everybody; else null. */
  readonly shown: string | null
  /** Whether the credits were added by the account's bearer token. */
  readonly bearer: boolean
}

/** Why the ledger says no. Nothing has happened, and the words are for the caller. */
export type Refusal =
  /** Its values do not have the form that the ledger keeps: a mistake of the caller's code. */
  | { readonly _tag: "invalid_command" }
  | { readonly _tag: "invalid_amount" }
  | { readonly _tag: "memo_in_use" }
  | { readonly _tag: "too_many_quotes"; readonly of: "client" | "network" | "all"; readonly retryAfterMs: number }
  | { readonly _tag: "missing_token" }
  | { readonly _tag: "invalid_token" }
  /** Of a token: it was revoked. Of a quote: its time is over and no payment of it is known. */
  | { readonly _tag: "expired"; readonly of: "token" | "quote" }
  | {
      readonly _tag: "insufficient_credits"
      readonly balance: number
      readonly shortfall: number
      readonly needed: number
    }
  /** Too many debits of this account have ended uncharged on this day of UTC. */
  | { readonly _tag: "free_allowance_spent"; readonly retryAfterMs: number }
  | { readonly _tag: "no_payment" }
  | { readonly _tag: "payer_proof_required" }
  | { readonly _tag: "already_credited"; readonly opener: OpenerSeen }
  | { readonly _tag: "too_small"; readonly units: number }
  | { readonly _tag: "pending"; readonly confirmations: number; readonly required: number | "safe" }
  | { readonly _tag: "token_needed"; readonly wanted: TokenWanted }
  /** Only an operator could bring a token of this account back: its holder must say that he knows. */
  | { readonly _tag: "confirmation_required" }
  | { readonly _tag: "unknown_debit" }
  | { readonly _tag: "debit_refunded" }
  | { readonly _tag: "debit_settled" }
  | { readonly _tag: "duplicate_debit" }
  /** The Idempotency-Key is in flight, or was sent with another request. */
  | { readonly _tag: "key_in_flight" }
  | { readonly _tag: "key_reused" }
  | { readonly _tag: "unknown_account" }
  | { readonly _tag: "account_in_use" }
  | { readonly _tag: "final_purchase" }
