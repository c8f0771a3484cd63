import { IncomingMessage, ServerResponse } from "node:http"
import type { FastifyInstance } from "fastify"
import { noticeHeaders } from "../../schemas/contract/deprecation.ts"
import { type Counted, type Endpoint, methodsOf } from "../../schemas/contract/endpoint-kinds.ts"
import { instanceKey } from "../../schemas/feed.ts"
import type {
  ApiLogger,
  ApiTools,
  CallLocally,
  LocalCall,
  LocalReply,
  RequestAdmission,
  Route,
} from "../routes/route.ts"
import { type Answers, type Exchange, openExchange } from "./answer.ts"
import type { Clients } from "./client.ts"
import type { ApiLimits } from "./limits.ts"
import type { RequestQuery } from "./parameters.ts"
import { internalError, problem, rateLimited } from "./problems.ts"
import { CHEAP, COSTLY, dayShare, minuteShare, PrefixShare } from "./shares.ts"
import type { Meter, Traffic } from "./traffic.ts"

/** Rate limits of a client. The premium endpoints count those of tokens. */
type ClientShare = Exclude<Counted, "token" | "never">

/**
 * Makes the admission of an API's requests. Each limit of a client has wider ones of its network and of its provider.
 */
export const makeAdmission = (limits: ApiLimits, answers: Answers, nowMs: () => number): RequestAdmission => {
  const cheapMinute = (ofClient: number) => new PrefixShare(minuteShare(ofClient, CHEAP))
  const costlyMinute = (ofClient: number) => new PrefixShare(minuteShare(ofClient, COSTLY))
  const again = "Too many requests of this kind in the last minute. Retry after Retry-After."
  const shares: Readonly<Record<ClientShare, { readonly limit: PrefixShare; readonly message: string }>> = {
    daily: {
      limit: new PrefixShare(dayShare(limits.requestsPerDay, CHEAP)),
      message: `At most ${limits.requestsPerDay} requests a day are answered for one client.`,
    },
    minute: {
      limit: cheapMinute(limits.serviceRequestsPerMinute),
      message: `At most ${limits.serviceRequestsPerMinute} such requests a minute are answered for one client.`,
    },
    pages: {
      limit: cheapMinute(limits.pageRequestsPerMinute),
      message: `At most ${limits.pageRequestsPerMinute} requests a minute for pages are answered for one client.`,
    },
    receipts: {
      limit: costlyMinute(limits.receiptVerifiesPerMinute),
      message: `At most ${limits.receiptVerifiesPerMinute} receipts a minute are verified for one client.`,
    },
    payments: { limit: costlyMinute(limits.paymentCallsPerMinute), message: again },
    confirms: { limit: costlyMinute(limits.confirmsPerMinute), message: again },
    changes: {
      limit: costlyMinute(limits.changesRequestsPerMinute),
      message: `At most ${limits.changesRequestsPerMinute} pages and streams of changes a minute are opened for one client.`,
    },
  }
  const withinShare = (exchange: Exchange, client: string, counted: ClientShare): boolean => {
    const { limit, message } = shares[counted]
    const share = limit.take(client, nowMs())
    if (counted === "daily") exchange.share = share
    if (!share.allowed) answers.problem(exchange, rateLimited(share.resetSeconds, message))
    return share.allowed
  }
  return {
    admit: (exchange, client, counted) => {
      if (counted === "token" || counted === "never") return true
      if (!withinShare(exchange, client, counted)) return false
      if ((exchange.request.url ?? "").length <= limits.urlLengthMax) return true
      const message = `The address is longer than ${limits.urlLengthMax} characters.`
      answers.problem(exchange, problem(414, "uri_too_long", message))
      return false
    },
    excuse: (client, counted) => {
      if (counted !== "token" && counted !== "never") shares[counted].limit.giveBack(client)
    },
  }
}

declare module "fastify" {
  interface FastifyRequest {
    /** The exchange of a request that was admitted before its body was read. */
    exchange: Exchange | null
  }
}

interface ServeOptions {
  /** Public address without a slash at its end; null where it is not known. */
  readonly baseUrl: string | null
  readonly traffic: Traffic
  readonly admit: RequestAdmission["admit"]
  readonly clients: Clients
  /** Collects the routes by their paths, for calls from inside the service. */
  readonly routes: Map<string, ServedRoute>
}

/** The headers that announce what is deprecated of an endpoint; none where nothing is. */
const noticeOf = ({ path, deprecated }: Endpoint, { baseUrl }: ServeOptions): ReadonlyArray<string> =>
  deprecated.length === 0 ? [] : noticeHeaders(path, deprecated, baseUrl ?? "")

