import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { LRUCache } from "lru-cache"
import { Counter, type Registry } from "prom-client"
import type { OnDemandEndpoint } from "../../schemas/contract/endpoint-kinds.ts"
import { makeFlights } from "../../schemas/flights.ts"
import type { Demand, DemandedView, DemandFailed } from "../../schemas/ports/demand.ts"
import type { ViewFreshness } from "../../schemas/view-record.ts"
import { prefixesOf } from "../http/client.ts"
import type { ApiLimits } from "../http/limits.ts"
import type { AcceptedParameters } from "../http/parameters.ts"
import { PrefixPlaces } from "../http/prefix-places.ts"
import { type ProblemReply, rateLimited } from "../http/problems.ts"
import type { PreparedReply } from "../http/representation.ts"
import { fetchShareLimits, PrefixShare } from "../http/shares.ts"
import type { MissingData } from "./compose.ts"
import type { ViewStore } from "./store.ts"

/** A reply is sent while it is refreshed until it is this many times as old as its time to live. */
const STALE_FACTOR = 6
/** Keys whose last fetch failed, and whose retry time is stored. */
const FAILED_KEYS_MAX = 5_000
/** Pause after a fetch that brought no data, where the ingest role gave none. */
const RETRY_SECONDS = 10
/** The longest pause after a failed fetch. */
const RETRY_MAX_SECONDS = 3_600

/** The reply to a request for an on-demand key. */
export type DemandAnswer =
  | { readonly _tag: "Ready"; readonly prepared: PreparedReply }
  | {
      readonly _tag: "Missing"
      readonly retryAfterSeconds: number
      readonly missing: MissingData
      /** The sources that rest; null where a source is polled. */
      readonly freshness: ViewFreshness | null
    }
  | { readonly _tag: "Refused"; readonly problem: ProblemReply }

/** Why a key has no data, as `_meta.reason` shows it. */
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

/** A key whose last fetch failed. */
interface FailedKey {
  readonly retryAtMs: number
  readonly reason: MissingReason
  readonly restingSources: ReadonlyArray<string>
}

/** The freshness of a view whose sources all rest, as the fold makes it for a scheduled instance. */
const restingFreshness = (names: ReadonlyArray<string>, { reason }: MissingData): ViewFreshness => ({
  v: 1,
  asOf: null,
  staleAfter: null,
  sources: names.map((name) => ({
    name,
    status: null,
    fetched_at: null,
    latency_ms: null,
    staleAfter: null,
    reason,
  })),
})

/**
 * Answers on-demand endpoints. A fresh key is answered from its bytes; an older one too, and refreshed in the background;
 * any other waits for its own fetch, for at most `demandWaitMs`. Fetches are single flight for each key and bounded in
 * number; after a failed fetch its key pauses. Last good data, with its age, takes precedence over a reply without data.
 */
