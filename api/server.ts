import type { IncomingMessage } from "node:http"
import Fastify, { type FastifyInstance, type HTTPMethods } from "fastify"
import { Gauge, type Registry, register } from "prom-client"
import { buyingTermsOf } from "../schemas/contract/refusal.ts"
import { parseInstanceKey } from "../schemas/feed.ts"
import { changesPlugin } from "./changes/plugin.ts"
import { historyPlugin } from "./history/plugin.ts"
import { Answers } from "./http/answer.ts"
import { makeClients, reachedAddress } from "./http/client.ts"
import { makeHttpServer, refuseConnection } from "./http/http-server.ts"
import { boundBodies } from "./http/json-body.ts"
import { type ApiLimits, defaultLimits } from "./http/limits.ts"
import { linksOf } from "./http/problems.ts"
import { Coder } from "./http/representation.ts"
import { makeAdmission, makeLocalCalls, makeServe, type ServedRoute } from "./http/serve.ts"
import { makeUnservedReplies } from "./http/unserved.ts"
import { mcpPlugin } from "./mcp/plugin.ts"
import { makeProblemPage } from "./pages/problem-page.ts"
import { isPagePath, sitePlugin } from "./pages/site-plugin.ts"
import { PastReader } from "./past/reader.ts"
import { makePastRoute } from "./past/route.ts"
import { paymentPlugin } from "./payment/plugin.ts"
import { premiumPlugin } from "./premium/plugin.ts"
import { receiptsPlugin } from "./receipts.ts"
import { documents } from "./routes/document-registry.ts"
import { makeRoute, type RouteTools } from "./routes/endpoint-routes.ts"
import type { ApiOptions, ApiPlugin, ApiTools } from "./routes/route.ts"
import { FilteredReplies } from "./views/filtered.ts"
import { OnDemand } from "./views/on-demand.ts"
import { Renditions } from "./views/renditions.ts"
import type { ViewStore } from "./views/store.ts"
import { WorldBoard } from "./world/board.ts"
import { BoardHistory } from "./world/board-history.ts"
import { PastBoards } from "./world/past-boards.ts"

/** The plugins, in the order in which they are added. */
const plugins: ReadonlyArray<ApiPlugin> = [
  premiumPlugin,
  paymentPlugin,
  receiptsPlugin,
  changesPlugin,
  historyPlugin,
  mcpPlugin,
  sitePlugin,
]

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

const showStoppedViews = (store: ViewStore, registry: Registry): void => {
  const name = "tidewire_views_stopped"
  registry.removeSingleMetric(name)
  new Gauge({
    name,
    help: "Views that are served as they were, as their last record in the log is damaged, by the path of their endpoint",
    labelNames: ["view"],
    registers: [registry],
    collect() {
      this.reset()
      for (const key of store.stopped.keys()) this.inc({ view: parseInstanceKey(key).name })
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
  const { traffic, nowMs, endpoints, judgedMs = nowMs } = options
  const clients = makeClients(options.trustedProxies)
  const isProxied = (request: IncomingMessage) => clients.peerOf(request.socket).trusted
  const answers = new Answers({
    requestsPerDay: limits.requestsPerDay,
    baseUrl: options.baseUrl,
    reachedAddressOf: (request) => reachedAddress(request, isProxied(request)),
    isProxied,
    nowMs,
    accessLog: options.accessLog ?? null,
    problemPage: makeProblemPage(options),
  })
  const { admit, excuse } = makeAdmission(limits, answers, nowMs)
  const { noRoute, failed, refuse } = makeUnservedReplies({
    ...options,
    answers,
    admit,
    clients,
    links: linksOf(options.baseUrl),
    isPagePath,
  })
  traffic.register(registry)

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
  boundBodies(app)
  app.decorateRequest("exchange", null)
  app.setNotFoundHandler((request, reply) => noRoute(request.raw, reply.raw, request.url.split("?")[0] ?? ""))
  app.setErrorHandler((error, request, reply) => failed(error, request.raw, reply.raw))
  showConnections(app, registry)
  showViewAges(options.store, registry)
  showStoppedViews(options.store, registry)

  const routes = new Map<string, ServedRoute>()
  const serve = makeServe({ traffic, admit, clients, routes, baseUrl: options.baseUrl })
  const coder = new Coder()
  const past = new PastReader(options.past ?? null, { nowMs, limits, logger: options.logger })
  const pastWorld = new PastBoards({ ...options, past })
  const tools: ApiTools = {
    options,
    limits,
    registry,
    answers,
    coder,
    terms: buyingTermsOf(endpoints, options.baseUrl),
    world: new WorldBoard({ ...options, nowMs: judgedMs }),
    pastWorld,
    worldHistory: new BoardHistory({ past, boards: pastWorld, nowMs }),
    past,
    admit,
    excuse,
    serve,
    call: makeLocalCalls({ routes, answers, admit, logger: options.logger }),
  }
  const routeTools: RouteTools = {
    ...tools,
    onDemand: new OnDemand({ ...options, limits, registry }),
    filtered: new FilteredReplies({ store: options.store, nowMs: judgedMs, limits, coder }),
    renditions: new Renditions({ nowMs: judgedMs, limits, coder }),
    documents,
  }
  const withPast = makePastRoute(tools)
  for (const endpoint of endpoints) {
    const route = makeRoute(endpoint, routeTools)
    if (route !== null) serve(app, endpoint, withPast(endpoint, route))
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

const CLOSE_IDLE_EVERY_MS = 50

/**
 * Closes an API: accepts no new connection, lets running requests finish, and destroys the remaining connections after
 * `deadlineMs`. Resolves when every connection is closed.
 */
export const closeApi = async (app: FastifyInstance, deadlineMs: number): Promise<void> => {
  // A connection whose last request ends during the close would stay idle until its keep-alive timeout.
  const idle = setInterval(() => app.server.closeIdleConnections(), CLOSE_IDLE_EVERY_MS)
  const deadline = setTimeout(() => app.server.closeAllConnections(), deadlineMs)
  try {
    await app.close()
  } finally {
    clearInterval(idle)
    clearTimeout(deadline)
  }
}
