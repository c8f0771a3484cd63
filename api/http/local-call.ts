import { IncomingMessage, ServerResponse } from "node:http"
import { type Endpoint, methodsOf } from "../../schemas/contract/endpoint-kinds.ts"
import { instanceKey } from "../../schemas/feed.ts"
import type { ApiLogger, CallLocally, LocalCall, LocalReply, Route } from "../route.ts"
import type { RequestAdmission } from "./admission.ts"
import { type Answers, openExchange } from "./answer.ts"
import { internalError } from "./problems.ts"
import type { Meter } from "./traffic.ts"

/** The route of an endpoint and what counts its requests. */
export interface ServedRoute {
  readonly endpoint: Endpoint
  readonly route: Route
  readonly meter: Meter
}

/** A response whose bytes stay here. */
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

/** Headers of the outer request that say where it came from: addresses in replies follow from them. */
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
