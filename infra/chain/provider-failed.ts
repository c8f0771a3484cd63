import * as Schema from "effect/Schema"
import { HttpRequestError, ResponseBodyTooLargeError, RpcRequestError, TimeoutError } from "viem"
import { parseRetryAfter } from "../http/failure.ts"

const ERROR_CHARACTERS_READ = 512

/**
 * Why a provider gives no answer. `status`: an HTTP 5xx; `reverted`: the called contract reverted; `refused`: the provider
 * returned another error.
 */
const reasons = [
  "timeout",
  "unreachable",
  "status",
  "rate_limited",
  "too_large",
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

/** The reason of an error that a node answers with. */
export const reasonOf = (code: number, text: string): ProviderFailed["reason"] => {
  const message = text.slice(0, ERROR_CHARACTERS_READ)
  if (RATE_CODES.has(code) || RATE_TEXT.test(message)) return "rate_limited"
  return code === 3 || EXECUTION_TEXT.test(message) ? "reverted" : "refused"
}

/** Maps viem's exceptions. Their messages contain the URL, so none of their text is kept. */
export const explain = (cause: unknown): Pick<ProviderFailed, "reason" | "retryAfterMs"> => {
  if (cause instanceof TimeoutError) return { reason: "timeout", retryAfterMs: null }
  if (cause instanceof ResponseBodyTooLargeError) return { reason: "too_large", retryAfterMs: null }
  if (cause instanceof HttpRequestError || cause instanceof RpcRequestError) {
    const retryAfterMs = parseRetryAfter(cause.headers?.get("retry-after") ?? undefined, Date.now())
    if (cause.status === 429) return { reason: "rate_limited", retryAfterMs }
    if (cause instanceof RpcRequestError) return { reason: reasonOf(cause.code, cause.details), retryAfterMs }
    if (cause.status !== undefined) return { reason: cause.status >= 500 ? "status" : "refused", retryAfterMs }
    return { reason: cause.cause instanceof SyntaxError ? "undecodable" : "unreachable", retryAfterMs: null }
  }
  return { reason: "undecodable", retryAfterMs: null }
}

/** Whether the same call may succeed shortly. A timeout has used up the time. */
export const isTransient = ({ reason, retryAfterMs }: ProviderFailed): boolean =>
  reason === "unreachable" || reason === "status" || (reason === "rate_limited" && retryAfterMs === null)

/** Whether another server may answer at this URL next time. */
export const mayBeReplaced = ({ reason }: ProviderFailed): boolean =>
  reason === "timeout" || reason === "unreachable" || reason === "status"
