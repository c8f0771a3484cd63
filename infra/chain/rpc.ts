import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { Counter, Histogram } from "prom-client"
import { Agent, fetch } from "undici"
import { getHttpRpcClient } from "viem/utils"
import { explain, isTransient, mayBeReplaced, ProviderFailed, reasonOf } from "./provider-failed.ts"
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

const pauses = Schedule.exponential(BACKOFF_MS).pipe(Schedule.jittered)

/** What is known of a provider that is in use. */
interface OpenProvider {
  readonly index: number
  readonly chainId: number
  readonly client: ReturnType<typeof getHttpRpcClient>
  readonly turns: Semaphore.Semaphore
  /** Calls that are queued or running. */
  open: number
  pausedUntilMs: number
  foreignUntilMs: number
  /** Whether its chain id was seen since it was last unreachable. */
  checked: boolean
}

type Decode<A> = (result: unknown) => Result.Result<A, unknown>

const failed = ({ index }: OpenProvider, reason: ProviderFailed["reason"], retryAfterMs: number | null = null) =>
  new ProviderFailed({ provider: index, reason, retryAfterMs })

const labelOf = ({ index }: OpenProvider) => ({ provider: String(index) })

const send = (
  provider: OpenProvider,
  method: string,
  parameters: ReadonlyArray<unknown>,
): Effect.Effect<unknown, ProviderFailed> =>
  Effect.tryPromise({
    try: async (signal) => {
      const endTimer = latencies.startTimer(labelOf(provider))
      try {
        const said: unknown = await provider.client.request({
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
      return failed(provider, reason, retryAfterMs)
    },
  })

/** Counts a failed attempt, and remembers what it says of the next ones. */
const noteFailure = Effect.fnUntraced(function* (provider: OpenProvider, failure: ProviderFailed) {
  requests.inc({ ...labelOf(provider), outcome: failure.reason })
  if (mayBeReplaced(failure)) provider.checked = false
  if (failure.reason === "rate_limited" && failure.retryAfterMs !== null) {
    const untilMs = (yield* Clock.currentTimeMillis) + Math.min(failure.retryAfterMs, RETRY_AFTER_MAX_MS)
    provider.pausedUntilMs = Math.max(provider.pausedUntilMs, untilMs)
  }
})

/** One attempt of a call. */
const attempt = <A>(
  provider: OpenProvider,
  method: string,
  parameters: ReadonlyArray<unknown>,
  decode: Decode<A>,
): Effect.Effect<A, ProviderFailed> =>
  Effect.gen(function* () {
    const leftMs = provider.pausedUntilMs - (yield* Clock.currentTimeMillis)
    if (leftMs > 0) return yield* failed(provider, "rate_limited", leftMs)
    const envelope = decodeEnvelope(yield* send(provider, method, parameters))
    if (Result.isFailure(envelope)) return yield* failed(provider, "undecodable")
    const { result, error } = envelope.success
    if (error !== undefined && error !== null) return yield* failed(provider, reasonOf(error.code, error.message))
    const answer = decode(result)
    if (Result.isFailure(answer)) return yield* failed(provider, "undecodable")
    requests.inc({ ...labelOf(provider), outcome: "ok" })
    return answer.success
  }).pipe(Effect.tapError((failure) => noteFailure(provider, failure)))

const call = <A>(
  provider: OpenProvider,
  method: string,
  parameters: ReadonlyArray<unknown>,
  decode: Decode<A>,
): Effect.Effect<A, ProviderFailed> =>
  Effect.suspend(() => {
    if (provider.open >= CALLS_OPEN_MAX) return Effect.fail(failed(provider, "busy"))
    provider.open++
    return provider.turns
      .withPermit(attempt(provider, method, parameters, decode))
      .pipe(
        Effect.retry({ schedule: pauses, times: RETRIES_MAX, while: isTransient }),
        Effect.ensuring(Effect.sync(() => provider.open--)),
      )
  })

const checkChain = Effect.fnUntraced(function* (provider: OpenProvider): Effect.fn.Return<void, ProviderFailed> {
  const { index, chainId, foreignUntilMs } = provider
  const nowMs = yield* Clock.currentTimeMillis
  if (nowMs < foreignUntilMs) return yield* failed(provider, "wrong_chain", foreignUntilMs - nowMs)
  const found = yield* call(provider, "eth_chainId", [], decodeQuantity)
  if (found === chainId) {
    provider.checked = true
    return
  }
  provider.foreignUntilMs = nowMs + FOREIGN_PAUSE_MS
  requests.inc({ ...labelOf(provider), outcome: "wrong_chain" })
  yield* Effect.logWarning("a provider serves another chain and is not used").pipe(
    Effect.annotateLogs({ provider: index, chainId, itsChainId: found }),
  )
  return yield* failed(provider, "wrong_chain", FOREIGN_PAUSE_MS)
})

/** A client of one URL. Its connections live as long as the scope. */
const openClient = (url: string, callTimeoutMs: number) =>
  Effect.acquireRelease(
    Effect.sync(() => new Agent({ connections: CALLS_AT_ONCE, allowH2: false })),
    (opened) => Effect.promise(() => opened.destroy()),
  ).pipe(
    Effect.map((agent) =>
      getHttpRpcClient(url, {
        timeout: callTimeoutMs,
        maxResponseBodySize: ANSWER_BYTES_MAX,
        // A key in the URL must not follow a redirect to another host.
        fetchOptions: { redirect: "error" },
        // The two are the same classes, declared once by Node's types and once by undici's own.
        fetchFn: (input, init) =>
          fetch(input as string, { ...(init as object), dispatcher: agent }) as unknown as Promise<Response>,
      }),
    ),
  )

/** Opens one provider; the first request is sent on its first use. Its connections live as long as the scope. */
export const openProvider = Effect.fnUntraced(function* (options: {
  readonly index: number
  readonly url: string
  readonly chainId: number
  readonly callTimeoutMs?: number | undefined
}): Effect.fn.Return<Provider, never, Scope.Scope> {
  const { index, url, chainId, callTimeoutMs = CALL_TIMEOUT_MS } = options
  const provider: OpenProvider = {
    index,
    chainId,
    client: yield* openClient(url, callTimeoutMs),
    turns: yield* Semaphore.make(CALLS_AT_ONCE),
    open: 0,
    pausedUntilMs: 0,
    foreignUntilMs: 0,
    checked: false,
  }
  return {
    index,
    ready: Effect.suspend(() => (provider.checked ? Effect.void : checkChain(provider))),
    call: (method, parameters, decode) => call(provider, method, parameters, decode),
  }
})
