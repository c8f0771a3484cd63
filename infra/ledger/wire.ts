import { Result, Schema } from "effect"
import type { Answers } from "../../ledger/answers.ts"
import { type Answered, BillingUnavailable } from "../../ledger/client.ts"
import type { Command } from "../../ledger/command.ts"
import type { Refusal } from "../../ledger/refusal.ts"
import { NoChargeReason, Opener, Payment, QuoteClient, Sha256, Word } from "../../schemas/events/ledger.ts"
import { NonEmptyTextUpTo } from "../../schemas/text.ts"
import type { EdgeName } from "./edges.ts"

// What goes between api processes and the ledger's: commands in, answers out, both decoded where they arrive.

export const Name = NonEmptyTextUpTo(200)
const Note = NonEmptyTextUpTo(500)

const TokenWanted = Schema.Struct({ claimant: Name, origin: Name, generation: Schema.Natural })
const TokenOf = Schema.Struct({ ...TokenWanted.fields, kid: Name })
/** A token that was made elsewhere, by its hash. */
export const TokenCandidate = Schema.Struct({ ...TokenOf.fields, hash: Sha256 })

const Idempotency = Schema.Struct({ key: Sha256, request: Sha256 })

/** What the API does, and nothing else: an edge takes only the commands of its list. */
const apiCommands = {
  issueQuote: Schema.TaggedStruct("issueQuote", {
    askedCents: Schema.Natural,
    memoHash: Word,
    tail: Schema.Natural,
    client: QuoteClient,
  }),
  revoke: Schema.TaggedStruct("revoke", { token: Sha256, confirmed: Schema.Boolean }),
  debit: Schema.TaggedStruct("debit", {
    token: Schema.NullOr(Sha256),
    credits: Schema.Natural,
    purpose: Name,
    debit: Name,
    mayEndFree: Schema.Boolean,
    idempotency: Schema.NullOr(Idempotency),
  }),
  settle: Schema.TaggedStruct("settle", { debit: Name, noChargeReason: Schema.NullOr(NoChargeReason) }),
  /** Of a debit that was reserved and not settled: its caller is gone. */
  refund: Schema.TaggedStruct("refund", { debit: Name, operator: Schema.Null }),
  readAccount: Schema.TaggedStruct("readAccount", { by: Schema.Struct({ token: Schema.NullOr(Sha256) }) }),
  readAttempt: Schema.TaggedStruct("readAttempt", { token: Schema.NullOr(Sha256), idempotency: Idempotency }),
}

/** What operators do. */
const operatorCommands = {
  refund: Schema.TaggedStruct("refund", { debit: Name, operator: Schema.Struct({ name: Name, note: Note }) }),
  grant: Schema.TaggedStruct("grant", {
    account: Name,
    credits: Schema.Natural,
    operator: Name,
    reason: Note,
    payment: Schema.NullOr(Payment),
    token: Schema.NullOr(TokenCandidate),
  }),
  acceptClock: Schema.TaggedStruct("acceptClock", { operator: Name, reason: Note }),
  reissue: Schema.TaggedStruct("reissue", {
    account: Name,
    operator: Name,
    reason: Note,
    token: Schema.NullOr(TokenCandidate),
  }),
  listAccounts: Schema.TaggedStruct("listAccounts", { after: Schema.Int }),
  readAccount: Schema.TaggedStruct("readAccount", { by: Schema.Struct({ account: Name }) }),
}

const commandsOf: Readonly<Record<EdgeName, Schema.Codec<Command, unknown>>> = {
  api: Schema.Union(Object.values(apiCommands)),
  operator: Schema.Union(Object.values(operatorCommands)),
}

const PurchaseSeen = Schema.Struct({
  payment: Schema.String,
  units: Schema.Natural,
  credits: Schema.Natural,
  blockNumber: Schema.Natural,
  creditedAtMs: Schema.Finite,
  provisional: Schema.Boolean,
  status: Schema.Literals(["credited", "final", "reversed"]),
})
const purchases = Schema.Array(PurchaseSeen)

