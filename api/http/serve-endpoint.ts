import type { FastifyInstance } from "fastify"
import { noticeHeaders } from "../../schemas/contract/deprecation.ts"
import { type Endpoint, methodsOf } from "../../schemas/contract/endpoint-kinds.ts"
import type { ApiTools, Route } from "../route.ts"
import type { RequestAdmission } from "./admission.ts"
import { type Exchange, openExchange } from "./answer.ts"
import type { Clients } from "./client-address.ts"
import type { ServedRoute } from "./local-call.ts"
import type { RequestQuery } from "./parameters.ts"
import type { Meter, Traffic } from "./traffic.ts"

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
