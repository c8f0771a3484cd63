import { randomBytes } from "node:crypto"
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import { Counter } from "prom-client"
import { RateLimit } from "../../api/http/shares.ts"
import { bodyHashOf, isFresh, isSignedBy, readSignature, type SignedHeader } from "./request-signature.ts"

/** An entrance to a process, with the secrets of its users: the current one and, during a rotation, the previous one. */
export interface Edge {
  readonly name: string
  readonly secrets: ReadonlyArray<string>
}

/** A route of an edge. */
export interface SignedRoute {
  readonly path: string
  readonly bodyBytesMax: number
  /** Called with the parsed JSON of a request whose signature, time, nonce and body hash are valid. */
  readonly handler: (body: unknown, reply: FastifyReply) => Promise<unknown>
}

/** Limits that tests set. */
export interface EdgeLimits {
  readonly nowMs?: () => number
  readonly noncesMax?: number
}

/** Nonces that are remembered for one receiver id; with the next one the receiver changes its id. */
const NONCES_MAX = 65_536
const RECEIVER_BYTES = 16
/** Wrong signatures of one address within a minute; further wrong ones of it get 429 until the minute is over. */
export const FAILED_TRIES_MAX = 20
const FAILED_TRIES_MS = 60_000

const refusals = new Counter({
  name: "tidewire_internal_requests_refused_total",
  help: "Requests between processes that were refused, by edge and reason: unsigned, wrong (signature), limited (too many wrong ones of this address), stale (time), receiver (meant for another process, or for this one before), replayed, altered (body)",
  labelNames: ["edge", "reason"],
})

/** Why a request is refused. */
type RefusalReason = "unsigned" | "wrong" | "limited" | "stale" | "receiver" | "replayed" | "altered"

/**
 * Serves POST routes of one edge. Requests are signed over edge, method, path, body, time, nonce and receiver. A request is
 * accepted once, by the process that it was signed for: each process sends a random receiver id of its own (with every 401)
 * and remembers the nonces that were used with it. At the limit it changes its id, which voids every earlier signature, so
 * replay protection depends on no clock. Register it as a plugin, as it replaces the content type parser.
 */
export const signedRoutes =
  ({ name, secrets }: Edge, routes: ReadonlyArray<SignedRoute>, limits: EdgeLimits = {}) =>
  async (app: FastifyInstance): Promise<void> => {
    const { nowMs = Date.now, noncesMax = NONCES_MAX } = limits
    const failedTries = new RateLimit({ max: FAILED_TRIES_MAX, windowMs: FAILED_TRIES_MS })
    const signed = new WeakMap<FastifyRequest, SignedHeader>()
    const nonces = new Set<string>()
    let receiver = ""
    const renew = () => {
      receiver = randomBytes(RECEIVER_BYTES).toString("base64url")
      nonces.clear()
    }
    renew()

    /** Checks everything but the body, which has not been read yet. */
    const check = (request: FastifyRequest): RefusalReason | SignedHeader => {
      const header = readSignature(request.headers.authorization)
      if (header === null) return "unsigned"
      const { method, url } = request
      // First, so that wrong signatures never lock out a valid one. It costs a few hashes of a bounded text.
      if (!isSignedBy(secrets, { edge: name, method, path: url }, header))
        return failedTries.take(request.ip, performance.now()).allowed ? "wrong" : "limited"
      if (header.receiver !== receiver) return "receiver"
      if (!isFresh(header, nowMs())) return "stale"
      if (nonces.has(header.nonce)) return "replayed"
      return header
    }

    const refuse = async (reply: FastifyReply, reason: RefusalReason) => {
      refusals.inc({ edge: name, reason })
      if (reason === "limited")
        return await reply
          .code(429)
          .header("retry-after", String(FAILED_TRIES_MS / 1000))
          .send({ reason })
      return await reply.code(401).send({ reason, receiver })
    }

    app.removeAllContentTypeParsers()
    app.addContentTypeParser("application/json", { parseAs: "buffer" }, (_, body, done) => done(null, body))
    for (const { path, bodyBytesMax, handler } of routes)
      app.post(path, {
        bodyLimit: bodyBytesMax,
        onRequest: async (request, reply) => {
          const checked = check(request)
          if (typeof checked === "string") return await refuse(reply, checked)
          // Before the body is awaited, so that one of two concurrent replays is refused.
          if (nonces.size >= noncesMax) renew()
          else nonces.add(checked.nonce)
          signed.set(request, checked)
        },
        handler: async (request, reply) => {
          const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
          if (bodyHashOf(body) !== signed.get(request)?.bodyHash) return await refuse(reply, "altered")
          let parsed: unknown
          try {
            parsed = JSON.parse(body.toString("utf8"))
          } catch {
            return await reply.code(400).send({ reason: "malformed" })
          }
          return await handler(parsed, reply)
        },
      })
  }