/** The answer to a claim that was credited. */
export const ConfirmAnswer = Schema.Struct({
  account: Name,
  credits: Schema.Natural,
  balance: Schema.Natural,
  provisional: Schema.Boolean,
  token: Schema.NullOr(TokenOf),
  purchases,
})

/** Commands that come from another process. */
type SentTag = keyof typeof apiCommands | keyof typeof operatorCommands

const answerOf: { readonly [Tag in SentTag]: Schema.Codec<Answers[Tag], unknown> } = {
  issueQuote: Schema.Struct({
    totalUnits: Schema.Natural,
    credits: Schema.Natural,
    proof: Schema.Literals(["amount", "signature"]),
    expiresAtMs: Schema.Finite,
  }),
  revoke: Schema.Struct({
    account: Name,
    balance: Schema.Natural,
    wayBack: Schema.Struct({
      by: Schema.Literals(["memo", "payer", "operator"]),
      transaction: Schema.NullOr(Word),
      shown: Schema.NullOr(Name),
    }),
  }),
  debit: Schema.Struct({ debit: Name, account: Name, balance: Schema.Natural, replayed: Schema.Boolean }),
  settle: Schema.Struct({
    account: Name,
    charged: Schema.Natural,
    returned: Schema.Natural,
    balance: Schema.Natural,
  }),
  refund: Schema.Struct({ account: Name, credits: Schema.Natural, balance: Schema.Natural }),
  grant: Schema.Struct({ account: Name, balance: Schema.Natural, token: Schema.NullOr(TokenOf) }),
  acceptClock: Schema.Struct({ atMs: Schema.Finite }),
  reissue: Schema.Struct({ account: Name, balance: Schema.Natural, token: TokenOf }),
  listAccounts: Schema.Struct({
    accounts: Schema.Array(
      Schema.Struct({
        place: Schema.Natural,
        account: Name,
        balance: Schema.Natural,
        shortfall: Schema.Natural,
        opener: Schema.NullOr(Opener),
        token: Schema.Literals(["live", "revoked", "none"]),
        purchaseCount: Schema.Natural,
      }),
    ),
    more: Schema.Boolean,
  }),
  readAccount: Schema.Struct({
    account: Name,
    balance: Schema.Natural,
    shortfall: Schema.Natural,
    issuedAtMs: Schema.NullOr(Schema.Finite),
    purchases,
    purchaseCount: Schema.Natural,
    purchasedUnits: Schema.Natural,
    added: Schema.Natural,
    spent: Schema.Natural,
  }),
  readAttempt: Schema.Struct({ account: Name, balance: Schema.Natural, replay: Schema.NullOr(Name) }),
}

/** Refusals that say no more than their name. */
const plainRefusals = [
  "invalid_command",
  "invalid_amount",
  "memo_in_use",
  "missing_token",
  "invalid_token",
  "no_payment",
  "payer_proof_required",
  "confirmation_required",
  "unknown_debit",
  "debit_refunded",
  "debit_settled",
  "duplicate_debit",
  "key_in_flight",
  "key_reused",
  "unknown_account",
  "account_in_use",
  "final_purchase",
] as const

/** Every refusal, as it travels. */
export const RefusalSchema: Schema.Codec<Refusal, unknown> = Schema.Union([
  Schema.TaggedStruct("too_many_quotes", {
    of: Schema.Literals(["client", "network", "all"]),
    retryAfterMs: Schema.Finite,
  }),
  Schema.TaggedStruct("expired", { of: Schema.Literals(["token", "quote"]) }),
  Schema.TaggedStruct("insufficient_credits", {
    balance: Schema.Natural,
    shortfall: Schema.Natural,
    needed: Schema.Natural,
  }),
  Schema.TaggedStruct("free_allowance_spent", { retryAfterMs: Schema.Finite }),
  Schema.TaggedStruct("already_credited", {
    opener: Schema.Struct({
      by: Schema.Literals(["memo", "payer", "operator"]),
      shown: Schema.NullOr(Name),
      bearer: Schema.Boolean,
    }),
  }),
  Schema.TaggedStruct("too_small", { units: Schema.Natural }),
  Schema.TaggedStruct("pending", {
    confirmations: Schema.Natural,
    required: Schema.Union([Schema.Natural, Schema.Literal("safe")]),
  }),
  Schema.TaggedStruct("token_needed", { wanted: TokenWanted }),
  Schema.Struct({ _tag: Schema.Literals(plainRefusals) }),
])

