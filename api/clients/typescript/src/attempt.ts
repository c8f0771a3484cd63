import type { Operation } from "../operations.js"
import type { Deadline } from "./deadline.ts"
import { type FailedCall, UnreadableReplyError } from "./errors.ts"
import { queryOf, type Sent } from "./sent.ts"

/** A request, ready to be sent any number of times. */
export interface PreparedRequest {
  readonly url: string
  readonly init: RequestInit
  readonly query: Readonly<Record<string, string>>
}

/** A response whose body was read. */
export interface ReadResponse {
  readonly status: number
  readonly headers: Headers
  /** The decoded JSON, a text, or null without a body. */
  readonly body: unknown
}

const JSON_TYPE = /^application\/(?:[a-z0-9.+-]*\+)?json$/

/** Makes the request of a call. `token` is sent only where the operation takes one. Throws a `TypeError` for a key or token that no header can hold. */
export const prepareRequest = (
  baseUrl: string,
  operation: Operation,
  { parameters, body }: Sent,
  { token, idempotencyKey }: { readonly token: string | undefined; readonly idempotencyKey: string | null },
): PreparedRequest => {
  const query = queryOf(parameters)
  const search = new URLSearchParams(query).toString()
  const headers = new Headers({ accept: operation.accept })
  if (token !== undefined && operation.bearer !== "none") headers.set("authorization", `Bearer ${token}`)
  if (idempotencyKey !== null) headers.set("idempotency-key", idempotencyKey)
  if (body !== undefined) headers.set("content-type", "application/json")
  return {
    url: `${baseUrl}${operation.path}${search === "" ? "" : `?${search}`}`,
    // A redirect would send the token to another address than the configured one.
    init: {
      method: operation.method,
      headers,
      redirect: "error",
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    },
    query,
  }
}

const readText = async (response: Response, bytesMax: number, call: FailedCall): Promise<string> => {
  if (response.body === null) return ""
  const reader = response.body.getReader()
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true })
  const texts: Array<string> = []
  let bytes = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return `${texts.join("")}${decoder.decode()}`
    bytes += value.length
    if (bytes > bytesMax) {
      await reader.cancel()
      throw new UnreadableReplyError(`the reply is larger than ${bytesMax} bytes`, call)
    }
    texts.push(decoder.decode(value, { stream: true }))
  }
}

const decoded = (response: Response, text: string, call: FailedCall): unknown => {
  const mediaType = (response.headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? ""
  if (text === "") return null
  if (!JSON_TYPE.test(mediaType)) return text
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new UnreadableReplyError(`status ${response.status} with a body that is not JSON`, call, cause)
  }
}

/** Reads the whole body of a response. */
export const readResponse = async (response: Response, bytesMax: number, call: FailedCall): Promise<ReadResponse> => {
  const body = decoded(response, await readText(response, bytesMax, call), call)
  return { status: response.status, headers: response.headers, body }
}

/** Sends a request once, and reads the whole response. */
export const attempt = async (
  { url, init }: PreparedRequest,
  options: {
    readonly fetch: typeof fetch
    readonly deadline: Deadline
    readonly bodyBytesMax: number
    readonly call: FailedCall
  },
): Promise<ReadResponse> => {
  const { fetch: send, deadline, bodyBytesMax, call } = options
  return readResponse(await send(url, { ...init, signal: deadline.signal }), bodyBytesMax, call)
}
