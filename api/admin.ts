import Fastify, { type FastifyInstance } from "fastify"

/** Whether the process should be given traffic, why not, and what stands behind it. */
export interface Readiness {
  readonly ready: boolean
  readonly reasons: ReadonlyArray<string>
  /** What does not work, though callers are served all the same. */
  readonly degraded: ReadonlyArray<string>
  /** How each part of the process stands. */
  readonly parts: ReadonlyArray<object>
}

/** What the admin port shows. */
export interface AdminOptions {
  /** All metrics, in the text format of Prometheus. */
  readonly metrics: () => Promise<string>
  readonly ready: () => Readiness
}

const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"
const TIMEOUT_MS = 10_000

/**
 * Builds the admin port: `/metrics`, `/livez` (the event loop turns) and `/readyz` (503 with reasons until it is). It is
 * for operators and is not to be reached from outside; it holds no secret and changes nothing. The caller starts it.
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
