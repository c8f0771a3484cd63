import type { IncomingMessage, ServerResponse } from "node:http"
import type { Problem } from "../../schemas/contract/reply.ts"
import { clientKindOf } from "./client.ts"
import { type ProblemReply, withAddress } from "./problems.ts"
import {
  type Coding,
  chooseCoding,
  isNotModified,
  JSON_TYPE,
  PROBLEM_TYPE,
  type PreparedReply,
  type Representation,
} from "./representation.ts"
import { policyHeaders, rateLimitOf, type Share, type SharePolicy, shareHeaders } from "./shares.ts"
import { type AccessLog, type Meter, requestIdOf } from "./traffic.ts"

/** The policy of replies that no browser shows as a page: nothing is loaded, and nothing runs. */
const NOTHING_LOADED = "default-src 'none'; frame-ancestors 'none'"

/** Headers that browsers may show to scripts of other origins. */
const EXPOSED_HEADERS = [
  "Allow",
  "Content-Disposition",
  "Content-Length",
  "Content-Location",
  "Deprecation",
  "ETag",
  "Idempotent-Replayed",
  "Last-Modified",
  "Link",
  "Memento-Datetime",
  "RateLimit",
  "RateLimit-Limit",
  "RateLimit-Policy",
  "RateLimit-Remaining",
  "RateLimit-Reset",
  "Retry-After",
  "Sunset",
  "WWW-Authenticate",
  "X-Credits-Charged",
  "X-Credits-Remaining",
  "X-Request-Id",
  "X-Service-As-Of",
  "X-Service-Deprecation",
  "X-Service-Next-Cursor",
  "X-Service-Pricing",
  "X-Service-Receipt-Id",
  "X-Service-Stale",
].join(", ")

/** A request that is being answered, with the meter that counts it and the start of its measurement. */
export interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly meter: Meter
  readonly startedAtMs: number
  /** Headers of every reply of the endpoint, as the notice that it is deprecated. */
  readonly notice: ReadonlyArray<string>
  /** The state of the daily limit after this request; null where the request does not count against it. */
  share: Share | null
}

const NO_NOTICE: ReadonlyArray<string> = []

/** Opens the exchange of a request: it is counted at `meter` and measured from now on. */
export const openExchange = (
  request: IncomingMessage,
  response: ServerResponse,
  meter: Meter,
  notice: ReadonlyArray<string> = NO_NOTICE,
): Exchange => ({
  request,
  response,
  meter,
  startedAtMs: performance.now(),
  notice,
  share: null,
})

const DAY_SECONDS = 86_400
const HSTS_SECONDS = 31_536_000
const PREFLIGHT_SECONDS = 86_400

/** A problem as people see it. */
export type ProblemPage = (problem: Problem, path: string) => { readonly html: string; readonly contentPolicy: string }

/** Whether a browser navigates to a page: programs, and scripts of pages, do not accept HTML before JSON. */
const isNavigation = ({ url = "", headers: { accept = "" } }: IncomingMessage): boolean =>
  accept.startsWith("text/html") && !url.startsWith("/api/")

/** Headers that a 304 leaves out, as they describe bytes that are not sent. */
const OF_CONTENT = new Set(["content-type", "content-length", "content-encoding", "content-disposition"])

const withoutContent = (headers: ReadonlyArray<string>): ReadonlyArray<string> =>
  headers.filter((_, at) => !OF_CONTENT.has((headers[at - (at % 2)] ?? "").toLowerCase()))

/**
 * Writes replies, directly to Node's response and with one flat list of headers: all of them but `Cache-Control`,
 * `RateLimit` and `X-Request-Id` are computed before the request comes.
 */
export class Answers {
  readonly #common: ReadonlyArray<string>
  /** Headers of every reply, with a policy of its own. */
  readonly #commonWith: (contentPolicy: string) => ReadonlyArray<string>
  readonly #policy: SharePolicy
  /** The share that replies show which do not count against it. */
  readonly #unused: Share
  readonly #complete = new WeakMap<Representation, Array<string>>()
  readonly #addressOf: (request: IncomingMessage) => string | null
  readonly #nowMs: () => number
  readonly #accessLog: AccessLog | null
  readonly #isProxied: (request: IncomingMessage) => boolean
  readonly #problemPage: ProblemPage

