import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { FastifyInstance } from "fastify"
import { Agent } from "undici"
import { Instant } from "../../schemas/event.ts"
import { feedObserved } from "../../schemas/events/observations.ts"
import { DemandFailed } from "../../schemas/ports/demand.ts"
import { makeSignedClient } from "../signing/signed-request.ts"
import { type EdgeLimits, signedRoutes } from "../signing/signed-route.ts"
import { type Observe, ObserveRequest, TIMEOUT_MS, unavailable, withinTimeout } from "./observe.ts"

/** The path of demand requests below the admin address of an ingest process. */
export const DEMAND_PATH = "/internal/demand"
/** The name of this edge in signatures. */
export const DEMAND_EDGE = "demand"

const REQUEST_MAX_BYTES = 16 * 1024
const REPLY_MAX_BYTES = 10 * 1024 * 1024
const CONNECT_TIMEOUT_MS = 1_000
const CONNECTIONS_PER_PROCESS = 32
const NOT_ACTIVE = 421

const Observation = Schema.Struct({
  specversion: Schema.Literal("1.0"),
  id: Schema.NonEmptyString,
  source: Schema.String,
  type: Schema.Literal(feedObserved.type),
  subject: Schema.String,
  time: Instant,
  datacontenttype: Schema.Literal("application/json"),
  v: Schema.Literal(feedObserved.version),
  data: feedObserved.data,
})
const Reply = Schema.Struct({ observations: Schema.NonEmptyArray(Observation) })
const { reason, retryAfterSeconds, restingSources } = DemandFailed.fields
const Refusal = Schema.Struct({ reason, retryAfterSeconds, restingSources })
const encodeRefusal = Schema.encodeSync(Refusal)

const decodeRequest = Schema.decodeUnknownResult(ObserveRequest)
const decodeReply = Schema.decodeUnknownResult(Schema.fromJsonString(Reply))
const decodeRefusal = Schema.decodeUnknownResult(Schema.fromJsonString(Refusal))

/**
 * Serves demand requests of API processes: a Fastify plugin for the admin port of ingest processes. `current` observes while
 * this process is active; a standby replies with 421. Requests are signed with one of `secrets`.
 */
export const demandRoutes = (
  current: () => Observe | null,
  secrets: ReadonlyArray<string>,
  limits: EdgeLimits = {},
): ((app: FastifyInstance) => Promise<void>) =>
  signedRoutes(
    { name: DEMAND_EDGE, secrets },
    [
      {
        path: DEMAND_PATH,
        bodyBytesMax: REQUEST_MAX_BYTES,
        handler: async (body, reply) => {
          const request = decodeRequest(body)
          if (Result.isFailure(request)) return reply.code(400).send()
          const observe = current()
          if (observe === null) return reply.code(NOT_ACTIVE).send()
          const answer = await Effect.runPromise(Effect.result(observe(request.success)))
          if (Result.isSuccess(answer)) return { observations: answer.success }
          return reply.code(503).send(encodeRefusal(answer.failure))
        },
      },
    ],
    limits,
  )

/** The answer of one ingest process: observations, a refusal, or `Next` if another process should be tried. */
type ProcessAnswer = ({ readonly _tag: "Observed" } & typeof Reply.Type) | { readonly _tag: "Next" } | DemandFailed

/**
 * Sends demand requests to ingest processes. `urls` are their admin addresses; the one that answered last is tried first, the
 * next one if it is a standby or unreachable. Fails with `DemandFailed` only. Connections live as long as the scope.
 */
export const makeHttpObserve = Effect.fnUntraced(function* (options: {
  readonly urls: ReadonlyArray<string>
  readonly secret: string
  readonly timeoutMs?: number
}): Effect.fn.Return<Observe, never, Scope.Scope> {
  const timeoutMs = options.timeoutMs ?? TIMEOUT_MS
  const agent = yield* Effect.acquireRelease(
    Effect.sync(
      () =>
        new Agent({
          connections: CONNECTIONS_PER_PROCESS,
          connectTimeout: CONNECT_TIMEOUT_MS,
          headersTimeout: timeoutMs,
          bodyTimeout: timeoutMs,
        }),
    ),
    (one) => Effect.promise(() => one.destroy()),
  )
  const client = makeSignedClient({ edge: DEMAND_EDGE, secret: options.secret, dispatcher: agent })
  let active = 0

  const post = async (url: string, request: ObserveRequest, signal: AbortSignal): Promise<ProcessAnswer> => {
    const { status, text } = await client.post({
      url,
      path: DEMAND_PATH,
      body: JSON.stringify(request),
      replyBytesMax: REPLY_MAX_BYTES,
      signal,
    })
    if (status === 200) {
      const reply = decodeReply(text)
      return Result.isSuccess(reply) ? { _tag: "Observed", ...reply.success } : unavailable()
    }
    if (status !== 503) return { _tag: "Next" }
    const refusal = decodeRefusal(text)
    return Result.isSuccess(refusal) ? new DemandFailed(refusal.success) : { _tag: "Next" }
  }

  const postTo = (index: number, request: ObserveRequest): Effect.Effect<ProcessAnswer> =>
    Effect.tryPromise((signal) => post(options.urls[index] ?? "", request, signal)).pipe(
      Effect.catch(() => Effect.succeed<ProcessAnswer>({ _tag: "Next" })),
    )

  return (request) =>
    Effect.gen(function* () {
      const first = active
      for (let tried = 0; tried < options.urls.length; tried++) {
        const index = (first + tried) % options.urls.length
        const answer = yield* postTo(index, request)
        if (answer._tag === "Next") continue
        active = index
        if (answer._tag === "Observed") return answer.observations
        return yield* answer
      }
      return yield* unavailable()
    }).pipe(withinTimeout(timeoutMs))
})
