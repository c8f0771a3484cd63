import * as Schema from "effect/Schema"
import { Name, NoChargeReason, Note, Payment, QuoteClient, Sha256, Word } from "../schemas/events/ledger.ts"
import { ReservationId, SisterEndpoint } from "../schemas/sister-rail.ts"
import { NonEmptyTextUpTo } from "../schemas/values.ts"
import type { Block, Transaction } from "./chain.port.ts"

/** The text that the HMAC of a token covers. */
export const TokenWanted = Schema.Struct({
  /** `memo/<hash>`, `payer/<address>/<claim key hash>` or `grant/<account>`: longer than the name that it may hold. */
  claimant: NonEmptyTextUpTo(200),
  /** The transaction of the first payment, or the account of a grant. */
  origin: Name,
  generation: Schema.Natural,
})
export type TokenWanted = typeof TokenWanted.Type

/** A token that its caller can derive: the text that its HMAC covers, and the id of the key. */
export const DerivableToken = Schema.Struct({ ...TokenWanted.fields, kid: Name })

/** A token that the caller has made, by its hash. */
export const TokenCandidate = Schema.Struct({ ...DerivableToken.fields, hash: Sha256 })
export type TokenCandidate = typeof TokenCandidate.Type

const Idempotency = Schema.Struct({
  /** SHA-256 of the Idempotency-Key. */
  key: Sha256,
  /** SHA-256 of method, path and sorted query. */
  request: Sha256,
})

/** The hash of a bearer token; null without one. */
const BearerHash = Schema.NullOr(Sha256)

/**
 * The commands that other processes send too, by their tags. They are decoded where they arrive from another process, and
 * nowhere else.
 */
export const SentCommand = Schema.TaggedUnion({
  /** Issues a quote. */
  issueQuote: {
    askedCents: Schema.Natural,
    /** keccak-256 of a memo that was generated for this quote. */
    memoHash: Word,
    /** A random tail, 1 to 9,999; the quote gets the next free one. */
    tail: Schema.Natural,
    client: QuoteClient,
  },
  /** Revokes a token. */
  revoke: {
    token: Sha256,
    /** Needed for an account that an operator opened: only an operator can issue its next token. */
    confirmed: Schema.Boolean,
  },
  /** Reserves credits for a call before it is served. */
  debit: {
    token: BearerHash,
    credits: Schema.Natural,
    purpose: Name,
    /** Id of the debit, made for this call: its caller can settle or release it, also where the answer is lost. */
    debit: Name,
    /** Whether the call may end free of charge for another reason than a failure of this service. */
    mayEndFree: Schema.Boolean,
    idempotency: Schema.NullOr(Idempotency),
  },
  /** Ends a debit before the call is answered. */
  settle: {
    debit: Name,
    /** Why the call is free of charge; null to charge it. `client_gone` is charged once the day's allowance is spent. */
    noChargeReason: Schema.NullOr(NoChargeReason),
  },
  /** Refunds a debit. */
  refund: {
    debit: Name,
    /** Null when the caller that reserved it releases it; only an operator refunds a settled one. */
    operator: Schema.NullOr(Schema.Struct({ name: Name, note: Note })),
  },
  /** Reserves credits for a call of the sister service. The same reservation with the same members has the same answer. */
  reserve: {
    token: BearerHash,
    /** 1 to `SISTER_CREDITS_MAX`. */
    credits: Schema.Natural,
    endpoint: SisterEndpoint,
    /** The sister's own id of the call, whichever its token. */
    reservation: ReservationId,
  },
  /** Ends a reservation of the sister service: charged, or free of charge. */
  endReservation: { reservation: ReservationId, charged: Schema.Boolean },
  /** Looks up an Idempotency-Key, for a call that needs no debit. */
  readAttempt: { token: BearerHash, idempotency: Idempotency },
  /** Reads an account, by the hash of its token or, for operators, by its id. */
  readAccount: {
    by: Schema.Union([Schema.Struct({ token: BearerHash }), Schema.Struct({ account: Name })]),
    /** Whether the answer lists purchases; absent, as in processes of an earlier version: it does. */
    purchases: Schema.optionalKey(Schema.Boolean),
    /**
     * Lists one page, of the payments before this one by its number in the account; null: the newest. Absent, as in processes
     * of an earlier version: all that are listed.
     */
    before: Schema.optionalKey(Schema.NullOr(Schema.Natural)),
  },
  /** Grants credits on behalf of an operator. */
  grant: {
    /** An existing account, or a new id: a new account needs a token. */
    account: Name,
    credits: Schema.Natural,
    operator: Name,
    reason: Note,
    payment: Schema.NullOr(Payment),
    token: Schema.NullOr(TokenCandidate),
  },
  /** Accepts a doubted clock of the ledger's machine: an operator has checked it. */
  acceptClock: { operator: Name, reason: Note },
  /** Issues a new token for an account on behalf of an operator. */
  reissue: {
    account: Name,
    operator: Name,
    reason: Note,
    /** The token to issue; `token_needed` names the right one. */
    token: Schema.NullOr(TokenCandidate),
  },
  /** Lists accounts for operators, in the order of their opening, `ACCOUNTS_PAGE_MAX` a page. */
  listAccounts: {
    /** The place of the last account of the previous page; -1 for the first page. */
    after: Schema.Int,
  },
})
export type SentCommand = typeof SentCommand.Type

type Sent<Tag extends SentCommand["_tag"]> = Extract<SentCommand, { readonly _tag: Tag }>
export type IssueQuote = Sent<"issueQuote">
export type Revoke = Sent<"revoke">
export type Debit = Sent<"debit">
export type Settle = Sent<"settle">
export type Refund = Sent<"refund">
export type Reserve = Sent<"reserve">
export type EndReservation = Sent<"endReservation">
export type ReadAttempt = Sent<"readAttempt">
export type ReadAccount = Sent<"readAccount">
export type Grant = Sent<"grant">
export type Reissue = Sent<"reissue">
export type ListAccounts = Sent<"listAccounts">

// Commands that never leave the writer's process: they hold facts of the chain, which are taken from no other process.

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

/** Lists the payments that the chain may still change for the watcher, `UNFINAL_PAGE_MAX` a page. */
export interface ListUnfinal {
  readonly _tag: "listUnfinal"
  /** The key of the last payment of the previous page; null for the first page. */
  readonly after: string | null
}

/** Refunds debits that were not settled in time, at most `ORPHANS_PER_COMMAND_MAX` of them. */
export interface RefundOrphans {
  readonly _tag: "refundOrphans"
  /** Also the calls that are not overdue, since no process that could answer them lives; not the sister's. */
  readonly callsAreDead?: boolean
}

/** Every command of the ledger. The writer adds the time at which it is decided. */
export type Command = SentCommand | Confirm | ReadClaimant | Observe | Doubt | Trust | ListUnfinal | RefundOrphans
