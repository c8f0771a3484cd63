import { Effect, Result, Schema, type Scope } from "effect"
import type { FastifyInstance } from "fastify"
import { Agent } from "undici"
import { type Demand, DemandFailed } from "../../schemas/ports/demand.ts"
import { ViewBody, ViewFreshness } from "../../schemas/view-record.ts"
import { makeSignedClient } from "../signing/signed-request.ts"
import { type EdgeLimits, signedRoutes } from "../signing/signed-route.ts"

/** Where an ingest process takes demands, below its admin address. */
export const DEMAND_PATH = "/internal/demand"
/** What this way into a process is called in signatures. */
export const DEMAND_EDGE = "demand"

const REQUEST_BYTES_MAX = 4 * 1024
const REPLY_BYTES_MAX = 10 * 1024 * 1024
/** Longer than an upstream may take with its fallback; callers of the API are answered long before. */
const TIMEOUT_MS = 20_000
const CONNECT_TIMEOUT_MS = 1_000
const CONNECTIONS_PER_PROCESS = 32
const UNAVAILABLE_RETRY_SECONDS = 5
const NOT_ACTIVE = 421

const DemandRequest = Schema.Struct({
  path: Schema.NonEmptyString,
  parameters: Schema.Record(Schema.String, Schema.String),
})
const View = Schema.Struct({ body: Schema.NullOr(ViewBody), freshness: ViewFreshness })
const Refusal = Schema.Struct({ reason: DemandFailed.fields.reason, retryAfterSeconds: Schema.Natural })

const decodeRequest = Schema.decodeUnknownResult(DemandRequest)
const decodeView = Schema.decodeUnknownResult(Schema.fromJsonString(View))
const decodeRefusal = Schema.decodeUnknownResult(Schema.fromJsonString(Refusal))

/**
 * Takes demands of API processes over HTTP: a Fastify plugin for the admin port of ingest processes. `current` gives the
 * observer while this process is the active one; a standby answers 421. Requests are signed with one of `secrets`.
 */
export const demandRoutes = (
  current: () => Demand | null,
  secrets: ReadonlyArray<string>,
  limits: EdgeLimits = {},
): ((app: FastifyInstance) => Promise<void>) =>
  signedRoutes(
    { name: DEMAND_EDGE, secrets },
    [
      {
        path: DEMAND_PATH,
        bodyBytesMax: REQUEST_BYTES_MAX,
        handler: async (body, reply) => {
          const request = decodeRequest(body)
          if (Result.isFailure(request)) return reply.code(400).send()
          const demand = current()
          if (demand === null) return reply.code(NOT_ACTIVE).send()
          const { path, parameters } = request.success
          const answer = await Effect.runPromise(Effect.result(demand.observe(path, parameters)))
          if (Result.isSuccess(answer)) return answer.success
          const { reason, retryAfterSeconds } = answer.failure
          return reply.code(503).send({ reason, retryAfterSeconds })
        },
      },
    ],
    limits,
  )

/** What one ingest process said: an answer, a refusal, or nothing that rules out another process. */
type ProcessAnswer =
  | { readonly _tag: "View"; readonly view: typeof View.Type }
  | { readonly _tag: "Next" }
  | DemandFailed

const unavailable = () => new DemandFailed({ reason: "unavailable", retryAfterSeconds: UNAVAILABLE_RETRY_SECONDS })

/**
 * Asks ingest processes over HTTP. `urls` are their admin addresses; the one that answered last is asked first, and the
 * next when it is a standby or cannot be reached. Fails with `DemandFailed` alone. Connections live as long as the scope.
 */
export const makeHttpDemand = (options: {
  readonly urls: ReadonlyArray<string>
  readonly secret: string
  readonly timeoutMs?: number
}): Effect.Effect<Demand, never, Scope.Scope> =>
  Effect.gen(function* () {
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

    const ask = async (
      url: string,
      request: typeof DemandRequest.Type,
      signal: AbortSignal,
    ): Promise<ProcessAnswer> => {
      const { status, text } = await client.post({
        url,
        path: DEMAND_PATH,
        body: JSON.stringify(request),
        replyBytesMax: REPLY_BYTES_MAX,
        signal,
      })
      if (status === 200) {
        const view = decodeView(text)
        return Result.isSuccess(view) ? { _tag: "View", view: view.success } : unavailable()
      }
      if (status !== 503) return { _tag: "Next" }
      const refusal = decodeRefusal(text)
      return Result.isSuccess(refusal) ? new DemandFailed(refusal.success) : { _tag: "Next" }
    }

    const askOne = (index: number, request: typeof DemandRequest.Type): Effect.Effect<ProcessAnswer> =>
      Effect.tryPromise((signal) => ask(options.urls[index] ?? "", request, signal)).pipe(
        Effect.catch(() => Effect.succeed<ProcessAnswer>({ _tag: "Next" })),
      )

    const observe: Demand["observe"] = (path, parameters) =>
      Effect.gen(function* () {
        const first = active
        for (let tried = 0; tried < options.urls.length; tried++) {
          const index = (first + tried) % options.urls.length
          const said = yield* askOne(index, { path, parameters })
          if (said._tag === "Next") continue
          active = index
          if (said._tag === "View") return said.view
          return yield* said
        }
        return yield* unavailable()
      }).pipe(
        Effect.timeoutOrElse({
          duration: timeoutMs,
          orElse: () =>
            Effect.fail(new DemandFailed({ reason: "timeout", retryAfterSeconds: UNAVAILABLE_RETRY_SECONDS })),
        }),
      )
    return { observe }
  })
