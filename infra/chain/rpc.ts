import { Clock, Effect, Result, Schedule, Schema, type Scope, Semaphore } from "effect"
import { Counter, Histogram } from "prom-client"
import { Agent, fetch } from "undici"
import { HttpRequestError, ResponseBodyTooLargeError, RpcRequestError, TimeoutError } from "viem"
import { getHttpRpcClient } from "viem/utils"
import { parseRetryAfter } from "../http/failure.ts"
import { decodeQuantity } from "./receipt.ts"

/** More than the receipt of the largest transaction in a block of Base. */
const ANSWER_BYTES_MAX = 8 * 1024 * 1024
const CALL_TIMEOUT_MS = 5_000
const CALLS_AT_ONCE = 8
/** Calls queued or running at one provider; more fail as `busy`. */
const CALLS_OPEN_MAX = 512
const RETRIES_MAX = 2
const BACKOFF_MS = 150
/** The longest pause that a provider's Retry-After causes. */
const RETRY_AFTER_MAX_MS = 60_000
/** How long a provider of another chain is not used, until its chain id is checked, and logged, again. */
const FOREIGN_PAUSE_MS = 60_000
const ERROR_CHARACTERS_READ = 512

const requests = new Counter({
  name: "tidewire_chain_requests_total",
  help: "Attempts of JSON-RPC calls by provider (its place in the list, from 0) and outcome",
  labelNames: ["provider", "outcome"],
})
const latencies = new Histogram({
  name: "tidewire_chain_request_duration_seconds",
  help: "Time from the start of a JSON-RPC call to the last byte of its answer",
  labelNames: ["provider"],
  buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5],
})

/**
 * Why a provider gives no answer. `status`: an HTTP 5xx; `reverted`: the called contract reverted; `refused`: the provider
 * returned another error.
 */
const reasons = [
  "timeout",
  "unreachable",
  "status",
  "rate_limited",
  "too_large",
  "undecodable",
  "refused",
  "reverted",
  "wrong_chain",
  "busy",
] as const

/** A provider gave no usable answer. Contains neither its URL nor its text, as both may hold keys. */
export class ProviderFailed extends Schema.TaggedError<ProviderFailed>()("ProviderFailed", {
  /** Place of the provider in the list, from 0. */
  provider: Schema.Int,
  reason: Schema.Literals(reasons),
  retryAfterMs: Schema.NullOr(Schema.Int),
}) {
  override get message() {
    return `provider ${this.provider}: ${this.reason}`
  }
}

/** One JSON-RPC provider. */
export interface Provider {
  readonly index: number
  /** Succeeds if the provider serves the configured chain. Checked before the first use, and again after it was unreachable. */
  readonly ready: Effect.Effect<void, ProviderFailed>
  /** Calls a method and decodes its result. Bounded in time, size and number; transient failures are retried. */
  readonly call: <A>(
    method: string,
    parameters: ReadonlyArray<unknown>,
    decode: (result: unknown) => Result.Result<A, unknown>,
  ) => Effect.Effect<A, ProviderFailed>
}

const Envelope = Schema.Struct({
  result: Schema.optionalKey(Schema.Unknown),
  error: Schema.optionalKey(Schema.NullOr(Schema.Struct({ code: Schema.Finite, message: Schema.String }))),
})
const decodeEnvelope = Schema.decodeUnknownResult(Envelope)

const RATE_CODES: ReadonlySet<number> = new Set([429, -32005, -32007, -32016])
const RATE_TEXT = /rate limit|too many requests|request limit/i
/** How nodes word that a call ran and ended without a result. Only reverts have a code of their own. */
const EXECUTION_TEXT =
  /revert|out ?of ?gas|opcode|invalid ?jump|stack ?(under|over|limit)|write protection|state ?change ?during|out of bounds|code size|evm error/i

const reasonOf = (code: number, text: string): ProviderFailed["reason"] => {
  const message = text.slice(0, ERROR_CHARACTERS_READ)
  if (RATE_CODES.has(code) || RATE_TEXT.test(message)) return "rate_limited"
  return code === 3 || EXECUTION_TEXT.test(message) ? "reverted" : "refused"
}

/** Maps viem's exceptions. Their messages contain the URL, so none of their text is kept. */
const explain = (cause: unknown): Pick<ProviderFailed, "reason" | "retryAfterMs"> => {
  if (cause instanceof TimeoutError) return { reason: "timeout", retryAfterMs: null }
  if (cause instanceof ResponseBodyTooLargeError) return { reason: "too_large", retryAfterMs: null }
  if (cause instanceof HttpRequestError || cause instanceof RpcRequestError) {
    const retryAfterMs = parseRetryAfter(cause.headers?.get("retry-after") ?? undefined, Date.now())
    if (cause.status === 429) return { reason: "rate_limited", retryAfterMs }
    if (cause instanceof RpcRequestError) return { reason: reasonOf(cause.code, cause.details), retryAfterMs }
    if (cause.status !== undefined) return { reason: cause.status >= 500 ? "status" : "refused", retryAfterMs }
    return { reason: cause.cause instanceof SyntaxError ? "undecodable" : "unreachable", retryAfterMs: null }
  }
  return { reason: "undecodable", retryAfterMs: null }
}

