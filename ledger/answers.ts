import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Name, Opener, type Payment, Sha256, Word } from "../schemas/events/ledger.ts"
import { type Command, DerivableToken, type SentCommand } from "./command.ts"
import type { BillingUnavailable, Refusal } from "./refusal.ts"

/** A purchase as its buyer sees it. */
const PurchaseSummary = Schema.Struct({
  /** `paymentKey` of its payment. */
  payment: Schema.String,
  units: Schema.Natural,
  credits: Schema.Natural,
  blockNumber: Schema.Natural,
  creditedAtMs: Schema.Finite,
  provisional: Schema.Boolean,
  status: Schema.Literals(["credited", "final", "reversed"]),
})
export type PurchaseSummary = typeof PurchaseSummary.Type

/** The answer to a confirm, which an `api` process gets as the outcome of its claim. */
export const ConfirmAnswer = Schema.Struct({
  account: Name,
  /** Credits of this transaction that the account got, by this confirm or an earlier one. */
  credits: Schema.Natural,
  balance: Schema.Natural,
  provisional: Schema.Boolean,
  /** The token to derive again for the caller; null when the bearer's account was credited. */
  token: Schema.NullOr(DerivableToken),
  purchases: Schema.Array(PurchaseSummary),
})

/** How the owner of an account gets a token again: by showing what opened it. */
const WayBack = Schema.Struct({
  by: Schema.Literals(["memo", "payer", "operator"]),
  /** The transaction to confirm; null for an operator, or where no purchase of the memo stands. */
  transaction: Schema.NullOr(Word),
  /** The memo's hash, or the payer; null for an operator. */
  shown: Schema.NullOr(Name),
})
export type WayBack = typeof WayBack.Type

/** An account in the operators' list. */
const AccountSummary = Schema.Struct({
  /** Its number, in order of opening, from 0. */
  place: Schema.Natural,
  account: Name,
  balance: Schema.Natural,
  shortfall: Schema.Natural,
  /** Null for an account without a token yet. */
  opener: Schema.NullOr(Opener),
  token: Schema.Literals(["live", "revoked", "none"]),
  /** Purchases that stand. */
  purchaseCount: Schema.Natural,
})
export type AccountSummary = typeof AccountSummary.Type

/** The answers to the commands that other processes send, by their tags. */
export const sentAnswers = {
  issueQuote: Schema.Struct({
    totalUnits: Schema.Natural,
    credits: Schema.Natural,
    proof: Schema.Literals(["amount", "signature"]),
    expiresAtMs: Schema.Finite,
  }),
  revoke: Schema.Struct({ account: Name, balance: Schema.Natural, wayBack: WayBack }),
  debit: Schema.Struct({
    debit: Name,
    account: Name,
    balance: Schema.Natural,
    /** True: this request was served and charged before; its stored reply is sent again, free of charge. */
    replayed: Schema.Boolean,
  }),
  settle: Schema.Struct({
    account: Name,
    charged: Schema.Natural,
    returned: Schema.Natural,
    balance: Schema.Natural,
  }),
  refund: Schema.Struct({ account: Name, credits: Schema.Natural, balance: Schema.Natural }),
  reserve: Schema.Struct({
    debit: Name,
    account: Name,
    /** After this reservation, also when its answer is repeated. */
    balance: Schema.Natural,
    /** Then the credits are returned, unless the reservation has ended. */
    expiresAtMs: Schema.Finite,
  }),
  endReservation: Schema.Struct({
    account: Name,
    charged: Schema.Natural,
    /** After this end, also when its answer is repeated. */
    balance: Schema.Natural,
  }),
  readAttempt: Schema.Struct({
    account: Name,
    balance: Schema.Natural,
    /** The debit whose stored reply is sent, free of charge; null when this request was not charged under the key. */
    replay: Schema.NullOr(Name),
  }),
  readAccount: Schema.Struct({
    account: Name,
    balance: Schema.Natural,
    shortfall: Schema.Natural,
    issuedAtMs: Schema.NullOr(Schema.Finite),
    /** The page that the command asks for, else the newest, at most `PURCHASES_LISTED_MAX`; none where it asks for none. */
    purchases: Schema.Array(PurchaseSummary),
    /** The payments of the account before those of the page; absent, as in processes of an earlier version, where no page is asked for. */
    earlier: Schema.optionalKey(Schema.Natural),
    /** Of all purchases that were not reversed. */
    purchaseCount: Schema.Natural,
    purchasedUnits: Schema.Natural,
    added: Schema.Natural,
    spent: Schema.Natural,
    /** The part of `spent` that the sister service charged. */
    spentBySister: Schema.Natural,
  }),
  grant: Schema.Struct({ account: Name, balance: Schema.Natural, token: Schema.NullOr(DerivableToken) }),
  acceptClock: Schema.Struct({ atMs: Schema.Finite }),
  reissue: Schema.Struct({ account: Name, balance: Schema.Natural, token: DerivableToken }),
  listAccounts: Schema.Struct({ accounts: Schema.Array(AccountSummary), more: Schema.Boolean }),
} satisfies { readonly [Tag in SentCommand["_tag"]]: Schema.Top }

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
  /** The wallet that was paid, and the USDC contract; absent where the ledger does not know them. */
  readonly wallet?: string
  readonly contract?: string
}

/** The answer to each accepted command, by its tag. */
export type Answers = {
  readonly [Tag in keyof typeof sentAnswers]: (typeof sentAnswers)[Tag]["Type"]
} & {
  readonly confirm: typeof ConfirmAnswer.Type
  /** Whether a quote has this memo, or an account was opened with it. */
  readonly readClaimant: { readonly memoKnown: boolean }
  readonly observe: { readonly became: "unchanged" | "reversed" | "moved" | "credited" | "final" }
  /** `reversed`: it was missed often and long enough. */
  readonly doubt: { readonly became: "unchanged" | "doubted" | "reversed" }
  readonly trust: { readonly became: "unchanged" | "trusted" }
  readonly listUnfinal: {
    readonly purchases: ReadonlyArray<UnfinalPurchase>
    readonly more: boolean
    /** Units of all purchases that stand. */
    readonly creditedUnits: number
  }
  readonly refundOrphans: { readonly refunded: number }
}

/** The answer to one type of command. */
export type AnswerTo<C extends Command> = Answers[C["_tag"]]

/** An entry that a command has written: the anchor of its receipt. */
export const EntryRef = Schema.Struct({
  sequence: Schema.Natural,
  /** Its place among the entries of its account, from 1; 0 for an entry that belongs to none. */
  accountSequence: Schema.Natural,
  hash: Sha256,
})
export type EntryRef = typeof EntryRef.Type

/** The answer to an accepted command, sent once its entries are durable. */
export interface DurableAnswer<Answer> {
  readonly answer: Answer
  /** The entries that it has written; none for a query. */
  readonly entries: ReadonlyArray<EntryRef>
  /** The time at which it was decided. */
  readonly atMs: number
}

/** The ledger as its callers use it, in whichever process its one writer runs. */
export interface LedgerClient {
  /**
   * Decides a command. Succeeds when its events are durable or, where it has none, once the writer has proved that it is
   * still the writer. Fails with a refusal or with `BillingUnavailable`; then nothing was written, except for the reason
   * `unknown`. An interrupted command may still be carried out.
   */
  readonly submit: <C extends Command>(
    command: C,
  ) => Effect.Effect<DurableAnswer<AnswerTo<C>>, Refusal | BillingUnavailable>
}
