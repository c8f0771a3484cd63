import { createHash, timingSafeEqual } from "node:crypto"
import { Effect, Result, Schema, type Scope } from "effect"
import type { FastifyInstance } from "fastify"
import { Agent, request } from "undici"
import { ViewBody, ViewFreshness } from "../../schemas/view-record.ts"
import { type Demand, DemandFailed } from "./demand.port.ts"

/** Where an ingest process takes demands, below its admin address. */
export const DEMAND_PATH = "/internal/demand"

const REQUEST_BYTES_MAX = 4 * 1024
const REPLY_BYTES_MAX = 10 * 1024 * 1024
/** Longer than an upstream may take with its fallback; callers of the API are answered long before. */
const TIMEOUT_MS = 20_000
const CONNECT_TIMEOUT_MS = 1_000
const CONNECTIONS_PER_PROCESS = 32
const UNAVAILABLE_RETRY_SECONDS = 5
const NOT_ACTIVE = 421

const Question = Schema.Struct({
  path: Schema.NonEmptyString,
  parameters: Schema.Record(Schema.String, Schema.String),
})
const View = Schema.Struct({ body: Schema.NullOr(ViewBody), freshness: ViewFreshness })
const Refusal = Schema.Struct({ reason: DemandFailed.fields.reason, retryAfterSeconds: Schema.Natural })

const decodeQuestion = Schema.decodeUnknownResult(Question)
const decodeView = Schema.decodeUnknownResult(Schema.fromJsonString(View))
const decodeRefusal = Schema.decodeUnknownResult(Schema.fromJsonString(Refusal))

const digest = (text: string): Buffer => createHash("sha256").update(text).digest()

/**
 * Takes demands of API processes over HTTP: a Fastify plugin for the admin port of ingest processes. `current` gives the
 * observer while this process is the active one; a standby answers 421. Callers show `secret` as bearer token.
 */
export const demandRoutes =
  (current: () => Demand | null, secret: string) =>
  async (app: FastifyInstance): Promise<void> => {
    const expected = digest(`Bearer ${secret}`)
    app.post(DEMAND_PATH, {
      bodyLimit: REQUEST_BYTES_MAX,
      // Before the body is read. Digests have one length, and comparing them takes the same time whatever was sent.
      onRequest: async (request, reply) => {
        if (!timingSafeEqual(digest(request.headers.authorization ?? ""), expected)) await reply.code(401).send()
      },
      handler: async (request, reply) => {
        const question = decodeQuestion(request.body)
        if (Result.isFailure(question)) return reply.code(400).send()
        const demand = current()
        if (demand === null) return reply.code(NOT_ACTIVE).send()
        const { path, parameters } = question.success
        const answer = await Effect.runPromise(Effect.result(demand.observe(path, parameters)))
        if (Result.isSuccess(answer)) return answer.success
        const { reason, retryAfterSeconds } = answer.failure
        return reply.code(503).send({ reason, retryAfterSeconds })
      },
    })
  }

/** What one ingest process said: an answer, a refusal, or nothing that rules out another process. */
type Said = { readonly _tag: "View"; readonly view: typeof View.Type } | { readonly _tag: "Next" } | DemandFailed

const unavailable = () => new DemandFailed({ reason: "unavailable", retryAfterSeconds: UNAVAILABLE_RETRY_SECONDS })

const boundedText = async (body: AsyncIterable<Buffer>): Promise<string> => {
  const chunks: Array<Buffer> = []
  let length = 0
  for await (const chunk of body) {
    length += chunk.length
    if (length > REPLY_BYTES_MAX) throw new Error("the reply is larger than any view")
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

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
    let active = 0

    const ask = async (url: string, question: typeof Question.Type, signal: AbortSignal): Promise<Said> => {
      const { statusCode, body } = await request(new URL(DEMAND_PATH, url), {
        method: "POST",
        dispatcher: agent,
        signal,
        headers: { "content-type": "application/json", authorization: `Bearer ${options.secret}` },
        body: JSON.stringify(question),
      })
      const text = await boundedText(body)
      if (statusCode === 200) {
        const view = decodeView(text)
        return Result.isSuccess(view) ? { _tag: "View", view: view.success } : unavailable()
      }
      if (statusCode !== 503) return { _tag: "Next" }
      const refusal = decodeRefusal(text)
      return Result.isSuccess(refusal) ? new DemandFailed(refusal.success) : { _tag: "Next" }
    }

    const askOne = (index: number, question: typeof Question.Type): Effect.Effect<Said> =>
      Effect.tryPromise((signal) => ask(options.urls[index] ?? "", question, signal)).pipe(
        Effect.catch(() => Effect.succeed<Said>({ _tag: "Next" })),
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
