import { HttpFailed } from "../../ingestors/http-client.port.ts"
import type { FailureReason } from "../../schemas/events/observations.ts"
import { codeOf } from "../system/error.ts"

/** The longest `Retry-After` that is honoured. */
const RETRY_AFTER_MAX_MS = 24 * 3_600_000

/** Makes the failure of a request. The message contains no URL and no text of an upstream. */
export const httpFailed = (
  host: string,
  reason: FailureReason,
  message: string,
  rest: { readonly status?: number; readonly retryAfterMs?: number | null } = {},
): HttpFailed =>
  new HttpFailed({ host, reason, message, status: rest.status ?? null, retryAfterMs: rest.retryAfterMs ?? null })

/** Reads `Retry-After` (seconds or an HTTP date) as milliseconds from `nowMs`, at most a day; null if it is absent or invalid. */
export const parseRetryAfter = (header: string | undefined, nowMs: number): number | null => {
  if (header === undefined) return null
  const text = header.trim()
  const waitMs = /^\d{1,9}$/.test(text)
    ? Number(text) * 1000
    : /[a-z]/i.test(text)
      ? Date.parse(text) - nowMs
      : Number.NaN
  return Number.isNaN(waitMs) ? null : Math.min(Math.max(0, Math.round(waitMs)), RETRY_AFTER_MAX_MS)
}

/** Whether the failure is transient, so that a retry may succeed. */
export const isTransient = ({ reason, status }: HttpFailed): boolean =>
  reason === "timeout" ||
  reason === "unreachable" ||
  reason === "rate_limited" ||
  (reason === "status" && status !== null && status >= 500)

/** Whether a failure counts against the host (and its circuit), and not only against the request. */
export const isHostFailure = (failure: unknown): boolean =>
  failure instanceof HttpFailed && isTransient(failure) && failure.reason !== "rate_limited"

/** Converts an exception of the transport. Its message is dropped, since some contain addresses. */
export const transportFailed = (host: string, cause: unknown, timedOut: boolean, timeoutMs: number): HttpFailed => {
  if (cause instanceof HttpFailed) return cause
  if (timedOut) return httpFailed(host, "timeout", `no complete answer within ${timeoutMs} ms`)
  const found = codeOf(cause)
  const code = typeof found === "string" ? found : "unknown"
  if (code.endsWith("_TIMEOUT") || code === "ETIMEDOUT")
    return httpFailed(host, "timeout", `no complete answer within ${timeoutMs} ms`)
  if (code === "Z_BUF_ERROR") return httpFailed(host, "unreachable", "the connection ended within a compressed body")
  if (/^(Z_|ERR_.*BROTLI|ERR_PADDING|ERR__)/.test(code))
    return httpFailed(host, "undecodable", "the body cannot be decompressed")
  return httpFailed(host, "unreachable", `the connection failed (${code})`)
}