  constructor(options: {
    readonly requestsPerDay: number
    readonly baseUrl: string | null
    /** The address under which a request reached the service, for use where no public address is configured. */
    readonly reachedAddressOf: (request: IncomingMessage) => string | null
    /** Whether a request came through a trusted proxy, which may give it its id. */
    readonly isProxied: (request: IncomingMessage) => boolean
    readonly nowMs: () => number
    readonly accessLog: AccessLog | null
    /** Shows a problem to people. */
    readonly problemPage: ProblemPage
  }) {
    const { baseUrl } = options
    this.#addressOf = baseUrl === null ? options.reachedAddressOf : () => baseUrl
    this.#isProxied = options.isProxied
    this.#nowMs = options.nowMs
    this.#accessLog = options.accessLog
    this.#problemPage = options.problemPage
    this.#commonWith = (contentPolicy) => [
      "Access-Control-Allow-Origin",
      "*",
      "Access-Control-Expose-Headers",
      EXPOSED_HEADERS,
      "X-Content-Type-Options",
      "nosniff",
      "Content-Security-Policy",
      contentPolicy,
      "Referrer-Policy",
      "no-referrer",
      "Cross-Origin-Resource-Policy",
      "cross-origin",
      ...(options.baseUrl?.startsWith("https:") ? ["Strict-Transport-Security", `max-age=${HSTS_SECONDS}`] : []),
    ]
    this.#common = this.#commonWith(NOTHING_LOADED)
    this.#policy = { name: "day", max: options.requestsPerDay, windowSeconds: DAY_SECONDS }
    this.#unused = { allowed: true, remaining: options.requestsPerDay, resetSeconds: DAY_SECONDS }
  }

  /** The id of a request, which its reply carries as `X-Request-Id`. */
  requestIdOf({ request }: Pick<Exchange, "request">): string {
    return requestIdOf(request, this.#isProxied)
  }

  /** Sends prepared bytes in the coding that the client prefers, or 304 where the client holds them already. */
  prepared(exchange: Exchange, prepared: PreparedReply): void {
    const { headers: asked } = exchange.request
    const chosen = prepared.representations[chooseCoding(asked["accept-encoding"])]
    const headers = this.#filledIn(exchange, prepared, chosen)
    if (isNotModified(asked, prepared, chosen)) this.#send(exchange, 304, withoutContent(headers), null, chosen.coding)
    else this.#send(exchange, 200, headers, chosen.bytes, chosen.coding)
  }

  /**
   * The headers of a prepared reply. The list is made once for each representation; only the members that depend on the
   * moment are overwritten for each request, which is safe as Node has read the list when `writeHead` returns.
   */
  #filledIn({ request, share }: Exchange, prepared: PreparedReply, chosen: Representation): Array<string> {
    let headers = this.#complete.get(chosen)
    if (headers === undefined) {
      const { contentPolicy } = prepared
      const common = contentPolicy === null ? this.#common : this.#commonWith(contentPolicy)
      const fixed = [...chosen.headers, ...common, ...policyHeaders(this.#policy)]
      const ofShare = ["RateLimit", "", "RateLimit-Remaining", "", "RateLimit-Reset", ""]
      headers = [...fixed, "X-Request-Id", "", "Cache-Control", "", ...ofShare]
      this.#complete.set(chosen, headers)
    }
    const shown = share ?? this.#unused
    headers[headers.length - 9] = this.requestIdOf({ request })
    headers[headers.length - 7] = prepared.cacheControl(this.#nowMs())
    headers[headers.length - 5] = rateLimitOf(this.#policy, shown)
    headers[headers.length - 3] = String(shown.remaining)
    headers[headers.length - 1] = String(shown.resetSeconds)
    return headers
  }

  /** Sends a body that must not be stored (`no-store`). */
  fleeting(exchange: Exchange, status: number, body: Buffer, headers: ReadonlyArray<string>): void {
    const own = ["Content-Length", String(body.length), "Cache-Control", "no-store", ...headers]
    this.#send(exchange, status, this.#headers(exchange, own), body, "identity")
  }

  /** Answers that there is nothing now (204). */
  nothing(exchange: Exchange, headers: ReadonlyArray<string>): void {
    const own = ["Cache-Control", "no-store", ...headers]
    this.#send(exchange, 204, this.#headers(exchange, own), null, "identity")
  }

  /** Sends the client to another address of this service (303). */
  seeOther(exchange: Exchange, location: string): void {
    const own = ["Location", location, "Content-Length", "0", "Cache-Control", "no-store"]
    this.#send(exchange, 303, this.#headers(exchange, own), null, "identity")
  }

  /** 308: what is asked for has this one address. */
  moved(exchange: Exchange, location: string): void {
    const own = ["Location", location, "Content-Length", "0", "Cache-Control", "public, max-age=86400"]
    this.#send(exchange, 308, this.#headers(exchange, own), null, "identity")
  }

  /** Sends the head of a reply whose body ends with the connection. The caller writes the body to the socket. */
  head(exchange: Exchange, headers: ReadonlyArray<string>): void {
    const { response } = exchange
    response.useChunkedEncodingByDefault = false
    this.#writeHead(exchange, 200, this.#headers(exchange, [...headers, "Connection", "close"]))
    response.flushHeaders()
    this.#record(exchange, 200, 0, "identity")
  }

  /** Sends a body that is private to its caller, in the coding in which it is given. */
  personal(
    exchange: Exchange,
    status: number,
    { bytes, coding }: { readonly bytes: Buffer; readonly coding: Coding },
    headers: ReadonlyArray<string>,
    type = JSON_TYPE,
  ): void {
    const own = [
      "Content-Type",
      type,
      "Content-Length",
      String(bytes.length),
      "Cache-Control",
      "private, no-store",
      ...(coding === "identity" ? [] : ["Content-Encoding", coding]),
      ...headers,
    ]
    this.#send(exchange, status, this.#headers(exchange, own), bytes, coding)
  }

  /** The address of this service: the public one, else the one that the request reached; empty where neither is known. */
  addressOf({ request }: Exchange): string {
    return this.#addressOf(request) ?? ""
  }

  /**
   * Sends a problem, as a page to a browser that navigates to an address outside the interface of programs. Closes the
   * connection where the request body was not read to its end: the rest is not a request.
   */
  problem(exchange: Exchange, reply: ProblemReply): void {
    const { status, body, headers } = withAddress(reply, this.addressOf(exchange))
    const { headers: asked, complete } = exchange.request
    const brought = asked["transfer-encoding"] !== undefined || Number(asked["content-length"] ?? 0) > 0
    const unread = brought && !complete
    const own = [...headers, ...(unread ? ["Connection", "close"] : [])]
    if (!isNavigation(exchange.request)) {
      this.fleeting(exchange, status, Buffer.from(JSON.stringify(body)), ["Content-Type", PROBLEM_TYPE, ...own])
      return
    }
    const page = this.#problemPage(body, (exchange.request.url ?? "").split("?", 1)[0] ?? "")
    const bytes = Buffer.from(page.html)
    const ofPage = ["Content-Type", "text/html; charset=utf-8", "Content-Length", String(bytes.length)]
    const sent = [...ofPage, "Cache-Control", "no-store", "Vary", "Accept", ...own]
    this.#send(exchange, status, this.#headers(exchange, sent, this.#commonWith(page.contentPolicy)), bytes, "identity")
  }

  /** Answers OPTIONS, also as a CORS preflight. */
  options(exchange: Exchange, allow: string): void {
    const own = [
      "Allow",
      allow,
      "Access-Control-Allow-Methods",
      allow,
      "Access-Control-Allow-Headers",
      "Authorization, Content-Type, Idempotency-Key, If-Modified-Since, If-None-Match, Last-Event-ID",
      "Access-Control-Max-Age",
      String(PREFLIGHT_SECONDS),
    ]
    this.#send(exchange, 204, this.#headers(exchange, own), null, "identity")
  }

  #headers({ request, share }: Exchange, own: ReadonlyArray<string>, common = this.#common): Array<string> {
    const ofShare = share === null ? [] : shareHeaders(this.#policy, share)
    return own.concat(common, "X-Request-Id", this.requestIdOf({ request }), ofShare)
  }

  #writeHead({ response, notice }: Exchange, status: number, headers: ReadonlyArray<string>): void {
    // `writeHead` does not change the list, though its type allows it.
    response.writeHead(status, (notice.length === 0 ? headers : headers.concat(notice)) as Array<string>)
  }

  #send(exchange: Exchange, status: number, headers: ReadonlyArray<string>, body: Buffer | null, coding: string): void {
    this.#writeHead(exchange, status, headers)
    const bytes = exchange.request.method === "HEAD" || body === null ? 0 : body.length
    if (bytes === 0) exchange.response.end()
    else exchange.response.end(body)
    this.#record(exchange, status, bytes, coding)
  }

  /** Counts an answered request, and writes its line of the access log. */
  #record({ request, meter, startedAtMs }: Exchange, status: number, bytes: number, coding: string): void {
    const client = clientKindOf(request.headers["user-agent"])
    const durationMs = performance.now() - startedAtMs
    meter.add({ status, bytes, durationMs, client })
    this.#accessLog?.add({
      endpoint: meter.endpoint,
      method: request.method ?? "",
      status,
      bytes,
      coding,
      durationMs,
      client: client.client,
      request: this.requestIdOf({ request }),
    })
  }
}