/** Commands of one request at most. */
export const COMMANDS_MAX = 128

/** What a request holds: each command is decoded by itself, so that a wrong one does not spoil those beside it. */
const Request = Schema.Struct({ commands: Schema.Array(Schema.Unknown).check(Schema.isMaxLength(COMMANDS_MAX)) })

/** That the ledger cannot say now, as it travels. */
export const Unavailable = Schema.Struct({
  reason: BillingUnavailable.fields.reason,
  retryAfterSeconds: Schema.Natural,
})

const Told = Schema.Union([
  Schema.Struct({
    answer: Schema.Unknown,
    entries: Schema.Array(Schema.Struct({ sequence: Schema.Natural, hash: Sha256 })),
    atMs: Schema.Finite,
  }),
  Schema.Struct({ refusal: RefusalSchema }),
  Schema.Struct({ unavailable: Unavailable }),
])
const Reply = Schema.Struct({ results: Schema.Array(Told).check(Schema.isMaxLength(COMMANDS_MAX)) })

/** What became of one command. */
export type Outcome = Result.Result<Answered<Answers[keyof Answers]>, Refusal | BillingUnavailable>

const decodeRequestBody = Schema.decodeUnknownResult(Request)
const decodeCommand = {
  api: Schema.decodeUnknownResult(commandsOf.api),
  operator: Schema.decodeUnknownResult(commandsOf.operator),
}
const decodeReplyText = Schema.decodeUnknownResult(Schema.fromJsonString(Reply))
const answerDecoders = new Map(
  Object.entries<Schema.Codec<Answers[keyof Answers], unknown>>(answerOf).map(([tag, schema]) => [
    tag,
    Schema.decodeUnknownResult(schema),
  ]),
)

/**
 * The commands of a request's parsed body: null for one that is none, or that this edge does not take; null for the whole
 * where it is no such request.
 */
export const readRequest = (body: unknown, edge: EdgeName): ReadonlyArray<Command | null> | null => {
  const request = decodeRequestBody(body)
  if (Result.isFailure(request)) return null
  return request.success.commands.map((one) => Result.getOrElse(decodeCommand[edge](one), () => null))
}

/** The body of a reply: one result for each command, in their order. */
export const writeReply = (outcomes: ReadonlyArray<Outcome>): { readonly results: ReadonlyArray<unknown> } => ({
  results: outcomes.map((outcome) => {
    if (Result.isSuccess(outcome)) return outcome.success
    const { failure } = outcome
    if (failure._tag !== "billing_unavailable") return { refusal: failure }
    const { reason, retryAfterSeconds } = failure
    return { unavailable: { reason, retryAfterSeconds } }
  }),
})

const UNKNOWN: Outcome = Result.fail(new BillingUnavailable({ reason: "unknown", retryAfterSeconds: 5 }))

/** What a reply says of each of the commands that were asked; null where it is no reply to them. */
export const readReply = (text: string, commands: ReadonlyArray<Command>): ReadonlyArray<Outcome> | null => {
  const reply = decodeReplyText(text)
  if (Result.isFailure(reply) || reply.success.results.length !== commands.length) return null
  return reply.success.results.map((told, index): Outcome => {
    if ("refusal" in told) return Result.fail(told.refusal)
    if ("unavailable" in told) return Result.fail(new BillingUnavailable(told.unavailable))
    const answer = answerDecoders.get(commands[index]?._tag ?? "")?.(told.answer)
    if (answer === undefined || Result.isFailure(answer)) return UNKNOWN
    return Result.succeed({ answer: answer.success, entries: told.entries, atMs: told.atMs })
  })
}
