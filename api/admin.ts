import Fastify, { type FastifyInstance } from "fastify"

/** Whether the process is ready for traffic, and the state of its parts. */
interface Readiness {
  readonly ready: boolean
  /** Why it is not ready; empty when it is. */
  readonly reasons: ReadonlyArray<string>
  /** Faults that do not keep callers from being served. */
  readonly degraded: ReadonlyArray<string>
  /** The state of each part of the process. */
  readonly parts: ReadonlyArray<object>
}

/** The sources of the admin port's pages. */
export interface AdminOptions {
  /** All metrics, in the text format of Prometheus. */
  readonly metrics: () => Promise<string>
  readonly ready: () => Readiness
}

const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"
const TIMEOUT_MS = 10_000

/**
 * Builds the admin port: `/metrics`, `/livez` (answered by the event loop, so slow if that is starved) and `/readyz` (503
 * with reasons until the process is ready). It serves operators and must not be reachable from outside; it reveals no secret
 * and changes nothing. The caller starts it.
 */
export const buildAdmin = (options: AdminOptions): FastifyInstance => {
  const app = Fastify({
    logger: false,
    bodyLimit: 1024,
    requestTimeout: TIMEOUT_MS,
    forceCloseConnections: "idle",
    http: { headersTimeout: TIMEOUT_MS },
  })
  app.addHook("onSend", async (_, reply) => {
    reply.headers({ "cache-control": "no-store", "x-content-type-options": "nosniff" })
  })
  app.get("/livez", () => ({ live: true }))
  app.get("/readyz", (_, reply) => {
    const readiness = options.ready()
    return reply.code(readiness.ready ? 200 : 503).send(readiness)
  })
  app.get("/metrics", async (_, reply) => reply.type(METRICS_TYPE).send(await options.metrics()))
  return app
}
