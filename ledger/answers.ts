import type { Opener, Payment } from "../schemas/events/ledger.ts"
import type { Command, TokenWanted } from "./command.ts"

/** What brings a token of an account back: its opener. */
export interface WayBack {
  readonly by: "memo" | "payer" | "operator"
  /** The transaction to confirm; null for an operator, or where no purchase of the memo stands. */
  readonly transaction: string | null
  /** The memo's hash, or the payer; null for an operator. */
  readonly shown: string | null
}

/** A purchase as its buyer may see it. */
export interface PurchaseSummary {
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
    readonly purchases: ReadonlyArray<PurchaseSummary>
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
  readonly listAccounts: { readonly accounts: ReadonlyArray<AccountSummary>; readonly more: boolean }
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
    /** The newest, at most `PURCHASES_LISTED_MAX`. */
    readonly purchases: ReadonlyArray<PurchaseSummary>
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
