import { createHash, randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import Fastify, { type FastifyInstance } from "fastify"
import { Agent } from "undici"
import { bearerOf } from "../../ledger/client.ts"
import type { CommitReply } from "../../schemas/sister-rail.ts"
import { makeRailClient, type RailAnswer, type RailClient } from "./rail-client.ts"

// A sister data service: it sells no credits, has no ledger, and serves a paid endpoint to the holders of Tidewire's tokens.

/** The one endpoint: SHA-256 of a text. An empty text costs nothing. */
export const DIGEST_PATH = "/api/digest"
/** Credits of a call. */
export const DIGEST_COST = 3
/** The endpoint in the ledger's entries. */
export const DIGEST_ENDPOINT = "digest"

const TEXT_MAX_CHARACTERS = 1_000
const COMMIT_TRIES_MAX = 3
const COMMIT_PAUSE_MS = 100

/** Commits, and repeats the same request where no reply came: it is carried out once. */
const commit = async (
  rail: RailClient,
  reservation_id: string,
  no_charge: boolean,
): Promise<RailAnswer<CommitReply>> => {
  for (let tried = 1; ; tried++) {
    const answer = await rail.commit({ reservation_id, no_charge }).catch((error: unknown) => error)
    const isRefused = answer instanceof Object && "status" in answer && answer.status !== 503
    if (answer instanceof Object && ("accepted" in answer || isRefused)) return answer as RailAnswer<CommitReply>
    if (tried === COMMIT_TRIES_MAX) throw answer
    await sleep(COMMIT_PAUSE_MS)
  }
}

/** Builds the service. A caller's Idempotency-Key makes a repeated call the same reservation: it is charged once. */
export const buildSister = (rail: RailClient): FastifyInstance => {
  const app = Fastify({ logger: false })
  // While the rail is away, no call is served; what was reserved meanwhile is returned.
  app.setErrorHandler((_, __, reply) => reply.code(503).send({ error: "billing_unavailable" }))
  app.get<{ Querystring: { readonly text?: string } }>(DIGEST_PATH, async (request, reply) => {
    const { authorization, "idempotency-key": key } = request.headers
    const bearer = bearerOf(authorization)
    if (bearer === "malformed") return reply.code(402).send({ error: "invalid_token" })
    const token = bearer === "missing" ? null : bearer.token
    const reservation_id =
      key === undefined ? randomUUID() : createHash("sha256").update(`${token}/${key}`).digest("hex")
    const reserved = await rail.validate({ token, cost: DIGEST_COST, endpoint: DIGEST_ENDPOINT, reservation_id })
    // A signature that is refused is a fault of this service, not of its caller.
    if ("refusal" in reserved) return reply.code(reserved.status === 401 ? 503 : reserved.status).send(reserved.refusal)

    const text = (request.query.text ?? "").slice(0, TEXT_MAX_CHARACTERS)
    const digest = text === "" ? null : createHash("sha256").update(text).digest("hex")

    const ended = await commit(rail, reservation_id, digest === null)
    if ("refusal" in ended) return reply.code(ended.status).send(ended.refusal)
    return { digest, ...ended.accepted }
  })
  return app
}

/** What a sister service is started with. */
export interface SisterSpec {
  readonly railUrl: string
  readonly secret: string
  /** 0 takes a free one. */
  readonly port: number
}

/** Starts the service on 127.0.0.1. It needs the rail only when it is called. */
export const startSister = async ({
  railUrl,
  secret,
  port,
}: SisterSpec): Promise<{ readonly url: string; readonly close: () => Promise<void> }> => {
  const agent = new Agent()
  const app = buildSister(makeRailClient({ url: railUrl, secret, dispatcher: agent }))
  const url = await app.listen({ host: "127.0.0.1", port })
  return {
    url,
    close: async () => {
      await app.close()
      await agent.close()
    },
  }
}
