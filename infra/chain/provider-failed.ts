import * as Schema from "effect/Schema"

/**
 * Why a provider gives no answer. `status`: an HTTP 5xx; `too_large`: more bytes than its lane reads, or the provider says
 * so; `cut`: the answer ended before its end, or is empty; `reverted`: the called contract reverted; `refused`: the provider
 * returned another error.
 */
const reasons = [
  "timeout",
  "unreachable",
  "status",
  "rate_limited",
  "too_large",
  "cut",
  "undecodable",
  "refused",
  "reverted",
  "wrong_chain",
  "busy",
] as const

/** A provider gave no usable answer. Contains neither its URL nor its text, as both may hold keys. */
export class ProviderFailed extends Schema.TaggedError<ProviderFailed>()("ProviderFailed", {
  /** Place of the provider in the list, from 0. */
  provider: Schema.Int,
  reason: Schema.Literals(reasons),
  retryAfterMs: Schema.NullOr(Schema.Int),
}) {
  override get message() {
    return `provider ${this.provider}: ${this.reason}`
  }
}

const RATE_CODES: ReadonlySet<number> = new Set([429, -32005, -32007, -32016])
const RATE_TEXT = /rate limit|too many requests|request limit/i
/** How nodes word that a call ran and ended without a result. Only reverts have a code of their own. */
const EXECUTION_TEXT =
  /revert|out ?of ?gas|opcode|invalid ?jump|stack ?(under|over|limit)|write protection|state ?change ?during|out of bounds|code size|evm error/i

/** How providers word that they do not send an answer of this size. */
const SIZE_TEXT =
  /(?:response|result|payload)[^.]{0,40}(?:too (?:large|big)|exceed)|exceed[^.]{0,40}(?:response|result|payload)/i

/** The reason of an error that a node answers with. */
export const reasonOf = (code: number, message: string): ProviderFailed["reason"] => {
  if (RATE_CODES.has(code) || RATE_TEXT.test(message)) return "rate_limited"
  if (code === 3 || EXECUTION_TEXT.test(message)) return "reverted"
  return SIZE_TEXT.test(message) ? "too_large" : "refused"
}

/** Whether the same call may succeed shortly. A timeout has used up the time. */
export const isTransient = ({ reason, retryAfterMs }: ProviderFailed): boolean =>
  reason === "unreachable" ||
  reason === "status" ||
  reason === "cut" ||
  (reason === "rate_limited" && retryAfterMs === null)

/** Whether a receipt could not be read whole, though the provider may have it. */
export const isUnread = ({ reason }: ProviderFailed): boolean => reason === "too_large" || reason === "cut"

/** Whether another server may answer at this URL next time. */
export const mayBeReplaced = ({ reason }: ProviderFailed): boolean =>
  reason === "timeout" || reason === "unreachable" || reason === "status"
