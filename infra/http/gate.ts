import {
  BrokenCircuitError,
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  ExponentialBackoff,
  handleWhen,
  noJitterGenerator,
} from "cockatiel"
import PQueue from "p-queue"
import { Counter, Gauge } from "prom-client"
import { type HostPace, HttpFailed } from "../../ingestors/http-client.port.ts"
import { httpFailed, isHostFailure } from "./failure.ts"

/** What one host is asked at most, and when its circuit opens. */
export interface GateLimits {
  readonly pace: HostPace
  /** Requests that may wait for a turn; more are refused at once. */
  readonly waitingMax: number
  /** Failures in a row, each of them the host's, after which the circuit opens. */
  readonly failuresMax: number
  /** How long the circuit is open at first, and at most, in milliseconds. Then one request tries. */
  readonly openMinMs: number
  readonly openMaxMs: number
}

export const defaultLimits: GateLimits = {
  pace: { requestsMax: 20, intervalMs: 1_000, concurrencyMax: 6 },
  waitingMax: 256,
  failuresMax: 6,
  openMinMs: 5_000,
  openMaxMs: 30_000,
}

/** The way to one host: a bounded queue with a rate, behind a circuit that opens when the host is unwell. */
export interface Gate {
  /** Runs a request when it is its turn. Rejects with `HttpFailed` where the circuit is open or too many wait. */
  readonly run: <A>(task: () => Promise<A>, signal: AbortSignal) => Promise<A>
}

const circuitGauge = new Gauge({
  name: "tidewire_http_circuit_state",
  help: "Circuit of an upstream host: 0 closed, 1 open, 2 half open",
  labelNames: ["host"],
})
const refusals = new Counter({
  name: "tidewire_http_requests_refused_total",
  help: "Requests that were not sent: circuit open or queue full",
  labelNames: ["host", "why"],
})

/** Makes the way to one host. */
export const makeGate = (host: string, { pace, ...limits }: GateLimits): Gate => {
  // A sliding window: providers count the requests of any minute, not those of ours.
  const queue = new PQueue({
    concurrency: pace.concurrencyMax,
    interval: pace.intervalMs,
    intervalCap: pace.requestsMax,
    strict: true,
  })
  const breaker = circuitBreaker(handleWhen(isHostFailure), {
    breaker: new ConsecutiveBreaker(limits.failuresMax),
    halfOpenAfter: new ExponentialBackoff({
      initialDelay: limits.openMinMs,
      maxDelay: limits.openMaxMs,
      generator: noJitterGenerator,
    }),
  })
  circuitGauge.set({ host }, CircuitState.Closed)
  breaker.onStateChange((state) => circuitGauge.set({ host }, state))
  const queued = <A>(task: () => Promise<A>, signal: AbortSignal): Promise<A> => {
    if (queue.size < limits.waitingMax) return queue.add(task, { signal })
    refusals.inc({ host, why: "queue_full" })
    return Promise.reject(httpFailed(host, "budget_exhausted", "too many requests wait for this host"))
  }
  // Requests that meet the open circuit name the failure that opened it.
  let last = ""
  return {
    run: async (task, signal) => {
      try {
        return await breaker.execute(() => queued(task, signal))
      } catch (cause) {
        if (cause instanceof HttpFailed && isHostFailure(cause)) last = `: ${cause.message}`
        if (!(cause instanceof BrokenCircuitError)) throw cause
        refusals.inc({ host, why: "circuit_open" })
        throw httpFailed(host, "circuit_open", `the host failed repeatedly and is left alone for a while${last}`)
      }
    },
  }
}
