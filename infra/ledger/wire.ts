import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Answers } from "../../ledger/answers.ts"
import { BillingUnavailable, type DurableAnswer } from "../../ledger/client.ts"
import type { Command } from "../../ledger/command.ts"
import type { Refusal } from "../../ledger/refusal.ts"
import { Sha256 } from "../../schemas/events/ledger.ts"
import type { EdgeName } from "./edges.ts"
import { readAnswer } from "./wire-answers.ts"
import { readCommand } from "./wire-commands.ts"
import { RequestId } from "./wire-members.ts"
import { RefusalSchema } from "./wire-refusals.ts"

// Requests and replies between api processes and the process that holds the ledger. Both are decoded where they arrive.

/** Commands of one request at most. */
export const COMMANDS_MAX = 128

/**
 * The body of a request. Each command is decoded separately, so that an invalid one does not fail the others. `requests`:
 * the request that each command belongs to, in their order; absent where there is none.
 */
const Request = Schema.Struct({
  commands: Schema.Array(Schema.Unknown).check(Schema.isMaxLength(COMMANDS_MAX)),
  requests: Schema.optionalKey(Schema.Array(RequestId).check(Schema.isMaxLength(COMMANDS_MAX))),
})

/** A command that arrived, null unless the edge accepts it, and the request that it belongs to. */
export interface ReceivedCommand {
  readonly command: Command | null
  readonly request: string | null
}

/** `BillingUnavailable`, as it is sent. */
export const Unavailable = Schema.Struct({
  reason: BillingUnavailable.fields.reason,
  retryAfterSeconds: Schema.Natural,
})

const CommandReply = Schema.Union([
  Schema.Struct({
    answer: Schema.Unknown,
    entries: Schema.Array(Schema.Struct({ sequence: Schema.Natural, accountSequence: Schema.Natural, hash: Sha256 })),
    atMs: Schema.Finite,
  }),
  Schema.Struct({ refusal: RefusalSchema }),
  Schema.Struct({ unavailable: Unavailable }),
])
const Reply = Schema.Struct({ results: Schema.Array(CommandReply).check(Schema.isMaxLength(COMMANDS_MAX)) })

/** The outcome of one command. */
export type Outcome = Result.Result<DurableAnswer<Answers[keyof Answers]>, Refusal | BillingUnavailable>

const decodeRequestBody = Schema.decodeUnknownResult(Request)
const decodeReplyText = Schema.decodeUnknownResult(Schema.fromJsonString(Reply))
/** The commands of a request's parsed body; null for a body that is no such request. */
export const readRequest = (body: unknown, edge: EdgeName): ReadonlyArray<ReceivedCommand> | null => {
  const decoded = decodeRequestBody(body)
  if (Result.isFailure(decoded)) return null
  const { commands, requests } = decoded.success
  if (requests !== undefined && requests.length !== commands.length) return null
  return commands.map((one, at) => ({ command: readCommand(one, edge), request: requests?.[at] ?? null }))
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

/** The outcome of each command of a request, from its reply; null for a text that is no reply to it. */
export const readReply = (text: string, commands: ReadonlyArray<Command>): ReadonlyArray<Outcome> | null => {
  const reply = decodeReplyText(text)
  if (Result.isFailure(reply) || reply.success.results.length !== commands.length) return null
  return reply.success.results.map((result, index): Outcome => {
    if ("refusal" in result) return Result.fail(result.refusal)
    if ("unavailable" in result) return Result.fail(new BillingUnavailable(result.unavailable))
    const answer = readAnswer(commands[index], result.answer)
    if (answer === undefined) return UNKNOWN
    return Result.succeed({ answer, entries: result.entries, atMs: result.atMs })
  })
}
