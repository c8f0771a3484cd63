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

/** The limits of one host: rate, queue and circuit. */
export interface GateLimits {
  readonly pace: HostPace
  /** The length of the queue; further requests are refused at once. */
  readonly waitingMax: number
  /** Consecutive failures of the host after which the circuit opens. */
  readonly failuresMax: number
  /** The first and the longest duration of an open circuit. After it one request is tried. */
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

/** Access to one host: a bounded queue with a rate limit, behind a circuit breaker. */
export interface HostGate {
  /** Runs a request in turn. Rejects with `HttpFailed` if the circuit is open or the queue is full. */
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

/** Makes the gate of one host. */
export const makeHostGate = (host: string, { pace, ...limits }: GateLimits): HostGate => {
  // A sliding window, since the periods of a provider may begin at any time.
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
    return Promise.reject(httpFailed(host, "budget_exhausted", "the queue of this host is full"))
  }
  // Requests that the open circuit refuses name the failure that opened it.
  let last = ""
  return {
    run: async (task, signal) => {
      try {
        return await breaker.execute(() => queued(task, signal))
      } catch (cause) {
        if (cause instanceof HttpFailed && isHostFailure(cause)) last = `: ${cause.message}`
        if (!(cause instanceof BrokenCircuitError)) throw cause
        refusals.inc({ host, why: "circuit_open" })
        throw httpFailed(host, "circuit_open", `the host failed repeatedly and is not requested for a while${last}`)
      }
    },
  }
}
