import type { IncomingMessage, ServerResponse } from "node:http"
import Fastify, { type FastifyInstance, type HTTPMethods } from "fastify"
import { Gauge, type Registry, register } from "prom-client"
import type { Endpoint } from "../schemas/contract/endpoint-kinds.ts"
import { buyingTermsOf } from "../schemas/contract/refusal.ts"
import { documents } from "./document-registry.ts"
import { makeAdmission } from "./http/admission.ts"
import { Answers, type Exchange } from "./http/answer.ts"
import { makeClients } from "./http/client-address.ts"
import { reachedAddress } from "./http/host.ts"
import { makeHttpServer } from "./http/http-server.ts"
import { type ApiLimits, defaultLimits } from "./http/limits.ts"
import type { RequestQuery } from "./http/parameters.ts"
import {
  internalError,
  linksOf,
  methodNotAllowed,
  notFound,
  type ProblemReply,
  transportProblem,
} from "./http/problems.ts"
import { type Meter, UNKNOWN_ENDPOINT } from "./http/traffic.ts"
import { refuseConnection } from "./http/transport.ts"
import { paymentPlugin } from "./payment/plugin.ts"
import { premiumPlugin } from "./premium/plugin.ts"
import { receiptsPlugin } from "./receipts.ts"
import type { ApiOptions, ApiPlugin, ApiTools } from "./route.ts"
import { makeRoute, type RouteTools } from "./routes.ts"
import { FilteredReplies } from "./views/filtered.ts"
import { OnDemand } from "./views/on-demand.ts"
import type { ViewStore } from "./views/store.ts"

/** The plugins, in the order in which they are added. */
const plugins: ReadonlyArray<ApiPlugin> = [premiumPlugin, paymentPlugin, receiptsPlugin]

/** Methods of an endpoint, without OPTIONS. A premium endpoint has no HEAD, as a call is charged for its body. */
const methodsOf = ({ method, tier }: Endpoint): Array<HTTPMethods> =>
  method === "GET" && tier !== "premium" ? ["GET", "HEAD"] : [method]

const isErrorWithCode = (error: unknown): error is { readonly code: string } =>
  typeof error === "object" && error !== null && "code" in error && typeof error.code === "string"

const showConnections = (app: FastifyInstance, registry: Registry): void => {
  const name = "tidewire_api_connections"
  registry.removeSingleMetric(name)
  new Gauge({
    name,
    help: "Open connections of the public port",
    registers: [registry],
    async collect() {
      this.set(await new Promise((resolve) => app.server.getConnections((_, count) => resolve(count ?? 0))))
    },
  })
}

const showViewAges = (store: ViewStore, registry: Registry): void => {
  const name = "tidewire_api_view_age_seconds"
  registry.removeSingleMetric(name)
  new Gauge({
    name,
    help: "Time since the data of an endpoint was last confirmed, of its oldest view; absent before the first time",
    labelNames: ["endpoint"],
    registers: [registry],
    collect() {
      this.reset()
      for (const [endpoint, ageMs] of store.agesMs()) this.set({ endpoint }, Math.max(0, ageMs / 1000))
    },
  })
}

/**
 * Builds the API: routes, validation and documents from the contract, replies from the store. Replies of free endpoints need
 * only memory. The caller starts it (`listen`), closes it (`closeApi`), and may add routes before the start. Throws when an
 * endpoint of the contract has no implementation.
 */
