import { Result, Schema } from "effect"
import { type Answered, BillingUnavailable } from "../../ledger/client.ts"
import type { Answers, Command, Refusal } from "../../ledger/command.ts"
import { Address, NoChargeReason, Payment, QuoteClient, Sha256, Word } from "../../schemas/events/ledger.ts"
import { NonEmptyTextUpTo } from "../../schemas/text.ts"

// What goes between api processes and the ledger's: commands in, answers out, both decoded where they arrive.

const Name = NonEmptyTextUpTo(200)
const Note = NonEmptyTextUpTo(500)
const TRANSFERS_MAX = 10_000

const TokenWanted = Schema.Struct({ claimant: Name, origin: Name, generation: Schema.Natural })
const TokenOf = Schema.Struct({ ...TokenWanted.fields, kid: Name })
const TokenCandidate = Schema.Struct({ ...TokenOf.fields, hash: Sha256 })

const Block = Schema.Struct({ hash: Word, number: Schema.Natural, atMs: Schema.Finite })
const Depth = Schema.Literals(["latest", "safe", "finalized"])
const Transfer = Schema.Struct({
  position: Schema.Natural,
  logIndex: Schema.Natural,
  payer: Address,
  units: Schema.Natural,
  authorization: Schema.NullOr(Schema.Struct({ authorizer: Address, nonce: Word })),
})
const Transaction = Schema.Struct({
  chainId: Schema.Natural,
  hash: Word,
  contract: Address,
  block: Block,
  confirmations: Schema.Natural,
  depth: Depth,
  call: Schema.Struct({
    from: Address,
    to: Schema.NullOr(Address),
    selector: Schema.NullOr(NonEmptyTextUpTo(10)),
    argument: Schema.NullOr(Word),
  }),
  transfers: Schema.Array(Transfer).check(Schema.isMaxLength(TRANSFERS_MAX)),
})

const commandOf = {
  issueQuote: Schema.TaggedStruct("issueQuote", {
    askedCents: Schema.Natural,
    memoHash: Word,
    tail: Schema.Natural,
    client: QuoteClient,
  }),
  confirm: Schema.TaggedStruct("confirm", {
    memoHash: Schema.NullOr(Word),
    signer: Schema.NullOr(Address),
    bearer: Schema.NullOr(Sha256),
    transaction: Schema.NullOr(Transaction),
    newAccount: Name,
    token: Schema.NullOr(TokenCandidate),
  }),
  observe: Schema.TaggedStruct("observe", {
    payment: Payment,
    seen: Schema.NullOr(
      Schema.Struct({
        block: Block,
        logIndex: Schema.Natural,
        payer: Address,
        units: Schema.Natural,
        namedHash: Schema.NullOr(Word),
        transactionUnits: Schema.Natural,
        confirmations: Schema.Natural,
        depth: Depth,
      }),
    ),
  }),
  doubt: Schema.TaggedStruct("doubt", { payment: Payment, blockHash: Word, head: Schema.Natural }),
  trust: Schema.TaggedStruct("trust", { payment: Payment, blockHash: Word }),
  revoke: Schema.TaggedStruct("revoke", { token: Sha256 }),
  debit: Schema.TaggedStruct("debit", {
    token: Schema.NullOr(Sha256),
    credits: Schema.Natural,
    purpose: Name,
    debit: Name,
    mayEndFree: Schema.Boolean,
    idempotency: Schema.NullOr(Schema.Struct({ key: Sha256, request: Sha256 })),
  }),
  settle: Schema.TaggedStruct("settle", { debit: Name, noChargeReason: Schema.NullOr(NoChargeReason) }),
  refund: Schema.TaggedStruct("refund", {
    debit: Name,
    operator: Schema.NullOr(Schema.Struct({ name: Name, note: Note })),
  }),
  refundOrphans: Schema.TaggedStruct("refundOrphans", {}),
  grant: Schema.TaggedStruct("grant", {
    account: Name,
    credits: Schema.Natural,
    operator: Name,
    reason: Note,
    payment: Schema.NullOr(Payment),
    token: Schema.NullOr(TokenCandidate),
  }),
  readAccount: Schema.TaggedStruct("readAccount", {
    by: Schema.Union([Schema.Struct({ token: Schema.NullOr(Sha256) }), Schema.Struct({ account: Name })]),
  }),
  readAttempt: Schema.TaggedStruct("readAttempt", {
    token: Schema.NullOr(Sha256),
    idempotency: Schema.Struct({ key: Sha256, request: Sha256 }),
  }),
  listUnfinal: Schema.TaggedStruct("listUnfinal", { after: Schema.NullOr(Name) }),
} satisfies { readonly [Tag in Command["_tag"]]: Schema.Codec<Extract<Command, { readonly _tag: Tag }>, unknown> }

