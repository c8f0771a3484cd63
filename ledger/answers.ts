import type { Opener, Payment } from "../schemas/events/ledger.ts"
import type { Command, TokenWanted } from "./command.ts"

/** How the owner of an account gets a token again: by showing what opened it. */
export interface WayBack {
  readonly by: "memo" | "payer" | "operator"
  /** The transaction to confirm; null for an operator, or where no purchase of the memo stands. */
  readonly transaction: string | null
  /** The memo's hash, or the payer; null for an operator. */
  readonly shown: string | null
}

/** A purchase as its buyer sees it. */
export interface PurchaseSummary {
  readonly payment: string
  readonly units: number
  readonly credits: number
  readonly blockNumber: number
  readonly creditedAtMs: number
  readonly provisional: boolean
  readonly status: "credited" | "final" | "reversed"
}

/** The members of an unfinal purchase that the watcher needs. */
export interface UnfinalPurchase {
  /** `paymentKey`; pages are in its order. */
  readonly key: string
  readonly payment: Payment
  readonly payer: string
  readonly units: number
  readonly namedHash: string | null
  readonly blockHash: string
  readonly blockNumber: number
  /** When it was last credited. */
  readonly creditedAtMs: number
  /** Whether a look missed it after it was last seen. */
  readonly doubted: boolean
  readonly status: "credited" | "reversed"
}

/** An account in the operators' list. */
export interface AccountSummary {
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

/** The answer to each accepted command, by its tag. */
export interface Answers {
  readonly issueQuote: {
    readonly totalUnits: number
    readonly credits: number
    readonly proof: "amount" | "signature"
    readonly expiresAtMs: number
  }
  readonly confirm: {
    readonly account: string
    /** Credits of this transaction that the account got, by this confirm or an earlier one. */
    readonly credits: number
    readonly balance: number
    readonly provisional: boolean
    /** The token to derive again for the caller; null when the bearer's account was credited. */
    readonly token: (TokenWanted & { readonly kid: string }) | null
    readonly purchases: ReadonlyArray<PurchaseSummary>
  }
  /** Whether a quote has this memo, or an account was opened with it. */
  readonly readClaimant: { readonly memoKnown: boolean }
  readonly observe: { readonly became: "unchanged" | "reversed" | "moved" | "credited" | "final" }
  /** `reversed`: it was missed often and long enough. */
  readonly doubt: { readonly became: "unchanged" | "doubted" | "reversed" }
  readonly trust: { readonly became: "unchanged" | "trusted" }
  readonly revoke: { readonly account: string; readonly balance: number; readonly wayBack: WayBack }
  readonly reissue: {
    readonly account: string
    readonly balance: number
    readonly token: TokenWanted & { readonly kid: string }
  }
  readonly listAccounts: { readonly accounts: ReadonlyArray<AccountSummary>; readonly more: boolean }
  readonly debit: {
    readonly debit: string
    readonly account: string
    readonly balance: number
    /** True: this request was served and charged before; its stored reply is sent again, free of charge. */
    readonly replayed: boolean
  }
  readonly settle: {
    readonly account: string
    readonly charged: number
    readonly returned: number
    readonly balance: number
  }
  readonly refund: { readonly account: string; readonly credits: number; readonly balance: number }
  readonly reserve: {
    readonly debit: string
    readonly account: string
    /** After this reservation, also when its answer is repeated. */
    readonly balance: number
    /** Then the credits are returned, unless the reservation has ended. */
    readonly expiresAtMs: number
  }
  readonly endReservation: {
    readonly account: string
    readonly charged: number
    /** After this end, also when its answer is repeated. */
    readonly balance: number
  }
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
    /** The newest, at most `PURCHASES_LISTED_MAX`. */
    readonly purchases: ReadonlyArray<PurchaseSummary>
    /** Of all purchases that were not reversed. */
    readonly purchaseCount: number
    readonly purchasedUnits: number
    readonly added: number
    readonly spent: number
    /** The part of `spent` that the sister service charged. */
    readonly spentBySister: number
  }
  readonly readAttempt: {
    readonly account: string
    readonly balance: number
    /** The debit whose stored reply is sent, free of charge; null when this request was not charged under the key. */
    readonly replay: string | null
  }
  readonly listUnfinal: {
    readonly purchases: ReadonlyArray<UnfinalPurchase>
    readonly more: boolean
    /** Units of all purchases that stand. */
    readonly creditedUnits: number
  }
}

/** The answer to one type of command. */
export type AnswerTo<C extends Command> = Answers[C["_tag"]]
