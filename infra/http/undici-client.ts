import { performance } from "node:perf_hooks"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import PQueue from "p-queue"
import { Counter, Histogram } from "prom-client"
import { Agent, Client } from "undici"
import {
  type HostPace,
  type HttpClient,
  HttpFailed,
  type HttpNotModified,
  type HttpProbe,
  type HttpRefused,
  type HttpRequest,
  type HttpResponse,
} from "../../ingestors/http-client.port.ts"
import { ACCEPT_ENCODING, makeByteBudget } from "./body.ts"
import { httpFailed, isTransient, transportFailed } from "./failure.ts"
import { fetchOnce, makeLocate } from "./fetch-once.ts"
import { defaultLimits, type GateLimits, type HostGate, makeHostGate } from "./gate.ts"

const CONNECTIONS_MAX = 64
const KEEP_ALIVE_MS = 30_000
const HEADER_MAX_BYTES = 32 * 1024
const PAUSE_MIN_MS = 250
const PAUSE_MAX_MS = 5_000
const PROBES_MAX = 16

const requests = new Counter({
  name: "tidewire_http_requests_total",
  help: "Attempts of requests to upstream hosts by outcome",
  labelNames: ["host", "outcome"],
})
const latencies = new Histogram({
  name: "tidewire_http_request_duration_seconds",
  help: "Time from the start of an attempt to the last byte of its answer",
  labelNames: ["host"],
  buckets: [0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8],
})

/** Settings of the client. */
export interface HttpClientOptions {
  /** The address of a simulated world that replaces every upstream; null for the real ones. */
  readonly upstreams: string | null
  /** Base addresses of single hosts, which take precedence over `upstreams`. */
  readonly baseUrls?: ReadonlyMap<string, string>
  readonly userAgent: string
  /** Called with the headers `Date` and `Age` of each answer, which witness the time. */
  readonly onDate?: (host: string, date: string | undefined, age: string | undefined) => void
  readonly limits?: Partial<GateLimits>
  /** The pace of single hosts, instead of the one in `limits`. */
  readonly paces?: ReadonlyMap<string, HostPace>
  /** A source of numbers in [0, 1), for the jitter of pauses. */
  readonly random?: () => number
}

/** HEAD on a new connection, so that the latency includes the connection setup. */
const probeOnce = async (url: URL, timeoutMs: number, userAgent: string, signal: AbortSignal): Promise<HttpProbe> => {
  const startedMs = performance.now()
  const client = new Client(url.origin, { connectTimeout: timeoutMs, headersTimeout: timeoutMs, allowH2: false })
  try {
    const { body } = await client.request({
      method: "HEAD",
      path: `${url.pathname}${url.search}`,
      headers: { "user-agent": userAgent },
      signal,
    })
    const latencyMs = Math.round(performance.now() - startedMs)
    body.on("error", () => {}).destroy()
    return { latencyMs }
  } finally {
    // Not awaited: a hanging connection must not delay the answer.
    client.destroy().catch(() => {})
  }
}

const parseUrl = (text: string): URL | null => {
  const url = URL.parse(text)
  return url !== null && (url.protocol === "https:" || url.protocol === "http:") && url.username === "" ? url : null
}

/** The User-Agent, or its product alone (`Tidewire/1.0`) where a host refuses one of this length. */
const userAgentWithin = (userAgent: string, charactersMax = Number.POSITIVE_INFINITY): string =>
  userAgent.length <= charactersMax ? userAgent : (userAgent.split(" ", 1)[0] ?? "")

/** A failure by status 429 with a pause of at least `pauseMs`; any other failure as it is. */
const withPause =
  (pauseMs: number) =>
  (failure: HttpFailed): HttpFailed => {
    const { reason, host, status, retryAfterMs, message } = failure
    return reason === "rate_limited" && pauseMs > (retryAfterMs ?? 0)
      ? new HttpFailed({ reason, host, status, retryAfterMs: pauseMs, message })
      : failure
  }

/** Runs one attempt. Its timeout begins with the attempt, and does not include the time in the queue. */
const attempt = <A>(
  host: string,
  timeoutMs: number,
  run: (signal: AbortSignal) => Promise<A>,
  queued: (task: () => Promise<A>, signal: AbortSignal) => Promise<A>,
): Effect.Effect<A, HttpFailed> =>
  Effect.tryPromise({
    try: (interrupted) =>
      queued(async () => {
        const timeout = AbortSignal.timeout(timeoutMs)
        const endTimer = latencies.startTimer({ host })
        try {
          const answer = await run(AbortSignal.any([interrupted, timeout]))
          requests.inc({ host, outcome: "ok" })
          return answer
        } catch (cause) {
          // An interrupted request does not count against the host.
          if (interrupted.aborted) throw cause
          const failure = transportFailed(host, cause, timeout.aborted, timeoutMs)
          requests.inc({ host, outcome: failure.reason })
          throw failure
        } finally {
          endTimer()
        }
      }, interrupted),
    catch: (cause) => transportFailed(host, cause, false, timeoutMs),
  })

