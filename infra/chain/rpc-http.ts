import * as Schema from "effect/Schema"
import { type Dispatcher, fetch, type Response } from "undici"
import { parseRetryAfter } from "../http/failure.ts"
import { JsonUnreadable, type KeepElement, makeJsonReader } from "./json-reader.ts"

// One JSON-RPC call over HTTP. No text of a provider and no exception of the transport leaves this file, as both may hold
// the URL, and URLs hold keys.

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

/** The largest answer with another status than 200 that is read for its error. */
const ERROR_MAX_BYTES = 64 * 1024

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

/** Where calls are sent. */
export interface RpcEndpoint {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly dispatcher: Dispatcher
}

/** The endpoint of a provider's URL. User and password of the URL become a header. */
export const rpcEndpointOf = (url: string, dispatcher: Dispatcher): RpcEndpoint => {
  const parsed = new URL(url)
  const { username, password } = parsed
  parsed.username = ""
  parsed.password = ""
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  const authorization = `Basic ${Buffer.from(credentials).toString("base64")}`
  return {
    url: parsed.href,
    headers: { "content-type": "application/json", ...(credentials === ":" ? {} : { authorization }) },
    dispatcher,
  }
}

/** A call without a usable answer. */
export class AnswerFailed extends Error {
  readonly reason: ProviderFailed["reason"]
  readonly retryAfterMs: number | null
  constructor(reason: ProviderFailed["reason"], retryAfterMs: number | null = null) {
    super(reason)
    this.reason = reason
    this.retryAfterMs = retryAfterMs
  }
}

/** Reads a document as it arrives. Fails with `AnswerFailed`, but for a connection that ends early. */
const readDocument = async ({ body }: Response, keep: KeepElement | undefined, bytesMax: number): Promise<unknown> => {
  const reader = makeJsonReader(keep)
  let bytes = 0
  try {
    for await (const chunk of body ?? []) {
      bytes += chunk.byteLength
      // Leaving the loop cancels the answer: the rest of it is not transferred.
      if (bytes > bytesMax) throw new AnswerFailed("too_large")
      reader.push(chunk)
    }
    const document = reader.end()
    if (document === undefined) throw new AnswerFailed("cut")
    return document.value
  } catch (cause) {
    if (cause instanceof JsonUnreadable)
      throw new AnswerFailed(cause.fault === "too_many_values" ? "too_large" : "undecodable")
    throw cause
  }
}

const isRpcError = (document: unknown): boolean =>
  typeof document === "object" && document !== null && "error" in document && typeof document.error === "object"

/** The answer of a status other than 2xx: providers send errors of JSON-RPC under any status. */
const readRefusal = async (response: Response): Promise<unknown> => {
  const { status, headers } = response
  const retryAfterMs = parseRetryAfter(headers.get("retry-after") ?? undefined, Date.now())
  if (status === 429) {
    await response.body?.cancel()
    throw new AnswerFailed("rate_limited", retryAfterMs)
  }
  const document = await readDocument(response, undefined, ERROR_MAX_BYTES).catch(() => null)
  if (isRpcError(document)) return document
  throw new AnswerFailed(status >= 500 ? "status" : status === 413 ? "too_large" : "refused", retryAfterMs)
}

/** Sends a call and reads its answer as it arrives, within bytes and a time. Rejects with `AnswerFailed` alone. */
export const postCall = async (
  { url, headers, dispatcher }: RpcEndpoint,
  call: {
    readonly method: string
    readonly parameters: ReadonlyArray<unknown>
    readonly keep: KeepElement | undefined
  },
  within: { readonly bytesMax: number; readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<unknown> => {
  const deadline = AbortSignal.timeout(within.timeoutMs)
  const request = { jsonrpc: "2.0", id: 1, method: call.method, params: call.parameters }
  let began = false
  try {
    const response = await fetch(url, {
      method: "POST",
      headers,
      body: JSON.stringify(request),
      // A key in the URL must not follow a redirect to another host.
      redirect: "error",
      signal: AbortSignal.any([within.signal, deadline]),
      dispatcher,
    })
    began = true
    return response.ok ? await readDocument(response, call.keep, within.bytesMax) : await readRefusal(response)
  } catch (cause) {
    if (cause instanceof AnswerFailed) throw cause
    throw new AnswerFailed(deadline.aborted ? "timeout" : began ? "cut" : "unreachable")
  }
}
