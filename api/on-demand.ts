import { Effect, Result } from "effect"
import { LRUCache } from "lru-cache"
import { Counter, type Registry } from "prom-client"
import type { OnDemandEndpoint } from "../schemas/endpoint-kinds.ts"
import type { Demand } from "../schemas/ports/demand.ts"
import { FetchShare } from "./fetch-share.ts"
import type { ApiLimits } from "./limits.ts"
import type { MissingData } from "./meta.ts"
import type { AcceptedParameters } from "./parameters.ts"
import { type ProblemReply, rateLimited } from "./problems.ts"
import type { PreparedReply } from "./representation.ts"
import type { ViewStore } from "./view-store.ts"

/** How much older than its time to live a reply may be and still be sent while it is refreshed. */
const STALE_FACTOR = 6
/** Keys whose last attempt failed, so that not every request tries again. */
const FAILED_KEYS_MAX = 5_000
/** When an attempt brought nothing, and the other side named no time. */
const RETRY_SECONDS = 10
/** A key that could not be had is left alone for an hour at most. */
const RETRY_SECONDS_MAX = 3_600

/** What there is to say about an on-demand key. */
export type DemandAnswer =
  | { readonly _tag: "Ready"; readonly prepared: PreparedReply }
  | { readonly _tag: "Missing"; readonly retryAfterSeconds: number; readonly missing: MissingData }
  | { readonly _tag: "Refused"; readonly problem: ProblemReply }

/** Why there is no answer, as `_meta.reason` says it. Where no source is polled, waiting brings none. */
const missing = {
  pending: { resting: false, reason: "pending: the first fetch is still under way" },
  unavailable: { resting: false, reason: "unavailable: nothing can be fetched at the moment" },
  budget_exhausted: { resting: false, reason: "budget_exhausted: the budget of fetches on request is spent" },
  upstream_failed: { resting: false, reason: "upstream_failed: the upstream did not answer as it should" },
  timeout: { resting: false, reason: "timeout: the upstream did not answer in time" },
  not_configured: { resting: true, reason: "not_configured" },
  not_licensed: { resting: true, reason: "not_licensed" },
} as const satisfies Readonly<Record<string, MissingData>>
type MissingReason = keyof typeof missing

interface Flight {
  readonly done: Promise<void>
  waiters: number
}

/** Resolves when the promise does or the time has passed, whichever is first. */
const atMost = async (promise: Promise<void>, waitMs: number): Promise<void> => {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, waitMs)
  })
  await Promise.race([promise, timeout])
  clearTimeout(timer)
}

/**
 * Answers on-demand endpoints: a fresh key from its bytes; an older one too, refreshed behind the reply; any other waits a
 * bounded time for its own fetch. Fetches are single flight for each key, bounded in number, and a key whose fetch failed
 * is left alone for a while. Last good data is sent, with its age, before an answer without data.
 */