const CommandSchema: Schema.Codec<Command, unknown> = Schema.Union(Object.values(commandOf))

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

const answerOf: { readonly [Tag in Command["_tag"]]: Schema.Codec<Answers[Tag], unknown> } = {
  issueQuote: Schema.Struct({
    totalUnits: Schema.Natural,
    credits: Schema.Natural,
    proof: Schema.Literals(["amount", "signature"]),
    expiresAtMs: Schema.Finite,
  }),
  confirm: Schema.Struct({
    account: Name,
    credits: Schema.Natural,
    balance: Schema.Natural,
    provisional: Schema.Boolean,
    token: Schema.NullOr(TokenOf),
    purchases,
  }),
  observe: Schema.Struct({ became: Schema.Literals(["unchanged", "reversed", "moved", "credited", "final"]) }),
  doubt: Schema.Struct({ became: Schema.Literals(["unchanged", "doubted", "reversed"]) }),
  trust: Schema.Struct({ became: Schema.Literals(["unchanged", "trusted"]) }),
  revoke: Schema.Struct({ account: Name, balance: Schema.Natural }),
  debit: Schema.Struct({ debit: Name, account: Name, balance: Schema.Natural, replayed: Schema.Boolean }),
  settle: Schema.Struct({
    account: Name,
    charged: Schema.Natural,
    returned: Schema.Natural,
    balance: Schema.Natural,
  }),
  refund: Schema.Struct({ account: Name, credits: Schema.Natural, balance: Schema.Natural }),
  refundOrphans: Schema.Struct({ refunded: Schema.Natural }),
  grant: Schema.Struct({ account: Name, balance: Schema.Natural, token: Schema.NullOr(TokenOf) }),
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
  listUnfinal: Schema.Struct({
    purchases: Schema.Array(
      Schema.Struct({
        key: Name,
        payment: Payment,
        payer: Schema.String,
        units: Schema.Natural,
        namedHash: Schema.NullOr(Schema.String),
        blockHash: Schema.String,
        blockNumber: Schema.Natural,
        creditedAtMs: Schema.Finite,
        doubted: Schema.Boolean,
        status: Schema.Literals(["credited", "reversed"]),
      }),
    ),
    more: Schema.Boolean,
    creditedUnits: Schema.Natural,
  }),
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
  "already_credited",
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

const RefusalSchema: Schema.Codec<Refusal, unknown> = Schema.Union([
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

const Unavailable = Schema.Struct({
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
const decodeCommand = Schema.decodeUnknownResult(CommandSchema)
const decodeReplyText = Schema.decodeUnknownResult(Schema.fromJsonString(Reply))
const answerDecoders = new Map(
  Object.entries<Schema.Codec<Answers[keyof Answers], unknown>>(answerOf).map(([tag, schema]) => [
    tag,
    Schema.decodeUnknownResult(schema),
  ]),
)

/** The commands of a request's parsed body: null for one that is none; null for the whole where it is no such request. */
export const readRequest = (body: unknown): ReadonlyArray<Command | null> | null => {
  const request = decodeRequestBody(body)
  if (Result.isFailure(request)) return null
  return request.success.commands.map((one) => Result.getOrElse(decodeCommand(one), () => null))
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
