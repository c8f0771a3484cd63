import { type Dispatcher, fetch, type Response } from "undici"
import { parseRetryAfter } from "../http/failure.ts"
import { JsonUnreadable, type KeepElement, makeJsonReader } from "./json-reader.ts"
import type { ProviderFailed } from "./provider-failed.ts"

// One JSON-RPC call over HTTP. No text of a provider and no exception of the transport leaves this file, as both may hold
// the URL, and URLs hold keys.

/** The largest answer with another status than 200 that is read for its error. */
const ERROR_BYTES_MAX = 64 * 1024

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
  const document = await readDocument(response, undefined, ERROR_BYTES_MAX).catch(() => null)
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
