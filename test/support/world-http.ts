import { createHash } from "node:crypto"
import * as Effect from "effect/Effect"
import { httpFailed, isTransient, parseRetryAfter } from "../../infra/http/failure.ts"
import type {
  HttpClient,
  HttpFailed,
  HttpNotModified,
  HttpRefused,
  HttpRequest,
  HttpResponse,
} from "../../ingestors/http-client.port.ts"
import { type ActiveFault, answerWithFaults, type FaultyReply } from "../world/faults.ts"
import { simulatedUpstreams } from "../world/server.ts"
import { bytesOf, upstreamsByHost } from "../world/upstream.ts"

/** The world as a client without a network sees it. */
export interface WorldHttpOptions {
  readonly seed: string
  /** The time of the machine, in milliseconds since the epoch. */
  readonly nowMs: () => number
  /** The time of what the world answers; that of the machine by default. */
  readonly contentMs?: () => number
  readonly faults?: () => ReadonlyArray<ActiveFault>
  /** Called for each request that is sent, retries and probes included. */
  readonly onRequest?: (host: string) => void
}

/** An answer with its bytes and their validator. */
interface WholeAnswer extends FaultyReply {
  readonly bytes: Uint8Array
  readonly etag: string
}

const byHost = upstreamsByHost(simulatedUpstreams)

const PROBE_MS = 20
const HEADERS = { "user-agent": "Tidewire/test (https://example.org)" }

/**
 * The ingest role's HTTP client against the simulated world, in this process and without time that passes: what the client
 * of infra/http makes of each fault, with its retries (at once), its conditional requests, and its admission of each.
 */
export const makeWorldHttp = (options: WorldHttpOptions): HttpClient => {
  const { seed, nowMs, contentMs = nowMs, faults = () => [], onRequest = () => {} } = options
  let moment = { atMs: Number.NaN, active: faults() }
  /** The answers of this moment of the world, by their requests. */
  const answers = new Map<string, WholeAnswer>()

  const answerOf = (url: URL, headers: HttpRequest["headers"], body: string | null): WholeAnswer => {
    const upstream = byHost.get(url.host)
    if (upstream === undefined) throw new Error(`the world has no host ${url.host}`)
    onRequest(url.host)
    const [atMs, active] = [contentMs(), faults()]
    if (atMs !== moment.atMs || active !== moment.active) {
      moment = { atMs, active }
      answers.clear()
    }
    const key = JSON.stringify([url.href, headers, body])
    const known = answers.get(key)
    if (known !== undefined) return known
    const lowered = Object.entries({ ...HEADERS, ...headers }).map(([name, value]) => [name.toLowerCase(), value])
    const request = { host: url.host, path: decodeURIComponent(url.pathname), query: url.searchParams, body }
    const answer = answerWithFaults(upstream, { ...request, headers: Object.fromEntries(lowered) }, seed, atMs, active)
    const bytes = bytesOf(answer.reply)
    const whole = { ...answer, bytes, etag: `"${createHash("sha1").update(bytes).digest("hex")}"` }
    answers.set(key, whole)
    return whole
  }

  /** What the transport does to an answer; null where it arrives whole. */
  const transportFailure = (
    host: string,
    { transport, delayMs }: FaultyReply,
    timeoutMs: number,
  ): HttpFailed | null => {
    if (delayMs > timeoutMs) return httpFailed(host, "timeout", `no complete answer within ${timeoutMs} ms`)
    if (transport === "reset" || transport === "cut") return httpFailed(host, "unreachable", "the connection failed")
    if (transport === "huge" || transport === "bomb") return httpFailed(host, "too_large", "the body is too large")
    return null
  }

  const fetchOnce = (request: HttpRequest): HttpResponse | HttpRefused | HttpNotModified | HttpFailed => {
    const url = new URL(request.url)
    const { host } = url
    const retryAfterMs = request.admit?.() ?? null
    if (retryAfterMs !== null)
      return httpFailed(host, "budget_exhausted", "the provider's request quota is exhausted", { retryAfterMs })
    const answer = answerOf(url, request.headers, request.body ?? null)
    const failure = transportFailure(host, answer, request.timeoutMs)
    if (failure !== null) return failure
    const { status = 200, headers = {} } = answer.reply
    const values = (name: string) => (headers[name] === undefined ? [] : [headers[name]])
    request.onAnnounced?.({
      sunset: values("sunset"),
      deprecation: values("deprecation"),
      warning: values("warning"),
    })
    if (status >= 300 && status < 400) return httpFailed(host, "redirect", "the redirect leads to another host")
    if (status !== 200 && request.acceptedStatuses?.includes(status) !== true)
      return httpFailed(host, status === 429 ? "rate_limited" : "status", `the answer has status ${status}`, {
        status,
        retryAfterMs: parseRetryAfter(headers["retry-after"], nowMs()),
      })
    const { bytes: body, etag } = answer
    if (request.body === undefined && request.validators?.etag === etag) return { _tag: "NotModified", latencyMs: 1 }
    if (body.length > request.bodyBytesMax) return httpFailed(host, "too_large", "the body is too large")
    const problem = request.inspect?.()(body) ?? null
    if (problem !== null) return { _tag: "Refused", problem, start: body, bodyBytes: body.length }
    return { _tag: "Fetched", status, body, contentType: null, validators: { etag }, latencyMs: 1 }
  }

  const isFailure = (outcome: ReturnType<typeof fetchOnce>): outcome is HttpFailed => outcome._tag === "HttpFailed"
  return {
    fetch: (request) =>
      Effect.suspend(() => {
        for (let retries = 0; ; retries += 1) {
          const outcome = fetchOnce(request)
          if (!isFailure(outcome)) return Effect.succeed(outcome)
          const mayRetry = isTransient(outcome) && (outcome.retryAfterMs ?? 0) === 0
          if (!mayRetry || retries >= request.retriesMax) return Effect.fail(outcome)
        }
      }),
    probe: (address, timeoutMs) =>
      Effect.suspend(() => {
        const url = new URL(address)
        const answer = answerOf(url, {}, null)
        // The answer to HEAD has no body that could be spoilt.
        const transport = answer.transport === "reset" ? "reset" : "whole"
        const failure = transportFailure(url.host, { ...answer, transport }, timeoutMs)
        return failure === null ? Effect.succeed({ latencyMs: PROBE_MS }) : Effect.fail(failure)
      }),
  }
}
