import Fastify, { type FastifyInstance } from "fastify"
import {
  internalError,
  methodNotAllowed,
  type ProblemReply,
  problem,
  transportProblem,
} from "../../api/http/problems.ts"
import type { Rail, RailReply } from "../../api/internal/rail.ts"
import { SISTER_EDGE, SISTER_PATHS, type SisterOperation } from "../../schemas/sister-rail.ts"
import { type EdgeLimits, type SignedRoute, signedRoutes } from "../signing/signed-route.ts"

/** Far more than the largest request. */
const BODY_MAX_BYTES = 4 * 1024
const TIMEOUT_MS = 10_000
/** Of all clients: a sister holds one for each of its calls in flight. */
const CONNECTIONS_MAX = 1_024
const OPERATIONS: ReadonlyArray<SisterOperation> = ["validate", "commit"]
const PATHS: ReadonlySet<string> = new Set(Object.values(SISTER_PATHS))

const headersOf = (texts: ReadonlyArray<string>): Record<string, string> =>
  Object.fromEntries(texts.flatMap((name, at) => (at % 2 === 0 ? [[name, texts[at + 1] ?? ""]] : [])))

const problemOf = (error: unknown): ProblemReply => {
  const code = typeof error === "object" && error !== null && "code" in error ? String(error.code) : undefined
  return transportProblem(code) ?? internalError()
}

/**
 * Builds the listener of the sister service's rail: two POST routes, each of them signed. Nothing else is served, and nothing
 * of a request is logged: its body holds the token of a caller. The caller starts it.
 */
export const buildRail = (options: {
  readonly rail: Rail
  /** The current secret and, while it changes, the one before. */
  readonly secrets: ReadonlyArray<string>
  /** Called with what no reply explains: a fault of this service. */
  readonly onFault: (error: unknown) => void
  readonly limits?: EdgeLimits
}): FastifyInstance => {
  const { rail, secrets, onFault, limits } = options
  const app = Fastify({
    logger: false,
    bodyLimit: BODY_MAX_BYTES,
    requestTimeout: TIMEOUT_MS,
    forceCloseConnections: "idle",
    exposeHeadRoutes: false,
    http: { headersTimeout: TIMEOUT_MS },
  })
  app.server.maxConnections = CONNECTIONS_MAX
  app.addHook("onSend", async (_, reply) => {
    reply.headers({ "cache-control": "no-store", "x-content-type-options": "nosniff" })
  })
  app.setErrorHandler((error, _, reply) => {
    const { status, body, headers } = problemOf(error)
    if (status >= 500) onFault(error)
    return reply.code(status).headers(headersOf(headers)).send(body)
  })
  app.setNotFoundHandler((request, reply) => {
    const { status, body, headers } = PATHS.has(request.url.split("?")[0] ?? "")
      ? methodNotAllowed("POST")
      : problem(404, "not_found", "There is nothing at this path.")
    return reply.code(status).headers(headersOf(headers)).send(body)
  })
  const routes = OPERATIONS.map(
    (operation): SignedRoute => ({
      path: SISTER_PATHS[operation],
      bodyBytesMax: BODY_MAX_BYTES,
      handler: async (body, reply) => {
        const answered: RailReply = await rail[operation](body)
        return reply.code(answered.status).headers(headersOf(answered.headers)).send(answered.body)
      },
    }),
  )
  app.register(signedRoutes({ name: SISTER_EDGE, secrets }, routes, limits))
  return app
}