/** Adds a route whose requests are admitted before their body is read, so that refused bodies are never buffered. */
const serveWithBody = (app: FastifyInstance, endpoint: Endpoint, route: Route, meter: Meter, options: ServeOptions) => {
  const { admit, clients } = options
  const notice = noticeOf(endpoint, options)
  app.route<{ Querystring: RequestQuery }>({
    url: endpoint.path,
    method: [...methodsOf(endpoint)],
    onRequest: (request, reply, next) => {
      const exchange = openExchange(request.raw, reply.raw, meter, notice)
      if (!admit(exchange, clients.clientOf(request.raw), endpoint.counted)) return
      request.exchange = exchange
      next()
    },
    handler: ({ raw, query, body, exchange }, reply) =>
      route(exchange ?? openExchange(raw, reply.raw, meter, notice), query, clients.clientOf(raw), body),
  })
}

/** Adds a route without a body, which is admitted in its handler: one step less for each free request. */
const serveWithoutBody = (
  app: FastifyInstance,
  endpoint: Endpoint,
  route: Route,
  meter: Meter,
  options: ServeOptions,
) => {
  const { admit, clients } = options
  const notice = noticeOf(endpoint, options)
  app.route<{ Querystring: RequestQuery }>({
    url: endpoint.path,
    method: [...methodsOf(endpoint)],
    handler: (request, reply) => {
      const exchange = openExchange(request.raw, reply.raw, meter, notice)
      const client = clients.clientOf(request.raw)
      if (!admit(exchange, client, endpoint.counted)) return
      // The reply is written to Node's response, past the framework.
      return route(exchange, request.query, client, request.body)
    },
  })
}

/** Makes the function that adds the route of an endpoint, metered under its name and counted as it declares. */
export const makeServe =
  (options: ServeOptions): ApiTools["serve"] =>
  (app, endpoint, route) => {
    const add = endpoint.method === "GET" ? serveWithoutBody : serveWithBody
    const meter = options.traffic.meter(endpoint.name)
    options.routes.set(endpoint.path, { endpoint, route, meter })
    add(app, endpoint, route, meter, options)
  }

/** The route of an endpoint and what counts its requests. */
export interface ServedRoute {
  readonly endpoint: Endpoint
  readonly route: Route
  readonly meter: Meter
}

/** A response that captures its bytes instead of sending them. */
class CapturedResponse extends ServerResponse {
  readonly captured: Promise<LocalReply>
  readonly #keep: (reply: LocalReply) => void
  #status = 200
  #headers: Readonly<Record<string, string>> = {}

  constructor(request: IncomingMessage) {
    super(request)
    const { promise, resolve } = Promise.withResolvers<LocalReply>()
    this.captured = promise
    this.#keep = resolve
  }

  /** Takes the flat list of headers that `Answers` writes. */
  override writeHead(status: number, headers?: unknown): this {
    const flat = Array.isArray(headers) ? headers.map(String) : []
    this.#status = status
    this.#headers = Object.fromEntries(
      flat.flatMap((name, at) => (at % 2 === 0 ? [[name.toLowerCase(), flat[at + 1] ?? ""]] : [])),
    )
    return this
  }

  override end(body?: unknown): this {
    this.#keep({
      status: this.#status,
      headers: this.#headers,
      body: Buffer.isBuffer(body) ? body : Buffer.alloc(0),
    })
    return this
  }
}

/** Headers of the outer request from which addresses in replies are made. */
const OF_THE_WAY = ["host", "x-forwarded-proto"] as const

const requestOf = (
  outer: IncomingMessage,
  requestId: string,
  endpoint: Endpoint,
  { query = {}, headers }: LocalCall,
): IncomingMessage => {
  // The socket of the outer request, as a call ends free of charge when its client disconnects.
  const request = new IncomingMessage(outer.socket)
  const [method = endpoint.method] = methodsOf(endpoint)
  request.method = method
  request.url = instanceKey(endpoint.path, query)
  request.headers = { ...headers }
  for (const name of OF_THE_WAY) {
    const value = outer.headers[name]
    if (typeof value === "string") request.headers[name] = value
  }
  request.complete = true
  request.requestId = requestId
  return request
}

/**
 * Makes the function that calls endpoints from inside the service. It runs the same route as a request over HTTP: the same
 * limits of the client, metrics, refusals and charges; only the bytes are handed over instead of sent.
 */
export const makeLocalCalls =
  (options: {
    readonly routes: ReadonlyMap<string, ServedRoute>
    readonly answers: Answers
    readonly admit: RequestAdmission["admit"]
    readonly logger: ApiLogger
  }): CallLocally =>
  async (outer, client, call) => {
    const served = options.routes.get(call.path)
    if (served === undefined) throw new Error(`no endpoint is served at ${call.path}`)
    const { endpoint, route, meter } = served
    const request = requestOf(outer.request, options.answers.requestIdOf(outer), endpoint, call)
    const response = new CapturedResponse(request)
    const exchange = openExchange(request, response, meter)
    if (options.admit(exchange, client, endpoint.counted))
      try {
        await route(exchange, call.query ?? {}, client, call.body)
      } catch (error) {
        const cause = error instanceof Error ? (error.stack ?? error.message) : String(error)
        options.logger.error({ endpoint: meter.endpoint, request: request.requestId, cause }, "a request failed")
        options.answers.problem(exchange, internalError())
      }
    return response.captured
  }