/**
 * The HTTP client of the ingest role, on undici. Bodies are bounded, compressed and decompressed; content types are ignored;
 * redirects stay on their host; each host has a queue, a rate limit and a circuit; transient failures are retried with
 * backoff and jitter (or after `Retry-After`) within the request's budget. Failures never contain a URL.
 */
export const makeHttpClient = Effect.fnUntraced(function* (
  options: HttpClientOptions,
): Effect.fn.Return<HttpClient, never, Scope.Scope> {
  const agent = yield* Effect.acquireRelease(
    Effect.sync(
      () =>
        new Agent({
          connections: CONNECTIONS_MAX,
          keepAliveTimeout: KEEP_ALIVE_MS,
          keepAliveMaxTimeout: KEEP_ALIVE_MS,
          maxHeaderSize: HEADER_MAX_BYTES,
          allowH2: false,
        }),
    ),
    (open) => Effect.promise(() => open.destroy()),
  )
  const locate = makeLocate(options.upstreams, options.baseUrls ?? new Map())
  const limits = { ...defaultLimits, ...options.limits }
  const random = options.random ?? Math.random
  const budget = makeByteBudget()
  const onDate = options.onDate ?? (() => undefined)
  const headersOf = ({ userAgentCharactersMax }: HttpRequest) => ({
    "user-agent": userAgentWithin(options.userAgent, userAgentCharactersMax),
    "accept-encoding": ACCEPT_ENCODING,
    accept: "*/*",
  })
  // Hosts are named in code and in settings only, which bounds this map.
  const gates = new Map<string, HostGate>()
  const gateOf = (host: string): HostGate => {
    const gate = gates.get(host) ?? makeHostGate(host, { ...limits, pace: options.paces?.get(host) ?? limits.pace })
    gates.set(host, gate)
    return gate
  }
  const probes = new PQueue({ concurrency: PROBES_MAX })

  const fetch = Effect.fnUntraced(function* (
    request: HttpRequest,
  ): Effect.fn.Return<HttpResponse | HttpRefused | HttpNotModified, HttpFailed> {
    const url = parseUrl(request.url)
    if (url === null) return yield* httpFailed("", "unreachable", "the address is not a valid http or https URL")
    const { host } = url
    const budgetMs = request.budgetMs ?? (request.timeoutMs + PAUSE_MAX_MS) * (request.retriesMax + 1)
    const deadlineMs = (yield* Clock.currentTimeMillis) + budgetMs
    const headers = headersOf(request)
    const rateLimitedPauseMs = options.paces?.get(host)?.rateLimitedPauseMs ?? 0
    const once = attempt(
      host,
      request.timeoutMs,
      (signal) => fetchOnce(url, request, { agent, locate, headers, signal, onDate, budget }),
      gateOf(host).run,
    ).pipe(Effect.mapError(withPause(rateLimitedPauseMs)))
    for (let retries = 0; ; retries++) {
      const leftMs = deadlineMs - (yield* Clock.currentTimeMillis)
      const answer = yield* Effect.result(
        once.pipe(
          Effect.timeoutOrElse({
            duration: Math.max(1, leftMs),
            orElse: () => Effect.fail(httpFailed(host, "timeout", `no complete answer within ${budgetMs} ms`)),
          }),
        ),
      )
      if (Result.isSuccess(answer)) return answer.success
      const backoffMs = Math.min(PAUSE_MAX_MS, PAUSE_MIN_MS * 2 ** retries) * (0.5 + random() / 2)
      const pauseMs = Math.max(backoffMs, answer.failure.retryAfterMs ?? 0)
      const roomMs = deadlineMs - (yield* Clock.currentTimeMillis)
      if (retries >= request.retriesMax || !isTransient(answer.failure) || pauseMs >= roomMs)
        return yield* answer.failure
      yield* Effect.sleep(pauseMs)
    }
  })

  const probe = (address: string, timeoutMs: number): Effect.Effect<HttpProbe, HttpFailed> => {
    const url = parseUrl(address)
    return url === null
      ? Effect.fail(httpFailed("", "unreachable", "the address is not a valid http or https URL"))
      : attempt(
          url.host,
          timeoutMs,
          (signal) => probeOnce(locate(url), timeoutMs, options.userAgent, signal),
          (task, signal) => probes.add(task, { signal }),
        )
  }

  return { fetch, probe }
})
