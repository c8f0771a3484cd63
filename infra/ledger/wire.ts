import { randomBytes } from "node:crypto"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type Answers, EntryRef, sentAnswers } from "../../ledger/answers.ts"
import { Claim, ClaimOutcome } from "../../ledger/buying/claim.ts"
import { ChainUnavailable } from "../../ledger/chain.port.ts"
import { BillingUnavailable, type DurableAnswer } from "../../ledger/client.ts"
import { type Command, SentCommand } from "../../ledger/command.ts"
import { REQUEST_ID } from "../../ledger/ids.ts"
import { Refusal } from "../../ledger/refusal.ts"
import { NonEmptyTextUpTo } from "../../schemas/values.ts"
import { openSealedText, SEAL_RANDOM_BYTES, sealText } from "../signing/sealed-text.ts"

// Requests and replies between processes and the one that holds the ledger: its messages as JSON, decoded where they arrive.

/** The edges of a process that may hold the ledger: their names in signatures, and their paths below the admin address. */
export const edges = {
  api: { name: "ledger-api", path: "/internal/ledger/api" },
  operator: { name: "ledger-operator", path: "/internal/ledger/operator" },
} as const
/** A user of the ledger in another process, with a secret of its own. */
export type EdgeName = keyof typeof edges
/** The path of claims: separate from commands, which must not wait for the chain. */
export const CLAIM_PATH = "/internal/ledger/api/claim"

/** HTTP status of a process that does not hold the ledger now. */
export const NOT_THE_WRITER = 421

/** Commands of one request at most. */
export const COMMANDS_MAX = 128

/** The only edge over which a command is accepted. */
const edgeOf = (command: SentCommand): EdgeName => {
  switch (command._tag) {
    case "issueQuote":
    case "revoke":
    case "debit":
    case "settle":
    case "reserve":
    case "endReservation":
    case "readAttempt":
      return "api"
    case "refund":
      return command.operator === null ? "api" : "operator"
    case "readAccount":
      return "token" in command.by ? "api" : "operator"
    case "grant":
    case "acceptClock":
    case "reissue":
    case "listAccounts":
      return "operator"
  }
}

/** The request of the public port that a message belongs to, for the log of the receiving process; null without one. */
const RequestId = Schema.NullOr(Schema.String.check(Schema.isPattern(REQUEST_ID)))

/**
 * The body of a request. Each command is decoded separately, so that an invalid one does not fail the others. `requests`:
 * the request that each command belongs to, in their order; absent where there is none.
 */
const decodeCommands = Schema.decodeUnknownResult(
  Schema.Struct({
    commands: Schema.Array(Schema.Unknown).check(Schema.isMaxLength(COMMANDS_MAX)),
    requests: Schema.optionalKey(Schema.Array(RequestId).check(Schema.isMaxLength(COMMANDS_MAX))),
  }),
)
const decodeCommand = Schema.decodeUnknownResult(SentCommand)

/** A command that arrived, null unless the edge accepts it, and the request that it belongs to. */
export interface ReceivedCommand {
  readonly command: SentCommand | null
  readonly request: string | null
}

/** The commands of a request's parsed body; null for a body that is no such request. */
export const readRequest = (body: unknown, edge: EdgeName): ReadonlyArray<ReceivedCommand> | null => {
  const decoded = decodeCommands(body)
  if (Result.isFailure(decoded)) return null
  const { commands, requests } = decoded.success
  if (requests !== undefined && requests.length !== commands.length) return null
  return commands.map((one, at) => {
    const command = decodeCommand(one)
    const isAccepted = Result.isSuccess(command) && edgeOf(command.success) === edge
    return { command: isAccepted ? command.success : null, request: requests?.[at] ?? null }
  })
}

// A claim is sent alone. Memo, signature and claim key are sealed, as they are worth credits to a reader.

const PURPOSE = "claim"
const { memo, signature, claimKey, ...openly } = Claim.fields
const decodeClaim = Schema.decodeUnknownResult(
  Schema.Struct({ ...openly, sealed: NonEmptyTextUpTo(60_000), request: RequestId }),
)
const decodeSealed = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Struct({ memo, signature, claimKey })))

/** The body of a claim's request. `secret` is the edge's current one; `request` the public port's that it belongs to. */
export const writeClaim = (
  { memo, signature, claimKey, ...rest }: Claim,
  secret: string,
  request: string | null = null,
): string =>
  JSON.stringify({
    ...rest,
    request,
    sealed: sealText(secret, PURPOSE, JSON.stringify({ memo, signature, claimKey }), randomBytes(SEAL_RANDOM_BYTES)),
  })

