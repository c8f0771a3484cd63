import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { Counter, Histogram } from "prom-client"
import { Agent } from "undici"
import type { Reading } from "./json-reader.ts"
import { decodeQuantity } from "./receipt.ts"
import {
  AnswerFailed,
  isTransient,
  mayBeReplaced,
  ProviderFailed,
  postCall,
  type RpcEndpoint,
  reasonOf,
  rpcEndpointOf,
} from "./rpc-http.ts"

/**
 * The lanes in which calls wait for their turn: what strangers can make large (`large`: receipts beyond the bytes of a quick
 * call) or slow (`contract`: code of theirs that is run) never takes the turn of another call. `openMax`: calls that are
 * queued or running; more fail as `busy`.
 */
const lanes = {
  quick: { atOnce: 8, openMax: 512, bytesMax: 512 * 1024, timeoutMs: 5_000 },
  large: { atOnce: 2, openMax: 64, bytesMax: 64 * 1024 * 1024, timeoutMs: 30_000 },
  contract: { atOnce: 4, openMax: 256, bytesMax: 1024 * 1024, timeoutMs: 3_000 },
} as const

/** A lane of calls. */
export type Lane = keyof typeof lanes
const laneNames = ["quick", "large", "contract"] as const satisfies ReadonlyArray<Lane>

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
  /** Calls a method in a lane and decodes its result. Bounded in time, size and number; transient failures are retried. */
  readonly call: <A>(
    method: string,
    parameters: ReadonlyArray<unknown>,
    decode: Reading<A>["decode"],
    lane?: Lane,
  ) => Effect.Effect<A, ProviderFailed>
  /** Like `call`, of an answer of which not all is kept. `reading` is made anew for each attempt. */
  readonly read: <A>(
    method: string,
    parameters: ReadonlyArray<unknown>,
    reading: () => Reading<A>,
    lane?: Lane,
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
  readonly endpoint: RpcEndpoint
  /** The longest time of a quick call. */
  readonly quickMs: number
  readonly turns: Readonly<Record<Lane, Semaphore.Semaphore>>
  /** Calls that are queued or running. */
  readonly open: Record<Lane, number>
  pausedUntilMs: number
  foreignUntilMs: number
  /** Whether its chain id was seen since it was last unreachable. */
  checked: boolean
}

/** A call with the lane in which it runs. */
interface LaneCall<A> {
  readonly method: string
  readonly parameters: ReadonlyArray<unknown>
  readonly reading: () => Reading<A>
  readonly lane: Lane
}

const failed = ({ index }: OpenProvider, reason: ProviderFailed["reason"], retryAfterMs: number | null = null) =>
  new ProviderFailed({ provider: index, reason, retryAfterMs })

const labelOf = ({ index }: OpenProvider) => ({ provider: String(index) })

const send = (
  provider: OpenProvider,
  { method, parameters, lane }: LaneCall<unknown>,
  { keep, bytesMax = lanes[lane].bytesMax }: Pick<Reading<unknown>, "keep" | "bytesMax">,
): Effect.Effect<unknown, ProviderFailed> =>
  Effect.tryPromise({
    try: async (signal) => {
      const endTimer = latencies.startTimer(labelOf(provider))
      const timeoutMs = lane === "quick" ? provider.quickMs : lanes[lane].timeoutMs
      const within = { bytesMax, timeoutMs, signal }
      try {
        return await postCall(provider.endpoint, { method, parameters, keep }, within)
      } finally {
        endTimer()
      }
    },
    catch: (cause) =>
      cause instanceof AnswerFailed
        ? failed(provider, cause.reason, cause.retryAfterMs)
        : failed(provider, "undecodable"),
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
const attempt = Effect.fnUntraced(function* <A>(
  provider: OpenProvider,
  asked: LaneCall<A>,
): Effect.fn.Return<A, ProviderFailed> {
  const leftMs = provider.pausedUntilMs - (yield* Clock.currentTimeMillis)
  if (leftMs > 0) return yield* failed(provider, "rate_limited", leftMs)
  const { decode, ...read } = asked.reading()
  const envelope = decodeEnvelope(yield* send(provider, asked, read))
  if (Result.isFailure(envelope)) return yield* failed(provider, "undecodable")
  const { result, error } = envelope.success
  if (error !== undefined && error !== null) return yield* failed(provider, reasonOf(error.code, error.message))
  const answer = decode(result)
  if (Result.isFailure(answer)) return yield* failed(provider, "undecodable")
  requests.inc({ ...labelOf(provider), outcome: "ok" })
  return answer.success
})

/** A call in its lane: waits for its turn, and is repeated after a transient failure. */
const callIn = <A>(provider: OpenProvider, asked: LaneCall<A>): Effect.Effect<A, ProviderFailed> =>
  Effect.suspend(() => {
    const { open, turns } = provider
    const { lane } = asked
    if (open[lane] >= lanes[lane].openMax) return Effect.fail(failed(provider, "busy"))
    open[lane]++
    return turns[lane]
      .withPermit(attempt(provider, asked).pipe(Effect.tapError((failure) => noteFailure(provider, failure))))
      .pipe(
        Effect.retry({ schedule: pauses, times: RETRIES_MAX, while: isTransient }),
        Effect.ensuring(Effect.sync(() => open[lane]--)),
      )
  })

const checkChain = Effect.fnUntraced(function* (provider: OpenProvider): Effect.fn.Return<void, ProviderFailed> {
  const { index, chainId, foreignUntilMs } = provider
  const nowMs = yield* Clock.currentTimeMillis
  if (nowMs < foreignUntilMs) return yield* failed(provider, "wrong_chain", foreignUntilMs - nowMs)
  const found = yield* callIn(provider, {
    method: "eth_chainId",
    parameters: [],
    reading: () => ({ decode: decodeQuantity }),
    lane: "quick",
  })
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

/** The endpoint of one URL. Its connections live as long as the scope. */
const openEndpoint = (url: string) =>
  Effect.acquireRelease(
    Effect.sync(
      () => new Agent({ connections: laneNames.reduce((sum, lane) => sum + lanes[lane].atOnce, 0), allowH2: false }),
    ),
    (opened) => Effect.promise(() => opened.destroy()),
  ).pipe(Effect.map((agent) => rpcEndpointOf(url, agent)))

/** Opens one provider; the first request is sent on its first use. Its connections live as long as the scope. */
export const openProvider = Effect.fnUntraced(function* (options: {
  readonly index: number
  readonly url: string
  readonly chainId: number
  readonly callTimeoutMs?: number | undefined
}): Effect.fn.Return<Provider, never, Scope.Scope> {
  const { index, url, chainId, callTimeoutMs = lanes.quick.timeoutMs } = options
  const provider: OpenProvider = {
    index,
    chainId,
    endpoint: yield* openEndpoint(url),
    quickMs: callTimeoutMs,
    turns: {
      quick: yield* Semaphore.make(lanes.quick.atOnce),
      large: yield* Semaphore.make(lanes.large.atOnce),
      contract: yield* Semaphore.make(lanes.contract.atOnce),
    },
    open: { quick: 0, large: 0, contract: 0 },
    pausedUntilMs: 0,
    foreignUntilMs: 0,
    checked: false,
  }
  return {
    index,
    ready: Effect.suspend(() => (provider.checked ? Effect.void : checkChain(provider))),
    call: (method, parameters, decode, lane = "quick") =>
      callIn(provider, { method, parameters, reading: () => ({ decode }), lane }),
    read: (method, parameters, reading, lane = "quick") => callIn(provider, { method, parameters, reading, lane }),
  }
})