export const buildApi = async (options: ApiOptions): Promise<FastifyInstance> => {
  const limits: ApiLimits = { ...defaultLimits, ...options.limits }
  const registry = options.registry ?? register
  const { traffic, nowMs, endpoints, logger } = options
  const clients = makeClients(options.trustedProxies)
  const links = linksOf(options.baseUrl)
  const answers = new Answers({
    requestsPerDay: limits.requestsPerDay,
    baseUrl: options.baseUrl,
    reachedAddressOf: (request) => reachedAddress(request, clients.peerOf(request.socket).trusted),
    nowMs,
    accessLog: options.accessLog ?? null,
  })
  const { admit, excuse } = makeAdmission(limits, answers, nowMs)
  const paths = endpoints.map(({ path }) => path)
  const allowed = new Map(endpoints.map((endpoint) => [endpoint.path, [...methodsOf(endpoint), "OPTIONS"].join(", ")]))
  const meters = new Map(endpoints.map(({ path, name }) => [path, traffic.meter(name)]))
  const unknown = traffic.meter(UNKNOWN_ENDPOINT)
  traffic.register(registry)

  const open = (request: IncomingMessage, response: ServerResponse, meter: Meter): Exchange => ({
    request,
    response,
    meter,
    startedAtMs: performance.now(),
    share: null,
  })

  const noRoute = (request: IncomingMessage, response: ServerResponse, path: string): void => {
    const exchange = open(request, response, meters.get(path) ?? unknown)
    const allow = allowed.get(path)
    // A preflight does not count; the request that follows it does.
    if (request.method === "OPTIONS" && allow !== undefined) answers.options(exchange, allow)
    else if (admit(exchange, clients.clientOf(request), "minute"))
      answers.problem(exchange, allow === undefined ? notFound(path, paths, links) : methodNotAllowed(allow))
  }

  const failed = (error: unknown, request: IncomingMessage, response: ServerResponse): void => {
    // The client disconnected before its request was complete: no reply is possible, and the service has not failed.
    if (request.destroyed && !request.complete) {
      response.destroy()
      return
    }
    const path = (request.url ?? "").split("?")[0] ?? ""
    const exchange = open(request, response, meters.get(path) ?? unknown)
    const known = transportProblem(isErrorWithCode(error) ? error.code : undefined)
    if (known === null) {
      const cause = error instanceof Error ? (error.stack ?? error.message) : String(error)
      logger.error({ endpoint: exchange.meter.endpoint, cause }, "a request failed")
    }
    if (response.headersSent) response.destroy()
    else answers.problem(exchange, known ?? internalError())
  }

  const refuse = (request: IncomingMessage, response: ServerResponse, reply: ProblemReply): void => {
    const exchange = open(request, response, unknown)
    if (admit(exchange, clients.clientOf(request), "minute")) answers.problem(exchange, reply)
  }

  const app = Fastify({
    logger: false,
    bodyLimit: limits.bodyBytesMax,
    serverFactory: (answer) => makeHttpServer(answer, { limits, clients, refuse }),
    forceCloseConnections: "idle",
    return503OnClosing: false,
    exposeHeadRoutes: false,
    clientErrorHandler: refuseConnection,
    frameworkErrors: (error, request, reply) => failed(error, request.raw, reply.raw),
  })
  app.setNotFoundHandler((request, reply) => noRoute(request.raw, reply.raw, request.url.split("?")[0] ?? ""))
  app.setErrorHandler((error, request, reply) => failed(error, request.raw, reply.raw))
  showConnections(app, registry)
  showViewAges(options.store, registry)

  /** Exchanges of requests that were admitted before their body was read. */
  const admitted = new WeakMap<IncomingMessage, Exchange>()
  const serve: ApiTools["serve"] = (target, endpoint, route) => {
    const meter = traffic.meter(endpoint.name)
    const { counted } = endpoint
    if (endpoint.method !== "GET") {
      target.route<{ Querystring: RequestQuery }>({
        url: endpoint.path,
        method: methodsOf(endpoint),
        // Before the body, so that the body of a refused request is neither buffered nor parsed.
        onRequest: ({ raw }, reply, next) => {
          const exchange = open(raw, reply.raw, meter)
          if (!admit(exchange, clients.clientOf(raw), counted)) return
          admitted.set(raw, exchange)
          next()
        },
        handler: (request, reply) =>
          route(
            admitted.get(request.raw) ?? open(request.raw, reply.raw, meter),
            request.query,
            clients.clientOf(request.raw),
            request.body,
          ),
      })
      return
    }
    target.route<{ Querystring: RequestQuery }>({
      url: endpoint.path,
      method: methodsOf(endpoint),
      handler: (request, reply) => {
        const exchange = open(request.raw, reply.raw, meter)
        const client = clients.clientOf(request.raw)
        if (!admit(exchange, client, counted)) return
        // The reply is written to Node's response, past the framework.
        return route(exchange, request.query, client, request.body)
      },
    })
  }
  const tools: ApiTools = {
    options,
    limits,
    registry,
    answers,
    terms: buyingTermsOf(endpoints, options.baseUrl),
    admit,
    excuse,
    serve,
  }
  const routeTools: RouteTools = {
    ...tools,
    onDemand: new OnDemand({ ...options, limits, registry }),
    filtered: new FilteredReplies({ store: options.store, nowMs, limits }),
    documents,
  }
  for (const endpoint of endpoints) {
    const route = makeRoute(endpoint, routeTools)
    if (route !== null) serve(app, endpoint, route)
  }
  for (const plugin of plugins) await app.register(plugin(tools))
  for (const { path: url, method, tier, kind } of endpoints)
    if (!app.hasRoute({ url, method }))
      throw new Error(`the API has no implementation of ${method} ${url} (${tier}, ${kind})`)

  // A route, as the framework's 404 handler would read and parse the body of the refused request first.
  app.route<{ Params: { "*": string } }>({
    url: "*",
    method: app.supportedMethods as Array<HTTPMethods>,
    onRequest: (request, reply) => noRoute(request.raw, reply.raw, request.params["*"]),
    handler: () => undefined,
  })
  return app
}