export class OnDemand {
  readonly #demand: Demand | null
  readonly #store: ViewStore
  readonly #nowMs: () => number
  readonly #limits: ApiLimits
  readonly #share: PrefixShare
  readonly #fetches = makeFlights<void, never>()
  /** The requests that wait for each fetch under way. */
  readonly #waiters = new Map<string, PrefixPlaces<object>>()
  /** Purged after the longest pause: the key of an unlogged endpoint must not be kept longer. */
  readonly #failed = new LRUCache<string, FailedKey>({
    max: FAILED_KEYS_MAX,
    ttl: RETRY_MAX_SECONDS * 1000,
    ttlAutopurge: true,
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
    this.#share = new PrefixShare(fetchShareLimits(options.limits))
    const name = "tidewire_api_demands_total"
    options.registry.removeSingleMetric(name)
    this.#outcomes = new Counter({
      name,
      help: "On-demand fetches, by how they ended",
      labelNames: ["endpoint", "outcome"],
      registers: [options.registry],
    })
  }

  /** The reply to a request for a key: at once where it is fresh enough, else within `demandWaitMs`. Never rejects. */
  answer(
    endpoint: OnDemandEndpoint,
    accepted: AcceptedParameters,
    client: string,
  ): DemandAnswer | Promise<DemandAnswer> {
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
      if (prepared !== undefined) return { _tag: "Ready", prepared }
      const { demandFetchesPerMinute, demandFetchesPerDay } = this.#limits
      const message = `At most ${demandFetchesPerMinute} fetches a minute and ${demandFetchesPerDay} a day are made on request for one client, fewer under load.`
      return { _tag: "Refused", problem: rateLimited(overShareSeconds, message) }
    }
    this.#fetch(endpoint, accepted)
    const fetched = this.#fetches.underWay(key)
    const places = this.#waiters.get(key)
    const waiter = {}
    return fetched !== undefined && places?.take(prefixesOf(client), waiter) === true
      ? Effect.runPromise(Effect.timeoutOption(fetched, this.#limits.demandWaitMs)).then(() => {
          places.release(waiter)
          return this.#current(key)
        })
      : this.#current(key)
  }

  /** The reply as the key stands now, without a wait. */
  #current(key: string): DemandAnswer {
    const prepared = this.#store.get(key)
    if (prepared !== undefined) return { _tag: "Ready", prepared }
    const {
      retryAtMs = 0,
      reason = this.#fetches.underWay(key) !== undefined ? "pending" : "unavailable",
      restingSources = [],
    } = this.#failed.get(key) ?? {}
    const seconds = Math.ceil((retryAtMs - this.#nowMs()) / 1000)
    return {
      _tag: "Missing",
      retryAfterSeconds: Math.max(1, Math.min(seconds, RETRY_MAX_SECONDS)),
      missing: missing[reason],
      freshness: restingSources.length === 0 ? null : restingFreshness(restingSources, missing[reason]),
    }
  }

  #isPaused(key: string): boolean {
    const waitMs = (this.#failed.get(key)?.retryAtMs ?? 0) - this.#nowMs()
    // A longer wait than the maximum means that the clock stepped back since.
    return waitMs > 0 && waitMs <= RETRY_MAX_SECONDS * 1000
  }

  /** Counts the fetch that a request would start. Null: the request may go on; else seconds until its client may fetch. */
  #overShare(key: string, client: string): number | null {
    if (!this.#mayFetch(key)) return null
    const { allowed, resetSeconds } = this.#share.take(client, this.#nowMs())
    return allowed ? null : resetSeconds
  }

  /** Whether a fetch of a key may start now. */
  #mayFetch(key: string): boolean {
    return (
      this.#demand !== null &&
      this.#fetches.underWay(key) === undefined &&
      this.#fetches.count() < this.#limits.demandFlightsMax &&
      !this.#isPaused(key)
    )
  }

  /** Starts the fetch of a key, unless one is under way or none may start now. */
  #fetch(endpoint: OnDemandEndpoint, { key, parameters }: AcceptedParameters): void {
    const demand = this.#demand
    if (demand === null || !this.#mayFetch(key)) return
    const { demandWaitersMax: inAll } = this.#limits
    const half = Math.ceil(inAll / 2)
    this.#waiters.set(key, new PrefixPlaces({ client: half, network: half, provider: half, inAll }))
    const fetch = demand.observe(endpoint.path, parameters).pipe(
      Effect.result,
      Effect.flatMap((result) => Effect.promise(() => this.#keep(endpoint, key, result))),
      // A defect of the adapter counts as a failed fetch.
      Effect.catchCause(() =>
        Effect.sync(() => this.#pause(key, { reason: "unavailable", retryAfterSeconds: RETRY_SECONDS })),
      ),
      Effect.ensuring(Effect.sync(() => this.#waiters.delete(key))),
    )
    Effect.runFork(this.#fetches.ask(key, () => fetch))
  }

  /** Stores the view that a fetch brought, or pauses its key. */
  async #keep(
    endpoint: OnDemandEndpoint,
    key: string,
    result: Result.Result<DemandedView, DemandFailed>,
  ): Promise<void> {
    const outcome = Result.isSuccess(result) ? "observed" : result.failure.reason
    this.#outcomes.inc({ endpoint: endpoint.name, outcome })
    if (Result.isFailure(result)) return this.#pause(key, result.failure)
    this.#store.update(key, result.success)
    await this.#store.settled()
    if (result.success.body === null) this.#pause(key, { reason: "upstream_failed", retryAfterSeconds: RETRY_SECONDS })
  }

  /** Starts no fetch of a key before its retry time. */
  #pause(
    key: string,
    {
      reason,
      retryAfterSeconds,
      restingSources = [],
    }: Pick<DemandFailed, "reason" | "retryAfterSeconds" | "restingSources">,
  ): void {
    const retryAtMs = this.#nowMs() + Math.min(RETRY_MAX_SECONDS, Math.max(1, retryAfterSeconds)) * 1000
    this.#failed.set(key, { retryAtMs, reason, restingSources })
  }
}
