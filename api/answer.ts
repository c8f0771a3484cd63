import type { IncomingMessage, ServerResponse } from "node:http"
import type { AccessLog } from "./access-log.ts"
import { clientKindOf } from "./client-kind.ts"
import { chooseCoding, isNotModified } from "./negotiation.ts"
import { type ProblemReply, withAddress } from "./problems.ts"
import type { Share } from "./rate-limit.ts"
import { type Coding, JSON_TYPE, type PreparedReply, type Representation } from "./representation.ts"
import type { Meter } from "./traffic.ts"

/** A request on its way: where it is counted and since when it is measured. */
export interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly meter: Meter
  readonly startedAtMs: number
  /** What the daily limit said; null where it does not count. */
  share: Share | null
}

/** Headers of ours that browsers may show to scripts. */
const EXPOSED = [
  "Allow",
  "Content-Length",
  "ETag",
  "Idempotent-Replayed",
  "Last-Modified",
  "Link",
  "RateLimit",
  "RateLimit-Policy",
  "Retry-After",
  "WWW-Authenticate",
  "X-Credits-Charged",
  "X-Credits-Remaining",
  "X-Service-As-Of",
  "X-Service-Deprecation",
  "X-Service-Pricing",
  "X-Service-Receipt-Id",
  "X-Service-Stale",
].join(", ")

const NOTHING_LOADED = "default-src 'none'; frame-ancestors 'none'"
const DAY_SECONDS = 86_400
const HSTS_SECONDS = 31_536_000
const PREFLIGHT_SECONDS = 86_400

/** Headers that a 304 does not repeat, as they describe bytes that are not sent. */
const OF_CONTENT = new Set(["content-type", "content-length", "content-encoding"])

/** What is left of the daily share, as a structured field. */
const rateLimitOf = ({ remaining, resetSeconds }: Share): string => `"day";r=${remaining};t=${resetSeconds}`

const withoutContent = (headers: ReadonlyArray<string>): ReadonlyArray<string> =>
  headers.filter((_, at) => !OF_CONTENT.has((headers[at - (at % 2)] ?? "").toLowerCase()))

/**
 * Writes answers. They go straight to Node's response with one flat list of headers: everything but how long a
 * reply may be kept and what is left of the daily share is known before the request comes.
 */
export class Answers {
  readonly #common: ReadonlyArray<string>
  /** Those of a page: its style is all that a browser may apply. */
  readonly #ofPages: (styleSource: string) => ReadonlyArray<string>
  readonly #policy: ReadonlyArray<string>
  /** For replies that do not count against the share. */
  readonly #unused: string
  readonly #complete = new WeakMap<Representation, Array<string>>()
  readonly #addressOf: (request: IncomingMessage) => string | null
  readonly #nowMs: () => number
  readonly #accessLog: AccessLog | null

