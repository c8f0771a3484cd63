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
import { HttpFailed } from "../../ingestors/http-client.port.ts"
import { blamesHost, httpFailed } from "./failure.ts"

/** What one host is asked at most, and when it is left alone. */
export interface GateLimits {
  readonly concurrency: number
  readonly perSecond: number
  /** Requests that may wait for a turn; more are refused at once. */
  readonly waitingMax: number
  /** Failures in a row, each of them the host's, after which it is left alone. */
  readonly failuresMax: number
  /** How long it is left alone at first, and at most, in milliseconds. Then one request tries. */
  readonly openMinMs: number
  readonly openMaxMs: number
}

export const defaultLimits: GateLimits = {
  concurrency: 6,
  perSecond: 20,
  waitingMax: 256,
  failuresMax: 6,
  openMinMs: 5_000,
  openMaxMs: 30_000,
}

/** The way to one host: a bounded queue with a rate, behind a circuit that opens when the host is unwell. */
export interface Gate {
  /** Runs a request when it is its turn. Rejects with `HttpFailed` where the host is left alone or too many wait. */
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
export const makeGate = (host: string, limits: GateLimits): Gate => {
  const queue = new PQueue({ concurrency: limits.concurrency, interval: 1000, intervalCap: limits.perSecond })
  const breaker = circuitBreaker(handleWhen(blamesHost), {
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
  // Who meets the open circuit did not see why it opened.
  let last = ""
  return {
    run: async (task, signal) => {
      try {
        return await breaker.execute(() => queued(task, signal))
      } catch (cause) {
        if (cause instanceof HttpFailed && blamesHost(cause)) last = `: ${cause.message}`
        if (!(cause instanceof BrokenCircuitError)) throw cause
        refusals.inc({ host, why: "circuit_open" })
        throw httpFailed(host, "circuit_open", `the host failed repeatedly and is left alone for a while${last}`)
      }
    },
  }
}
