import { performance } from "node:perf_hooks"
import { type Dispatcher, request as send } from "undici"
import type { HttpNotModified, HttpRefused, HttpRequest, HttpResponse } from "../../ingestors/http-client.port.ts"
import type { ByteBudget } from "./body.ts"
import { readBody } from "./body.ts"
import { httpFailed, parseRetryAfter } from "./failure.ts"

/** The part of an unused body that is read so that its connection can be reused. */
const DISCARD_MAX_BYTES = 64 * 1024

const one = (header: string | Array<string> | undefined): string | undefined =>
  Array.isArray(header) ? header[0] : header

const all = (header: string | Array<string> | undefined): ReadonlyArray<string> =>
  header === undefined ? [] : Array.isArray(header) ? header : [header]

/** The context that the requests of one attempt share. */
interface Attempt {
  readonly agent: Dispatcher
  readonly locate: Locate
  readonly headers: Readonly<Record<string, string>>
  readonly signal: AbortSignal
  readonly onDate: (host: string, date: string | undefined, age: string | undefined) => void
  readonly budget: ByteBudget
}

/** Headers of the request itself. Only a GET is conditional: validators have another meaning for a POST (RFC 9110, 13.1). */
const headersOf = ({ headers, body, validators }: HttpRequest): Readonly<Record<string, string>> => ({
  ...(body === undefined ? {} : { "content-type": "application/json" }),
  ...headers,
  ...(body !== undefined || validators?.etag === undefined ? {} : { "if-none-match": validators.etag }),
  ...(body !== undefined || validators?.lastModified === undefined
    ? {}
    : { "if-modified-since": validators.lastModified }),
})

/** Statuses of redirects that keep the method; the others change a POST to a GET. */
const REPEATING = [307, 308]
const REDIRECTS = [301, 302, 303, ...REPEATING]

/** One attempt, redirects included. Rejects with `HttpFailed` or with what the transport throws. */
export const fetchOnce = async (
  start: URL,
  request: HttpRequest,
  { agent, locate, headers, signal, onDate, budget }: Attempt,
): Promise<HttpResponse | HttpRefused | HttpNotModified> => {
  const startedMs = performance.now()
  const latencyMs = () => Math.round(performance.now() - startedMs)
  const { host } = start
  let url = start
  for (let redirects = 0; ; redirects++) {
    const waitMs = request.admit?.() ?? null
    if (waitMs !== null)
      throw httpFailed(host, "budget_exhausted", "the provider's request quota is exhausted", { retryAfterMs: waitMs })
    const response = await send(locate(url), {
      dispatcher: agent,
      method: request.body === undefined ? "GET" : "POST",
      headers: { ...headers, ...headersOf(request) },
      body: request.body ?? null,
      signal,
    })
    const { statusCode: status, body } = response
    onDate(host, one(response.headers.date), one(response.headers.age))
    request.onAnnounced?.({
      sunset: all(response.headers.sunset),
      deprecation: all(response.headers.deprecation),
      warning: all(response.headers.warning),
    })
    const discard = () => body.dump({ limit: DISCARD_MAX_BYTES, signal }).catch(() => {})
    if (status === 200 || request.acceptedStatuses?.includes(status)) {
      const [etag, lastModified] = [one(response.headers.etag), one(response.headers["last-modified"])]
      const read = await readBody(
        body,
        one(response.headers["content-encoding"]),
        one(response.headers["content-length"]),
        request.bodyBytesMax,
        host,
        budget,
        request.inspect?.(),
        request.filter?.(),
      )
      if (read._tag === "Refused") return read
      return {
        _tag: "Fetched",
        status,
        body: read.bytes,
        release: read.release,
        contentType: one(response.headers["content-type"]) ?? null,
        validators: {
          ...(etag === undefined ? {} : { etag }),
          ...(lastModified === undefined ? {} : { lastModified }),
        },
        latencyMs: latencyMs(),
      }
    }
    await discard()
    if (status === 304 && request.validators !== undefined && request.body === undefined)
      return { _tag: "NotModified", latencyMs: latencyMs() }
    if (REDIRECTS.includes(status)) {
      const repeats = request.body === undefined || REPEATING.includes(status)
      const target = repeats ? redirectTarget(url, one(response.headers.location)) : null
      if (target === null || redirects >= REDIRECTS_MAX)
        throw httpFailed(
          host,
          "redirect",
          target !== null
            ? "too many redirects"
            : repeats
              ? "the redirect leads to another host"
              : "the redirect would change a POST to a GET",
          { status },
        )
      url = target
      continue
    }
    throw httpFailed(host, status === 429 ? "rate_limited" : "status", `the answer has status ${status}`, {
      status,
      retryAfterMs: parseRetryAfter(one(response.headers["retry-after"]), Date.now()),
    })
  }
}

/** The maximum number of redirects. */
const REDIRECTS_MAX = 3

/** Maps a provider's real address to the one that requests are sent to. */
type Locate = (url: URL) => URL

const below = (base: string, host: string, { pathname, search }: URL): URL => {
  const located = new URL(base)
  located.pathname = `${located.pathname.replace(/\/+$/, "")}${host}${pathname}`
  located.search = search
  return located
}

/**
 * Makes the mapping of addresses: `baseUrls` overrides single hosts, `upstreams` maps all others to
 * `<upstreams>/<host>/<path>`; without either, addresses are unchanged.
 */
export const makeLocate =
  (upstreams: string | null, baseUrls: ReadonlyMap<string, string>): Locate =>
  (url) => {
    const base = baseUrls.get(url.host)
    if (base !== undefined) return below(base, "", url)
    return upstreams === null ? url : below(upstreams, `/${url.host}`, url)
  }

/**
 * The target of a redirect from `from`; null if it must not be followed: to another host, or from https to http. Addresses
 * are the provider's own, before they are mapped.
 */
export const redirectTarget = (from: URL, location: string | undefined): URL | null => {
  const to = location === undefined ? null : URL.parse(location, from.href)
  if (to === null || to.username !== "" || to.password !== "") return null
  if (to.protocol === from.protocol) return to.host === from.host ? to : null
  // The default port differs by scheme, so both addresses must use the default.
  const upgraded = from.protocol === "http:" && to.protocol === "https:"
  return upgraded && to.hostname === from.hostname && to.port === "" && from.port === "" ? to : null
}