  constructor(options: {
    readonly requestsPerDay: number
    readonly baseUrl: string | null
    /** The address that a request has reached, where the public one is not known. */
    readonly reachedAddressOf: (request: IncomingMessage) => string | null
    readonly nowMs: () => number
    readonly accessLog: AccessLog | null
  }) {
    const { baseUrl } = options
    this.#addressOf = baseUrl === null ? options.reachedAddressOf : () => baseUrl
    this.#nowMs = options.nowMs
    this.#accessLog = options.accessLog
    const commonWith = (contentPolicy: string): ReadonlyArray<string> => [
      "Access-Control-Allow-Origin",
      "*",
      "Access-Control-Expose-Headers",
      EXPOSED,
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
    this.#common = commonWith(NOTHING_LOADED)
    this.#ofPages = (styleSource) =>
      commonWith(`${NOTHING_LOADED}; base-uri 'none'; form-action 'none'; style-src ${styleSource}`)
    this.#policy = ["RateLimit-Policy", `"day";q=${options.requestsPerDay};w=${DAY_SECONDS}`]
    this.#unused = rateLimitOf({ allowed: true, remaining: options.requestsPerDay, resetSeconds: DAY_SECONDS })
  }

  /** Sends bytes that stand ready, in the coding the client prefers, or says that it holds them already. */
  prepared(exchange: Exchange, prepared: PreparedReply): void {
    const { headers: asked } = exchange.request
    const chosen = prepared.representations[chooseCoding(asked["accept-encoding"])]
    const headers = this.#filledIn(exchange, prepared, chosen)
    if (isNotModified(asked, prepared, chosen)) this.#send(exchange, 304, withoutContent(headers), null, chosen.coding)
    else this.#send(exchange, 200, headers, chosen.bytes, chosen.coding)
  }

  /**
   * The headers of a prepared reply. The list is made once for each representation, and only the members that depend on the
   * moment are written into it: Node has read it when `writeHead` returns.
   */
  #filledIn({ share }: Exchange, prepared: PreparedReply, chosen: Representation): Array<string> {
    let headers = this.#complete.get(chosen)
    if (headers === undefined) {
      headers = [...chosen.headers, ...this.#common, "Cache-Control", "", ...this.#policy, "RateLimit", ""]
      this.#complete.set(chosen, headers)
    }
    headers[headers.length - 5] = prepared.cacheControl(this.#nowMs())
    headers[headers.length - 1] = share === null ? this.#unused : rateLimitOf(share)
    return headers
  }

  /** Sends a body that must not be kept. */
  fleeting(exchange: Exchange, status: number, body: Buffer, headers: ReadonlyArray<string>): void {
    const own = ["Content-Length", String(body.length), "Cache-Control", "no-store", ...headers]
    this.#send(exchange, status, this.#headers(exchange, own), body, "identity")
  }

  /** Sends a document that must not be kept. `styleSource` is the CSP source of the style that stands in it. */
  document(exchange: Exchange, body: Buffer, headers: ReadonlyArray<string>, styleSource: string | null): void {
    const own = ["Content-Length", String(body.length), "Cache-Control", "no-store", ...headers]
    const common = styleSource === null ? this.#common : this.#ofPages(styleSource)
    this.#send(exchange, 200, this.#headers(exchange, own, common), body, "identity")
  }

  /** Sends a JSON body that is meant for its caller alone, in the coding in which it is given. */
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

  /** The address of this service: the public one, else the one that the request has reached; empty where that is none. */
  addressOf({ request }: Exchange): string {
    return this.#addressOf(request) ?? ""
  }

  /** Sends what went wrong. A body that was not read to its end closes the connection: what is left of it is no request. */
  problem(exchange: Exchange, reply: ProblemReply): void {
    const { status, body, headers } = withAddress(reply, this.addressOf(exchange))
    const { headers: asked, complete } = exchange.request
    const brought = asked["transfer-encoding"] !== undefined || Number(asked["content-length"] ?? 0) > 0
    const unread = brought && !complete
    this.fleeting(exchange, status, Buffer.from(JSON.stringify(body)), [
      "Content-Type",
      "application/problem+json; charset=utf-8",
      ...headers,
      ...(unread ? ["Connection", "close"] : []),
    ])
  }

  /** Answers OPTIONS, also as a CORS preflight. */
  options(exchange: Exchange, allow: string): void {
    const own = [
      "Allow",
      allow,
      "Access-Control-Allow-Methods",
      allow,
      "Access-Control-Allow-Headers",
      "Authorization, Content-Type, Idempotency-Key, If-Modified-Since, If-None-Match",
      "Access-Control-Max-Age",
      String(PREFLIGHT_SECONDS),
    ]
    this.#send(exchange, 204, this.#headers(exchange, own), null, "identity")
  }

  #headers({ share }: Exchange, own: ReadonlyArray<string>, common = this.#common): Array<string> {
    const headers = own.concat(common)
    if (share !== null) headers.push(...this.#policy, "RateLimit", rateLimitOf(share))
    return headers
  }

  #send(
    { request, response, meter, startedAtMs }: Exchange,
    status: number,
    headers: ReadonlyArray<string>,
    body: Buffer | null,
    coding: string,
  ): void {
    // `writeHead` does not change the list; its type does not say so.
    response.writeHead(status, headers as Array<string>)
    const bytes = request.method === "HEAD" || body === null ? 0 : body.length
    if (bytes === 0) response.end()
    else response.end(body)
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
    })
  }
}