/** Whether the same call may succeed shortly. A timeout has used up the time. */
const isTransient = ({ reason, retryAfterMs }: ProviderFailed): boolean =>
  reason === "unreachable" || reason === "status" || (reason === "rate_limited" && retryAfterMs === null)

const pauses = Schedule.exponential(BACKOFF_MS).pipe(Schedule.jittered)

/** Whether another server may answer at this URL next time. */
const mayBeReplaced = ({ reason }: ProviderFailed): boolean =>
  reason === "timeout" || reason === "unreachable" || reason === "status"

/** Opens one provider; the first request is sent on its first use. Its connections live as long as the scope. */
export const openProvider = (options: {
  readonly index: number
  readonly url: string
  readonly chainId: number
  readonly callTimeoutMs?: number | undefined
}): Effect.Effect<Provider, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { index, chainId } = options
    const label = { provider: String(index) }
    const agent = yield* Effect.acquireRelease(
      Effect.sync(() => new Agent({ connections: CALLS_AT_ONCE, allowH2: false })),
      (opened) => Effect.promise(() => opened.destroy()),
    )
    const client = getHttpRpcClient(options.url, {
      timeout: options.callTimeoutMs ?? CALL_TIMEOUT_MS,
      maxResponseBodySize: ANSWER_BYTES_MAX,
      // A key in the URL must not follow a redirect to another host.
      fetchOptions: { redirect: "error" },
      // The two are the same classes, declared once by Node's types and once by undici's own.
      fetchFn: (input, init) =>
        fetch(input as string, { ...(init as object), dispatcher: agent }) as unknown as Promise<Response>,
    })
    const turns = yield* Semaphore.make(CALLS_AT_ONCE)
    let open = 0
    let pausedUntilMs = 0
    let foreignUntilMs = 0
    let checked = false

    const failed = (reason: ProviderFailed["reason"], retryAfterMs: number | null = null) =>
      new ProviderFailed({ provider: index, reason, retryAfterMs })

    const send = (method: string, parameters: ReadonlyArray<unknown>): Effect.Effect<unknown, ProviderFailed> =>
      Effect.tryPromise({
        try: async (signal) => {
          const endTimer = latencies.startTimer(label)
          try {
            const said: unknown = await client.request({
              body: { method, params: parameters },
              fetchOptions: { signal },
            })
            return said
          } finally {
            endTimer()
          }
        },
        catch: (cause) => {
          const { reason, retryAfterMs } = explain(cause)
          return failed(reason, retryAfterMs)
        },
      })

    const once = <A>(
      method: string,
      parameters: ReadonlyArray<unknown>,
      decode: (result: unknown) => Result.Result<A, unknown>,
    ): Effect.Effect<A, ProviderFailed> =>
      Effect.gen(function* () {
        const leftMs = pausedUntilMs - (yield* Clock.currentTimeMillis)
        if (leftMs > 0) return yield* failed("rate_limited", leftMs)
        const envelope = decodeEnvelope(yield* send(method, parameters))
        if (Result.isFailure(envelope)) return yield* failed("undecodable")
        const { result, error } = envelope.success
        if (error !== undefined && error !== null) return yield* failed(reasonOf(error.code, error.message))
        const answer = decode(result)
        if (Result.isFailure(answer)) return yield* failed("undecodable")
        requests.inc({ ...label, outcome: "ok" })
        return answer.success
      }).pipe(
        Effect.tapError((failure) =>
          Effect.gen(function* () {
            requests.inc({ ...label, outcome: failure.reason })
            if (mayBeReplaced(failure)) checked = false
            if (failure.reason === "rate_limited" && failure.retryAfterMs !== null) {
              const untilMs = (yield* Clock.currentTimeMillis) + Math.min(failure.retryAfterMs, RETRY_AFTER_MAX_MS)
              pausedUntilMs = Math.max(pausedUntilMs, untilMs)
            }
          }),
        ),
      )

    const call: Provider["call"] = (method, parameters, decode) =>
      Effect.suspend(() => {
        if (open >= CALLS_OPEN_MAX) return Effect.fail(failed("busy"))
        open++
        return turns
          .withPermit(once(method, parameters, decode))
          .pipe(
            Effect.retry({ schedule: pauses, times: RETRIES_MAX, while: isTransient }),
            Effect.ensuring(Effect.sync(() => open--)),
          )
      })

    const check = Effect.gen(function* () {
      const nowMs = yield* Clock.currentTimeMillis
      if (nowMs < foreignUntilMs) return yield* failed("wrong_chain", foreignUntilMs - nowMs)
      const found = yield* call("eth_chainId", [], decodeQuantity)
      if (found === chainId) {
        checked = true
        return
      }
      foreignUntilMs = nowMs + FOREIGN_PAUSE_MS
      requests.inc({ ...label, outcome: "wrong_chain" })
      yield* Effect.logWarning("a provider serves another chain and is not used").pipe(
        Effect.annotateLogs({ provider: index, chainId, itsChainId: found }),
      )
      return yield* failed("wrong_chain", FOREIGN_PAUSE_MS)
    })

    return { index, ready: Effect.suspend(() => (checked ? Effect.void : check)), call }
  })