export class OnDemand {
  readonly #demand: Demand | null
  readonly #store: ViewStore
  readonly #nowMs: () => number
  readonly #limits: ApiLimits
  readonly #share: FetchShare
  readonly #flights = new Map<string, Flight>()
  readonly #failed = new LRUCache<string, { readonly retryAtMs: number; readonly reason: MissingReason }>({
    max: FAILED_KEYS_MAX,
  })
  readonly #outcomes: Counter<"endpoint" | "outcome">

  constructor(options: {
    readonly demand: Demand | null
    readonly store: ViewStore
    readonly nowMs: () => number
    readonly limits: ApiLimits
    readonly registry: Registry
  }) {
    this.#demand = options.demand
    this.#store = options.store
    this.#nowMs = options.nowMs
    this.#limits = options.limits
    this.#share = new FetchShare(options.limits)
    const name = "tidewire_api_demands_total"
    options.registry.removeSingleMetric(name)
    this.#outcomes = new Counter({
      name,
      help: "On-demand fetches, by how they ended",
      labelNames: ["endpoint", "outcome"],
      registers: [options.registry],
    })
  }

  /** The answer for a key. At once when it is fresh enough; else within `demandWaitMs`. Never rejects. */
  ask(endpoint: OnDemandEndpoint, accepted: AcceptedParameters, client: string): DemandAnswer | Promise<DemandAnswer> {
    const { key, parameters } = accepted
    const prepared = this.#store.get(key)
    const ageMs = this.#store.ageMs(key)
    const ttlMs = endpoint.ttlMs(parameters)
    if (prepared !== undefined && ageMs !== null && ageMs < STALE_FACTOR * ttlMs) {
      if (ageMs >= ttlMs && this.#overShare(key, client) === null) this.#fetch(endpoint, accepted)
      return { _tag: "Ready", prepared }
    }
    const overShareSeconds = this.#overShare(key, client)
    if (overShareSeconds !== null) {
      // Last good data is sent, with its age, before a refusal.
      if (prepared !== undefined) return { _tag: "Ready", prepared }
      const { demandFetchesPerMinute, demandFetchesPerDay } = this.#limits
      const message = `At most ${demandFetchesPerMinute} places a minute and ${demandFetchesPerDay} a day are looked up for one client, fewer while many ask.`
      return { _tag: "Refused", problem: rateLimited(overShareSeconds, message) }
    }
    const flight = this.#fetch(endpoint, accepted)
    return flight === null || flight.waiters >= this.#limits.demandWaitersMax
      ? this.#whatThereIs(key)
      : this.#wait(key, flight)
  }

  async #wait(key: string, flight: Flight): Promise<DemandAnswer> {
    flight.waiters += 1
    await atMost(flight.done, this.#limits.demandWaitMs)
    flight.waiters -= 1
    return this.#whatThereIs(key)
  }

  #whatThereIs(key: string): DemandAnswer {
    const prepared = this.#store.get(key)
    if (prepared !== undefined) return { _tag: "Ready", prepared }
    const { retryAtMs = 0, reason = this.#flights.has(key) ? "pending" : "unavailable" } = this.#failed.get(key) ?? {}
    const seconds = Math.ceil((retryAtMs - this.#nowMs()) / 1000)
    return {
      _tag: "Missing",
      retryAfterSeconds: Math.max(1, Math.min(seconds, RETRY_SECONDS_MAX)),
      missing: missing[reason],
    }
  }

  #isLeftAlone(key: string): boolean {
    const waitMs = (this.#failed.get(key)?.retryAtMs ?? 0) - this.#nowMs()
    // No wait is so long: the clock stepped back meanwhile.
    return waitMs > 0 && waitMs <= RETRY_SECONDS_MAX * 1000
  }

  /** Counts the fetch that a request would begin: in how many seconds its client may have it; null where it may now. */
  #overShare(key: string, client: string): number | null {
    return this.#flights.has(key) || !this.#mayTry(key) ? null : this.#share.take(client, this.#nowMs())
  }

  #mayTry(key: string): boolean {
    return this.#demand !== null && this.#flights.size < this.#limits.demandFlightsMax && !this.#isLeftAlone(key)
  }

  /** The running fetch of a key, begun if need be; null when none may be begun now. */
  #fetch(endpoint: OnDemandEndpoint, { key, parameters }: AcceptedParameters): Flight | null {
    const existing = this.#flights.get(key)
    if (existing !== undefined) return existing
    if (this.#demand === null || !this.#mayTry(key)) return null
    const observed = Effect.runPromise(Effect.result(this.#demand.observe(endpoint.path, parameters)))
    const done = observed
      .then(async (result) => {
        const outcome = Result.isSuccess(result) ? "observed" : result.failure.reason
        this.#outcomes.inc({ endpoint: endpoint.name, outcome })
        if (Result.isFailure(result)) {
          const { reason, retryAfterSeconds } = result.failure
          return this.#leaveAlone(key, retryAfterSeconds, reason)
        }
        this.#store.update(key, result.success)
        await this.#store.settled()
        if (result.success.body === null) this.#leaveAlone(key, RETRY_SECONDS, "upstream_failed")
      })
      // A defect of the adapter: the callers get what there is.
      .catch(() => this.#leaveAlone(key, RETRY_SECONDS, "unavailable"))
      .finally(() => this.#flights.delete(key))
    const flight = { done, waiters: 0 }
    this.#flights.set(key, flight)
    return flight
  }

  #leaveAlone(key: string, seconds: number, reason: MissingReason): void {
    const retryAtMs = this.#nowMs() + Math.min(RETRY_SECONDS_MAX, Math.max(1, seconds)) * 1000
    this.#failed.set(key, { retryAtMs, reason })
  }
}