/** The claim of a request's parsed body; null if it is none, or was sealed with another secret. */
export const readClaim = (
  body: unknown,
  secrets: ReadonlyArray<string>,
): { readonly claim: Claim; readonly request: string | null } | null => {
  const claim = decodeClaim(body)
  if (Result.isFailure(claim)) return null
  const { sealed, request, ...rest } = claim.success
  const shown = decodeSealed(openSealedText(secrets, PURPOSE, sealed))
  return Result.isFailure(shown) ? null : { claim: { ...rest, ...shown.success }, request }
}

/** The outcome of a command. */
export type Outcome = Result.Result<DurableAnswer<Answers[keyof Answers]>, Refusal | BillingUnavailable>
/** The outcome of a claim. */
export type ClaimResult = Result.Result<ClaimOutcome, Refusal | BillingUnavailable | ChainUnavailable>

const Failure = Schema.Union([Refusal, BillingUnavailable, ChainUnavailable])

const decodeReplies = Schema.decodeUnknownResult(
  Schema.fromJsonString(
    Schema.Struct({
      results: Schema.Array(
        Schema.Union([
          Schema.Struct({ answer: Schema.Unknown, entries: Schema.Array(EntryRef), atMs: Schema.Finite }),
          Schema.Struct({ refusal: Schema.Union([Refusal, BillingUnavailable]) }),
        ]),
      ).check(Schema.isMaxLength(COMMANDS_MAX)),
    }),
  ),
)
const decodeAnswers = new Map(
  Object.entries<Schema.Codec<Answers[keyof Answers], unknown>>(sentAnswers).map(([tag, answer]) => [
    tag,
    Schema.decodeUnknownResult(answer),
  ]),
)
const decodeClaimReply = Schema.decodeUnknownResult(
  Schema.fromJsonString(Schema.Union([Schema.Struct({ outcome: ClaimOutcome }), Schema.Struct({ refusal: Failure })])),
)

/** A failure as plain data: errors have members that are not sent. */
const writeFailure = (failure: typeof Failure.Type): object => {
  switch (failure._tag) {
    case "billing_unavailable": {
      const { _tag, reason, retryAfterSeconds } = failure
      return { _tag, reason, retryAfterSeconds }
    }
    case "ChainUnavailable": {
      const { _tag, problem, retryAfterSeconds, of } = failure
      return { _tag, problem, retryAfterSeconds, of }
    }
    default:
      return failure
  }
}

/** The body of a reply: one result for each command, in their order. */
export const writeReply = (outcomes: ReadonlyArray<Outcome>): { readonly results: ReadonlyArray<unknown> } => ({
  results: outcomes.map((outcome) =>
    Result.isSuccess(outcome) ? outcome.success : { refusal: writeFailure(outcome.failure) },
  ),
})

const UNKNOWN: Outcome = Result.fail(new BillingUnavailable({ reason: "unknown", retryAfterSeconds: 5 }))

/** The outcome of each command of a request, from its reply; null for a text that is no reply to it. */
export const readReply = (text: string, commands: ReadonlyArray<Command>): ReadonlyArray<Outcome> | null => {
  const reply = decodeReplies(text)
  if (Result.isFailure(reply) || reply.success.results.length !== commands.length) return null
  return reply.success.results.map((result, index): Outcome => {
    if ("refusal" in result) return Result.fail(result.refusal)
    const answer = decodeAnswers.get(commands[index]?._tag ?? "")?.(result.answer)
    if (answer === undefined || Result.isFailure(answer)) return UNKNOWN
    return Result.succeed({ answer: answer.success, entries: result.entries, atMs: result.atMs })
  })
}

/** The body of a claim's reply. */
export const writeClaimReply = (claimed: ClaimResult): object =>
  Result.isSuccess(claimed) ? { outcome: claimed.success } : { refusal: writeFailure(claimed.failure) }

/** The result in a claim's reply; null for a text that is no reply. */
export const readClaimReply = (text: string): ClaimResult | null => {
  const reply = decodeClaimReply(text)
  if (Result.isFailure(reply)) return null
  return "outcome" in reply.success ? Result.succeed(reply.success.outcome) : Result.fail(reply.success.refusal)
}
