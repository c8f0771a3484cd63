import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import { LRUCache } from "lru-cache"
import { v7 as uuidv7 } from "uuid"
import { encodeEvent, instant, makeEvent } from "../../schemas/event.ts"
import { viewDemanded } from "../../schemas/events/observations.ts"
import { instanceKey, type Parameters } from "../../schemas/feed.ts"
import { DemandFailed } from "../../schemas/ports/demand.ts"
import type { IngestLog, IngestStopped } from "./ingest-log.ts"
import { demands } from "./metrics.ts"
import type { Plan } from "./plan.ts"
import type { Failure } from "./poll.ts"
import type { Observation, Poller } from "./poller.ts"

/** Concurrent fetches on request. */
const DEMANDS_MAX = 64
const KEY_MAX_CHARACTERS = 512
/** The default `Retry-After`, in milliseconds. */
const RETRY_AFTER_MS = 10_000
/** Instances of one view that are fetched concurrently. */
const FETCHES_AT_ONCE = 8
/** An instance of a view whose last fetch failed is not fetched again within this time. */
const FAILED_PAUSE_MS = 60_000
/** A view in demand is logged again after this time, in case the fold has evicted it. */
const LOGGED_AGAIN_MS = 10 * 60_000
/** Views whose last `view.demanded` is remembered; an evicted one is logged again earlier. */
const LOGGED_REMEMBERED_MAX = 10_000

/** A view on demand, and the instances of feeds that it reads. */
interface ViewDemand {
  readonly path: string
  readonly parameters: Parameters
  readonly reads: ReadonlyArray<{ readonly feed: string; readonly parameters: Parameters }>
}

/** Observes instances of feeds on demand now, within the budgets of their sources. Parameters are canonical. */
export interface Observer {
  /**
   * Fetches one instance and commits the outcome, unless its feed is unlogged. Concurrent callers of an instance share one
   * fetch; interrupting a caller does not interrupt it.
   */
  readonly observe: (feed: string, parameters: Parameters) => Effect.Effect<Observation, DemandFailed>
  /**
   * Observes the instances that a view reads. One observed within its interval is not fetched again, nor is one that is
   * polled on schedule or whose last fetch failed within the last minute, and one that cannot be fetched now is represented
   * by its last observation: overlapping views share the budget of their source, and an instance that does not exist would
   * use it up. Fails if no instance has an observation. After a success `view.demanded` is appended, at most once in ten
   * minutes for each view, so that the fold keeps the view; not for a view that reads an unlogged feed.
   */
  readonly observeAll: (demand: ViewDemand) => Effect.Effect<ReadonlyArray<Observation>, DemandFailed>
}

const demandFailed = (
  reason: DemandFailed["reason"],
  retryAfterMs: number | null,
  restingSources?: ReadonlyArray<string>,
): DemandFailed =>
  new DemandFailed({
    reason,
    retryAfterSeconds: Math.max(1, Math.ceil((retryAfterMs ?? RETRY_AFTER_MS) / 1000)),
    ...(restingSources === undefined ? {} : { restingSources }),
  })

const failedBy = ({ reason, retryAfterMs }: Failure): DemandFailed =>
  demandFailed(reason === "timeout" || reason === "budget_exhausted" ? reason : "upstream_failed", retryAfterMs)

/** The failure of a view of which no instance was observed. It is that of resting sources only where all of them rest. */
const failureOf = (failures: ReadonlyArray<DemandFailed>): DemandFailed => {
  const polled = failures.find(({ restingSources }) => restingSources === undefined)
  if (polled !== undefined) return polled
  const [first] = failures
  if (first === undefined) return new DemandFailed({ reason: "unavailable", retryAfterSeconds: 60 })
  const { reason, retryAfterSeconds } = first
  const restingSources = [...new Set(failures.flatMap((failure) => failure.restingSources ?? []))]
  return new DemandFailed({ reason, retryAfterSeconds, restingSources })
}

/** Makes the observer of the ingest role. `stopped` is completed with the failure of a commit that ends the role. */
export const makeObserver = (
  plan: Plan,
  poller: Poller,
  { commit }: Pick<IngestLog, "commit">,
  stopped: Deferred.Deferred<never, IngestStopped>,
): Observer => {
  const scheduled = new Set(plan.scheduled.map(({ key }) => key))
  const loggedMs = new LRUCache<string, number>({ max: LOGGED_REMEMBERED_MAX })

  const fetch = Effect.fnUntraced(function* (
    feed: string,
    parameters: Parameters,
  ): Effect.fn.Return<Observation, DemandFailed> {
    const instance = plan.demanded(feed, parameters)
    const declared = plan.declared.find((one) => one.feed === feed)
    const rests = declared?.rests ?? null
    if (instance === null && declared !== undefined && rests !== null)
      return yield* demandFailed(rests, null, [declared.provider])
    if (instance === null || instance.key.length > KEY_MAX_CHARACTERS || Deferred.isDoneUnsafe(stopped))
      return yield* demandFailed("unavailable", null)
    if (!poller.isUnderWay(instance) && poller.underWay() >= DEMANDS_MAX + plan.scheduled.length)
      return yield* demandFailed("unavailable", null)
    const result = yield* poller.poll(instance, true).pipe(
      Effect.raceFirst(Deferred.await(stopped)),
      // For the caller, any end of the role means that the data is unavailable.
      Effect.catchCause(() => Effect.succeed(null)),
    )
    if (result === null) return yield* demandFailed("unavailable", null)
    if (result.observation !== null) return result.observation
    return yield* result.outcome._tag === "Failure" ? failedBy(result.outcome) : demandFailed("unavailable", null)
  })

  const observe: Observer["observe"] = (feed, parameters) =>
    fetch(feed, parameters).pipe(
      Effect.tap(() => Effect.sync(() => demands.inc({ feed, outcome: "observed" }))),
      Effect.tapError(({ reason }) => Effect.sync(() => demands.inc({ feed, outcome: reason }))),
    )

  /** An instance that a view reads. Of an unlogged feed nothing is remembered, so that it is always fetched. */
  const observeRead = Effect.fnUntraced(function* (
    feed: string,
    parameters: Parameters,
  ): Effect.fn.Return<Observation, DemandFailed> {
    const instance = plan.demanded(feed, parameters)
    if (instance === null || instance.unlogged) return yield* observe(feed, parameters)
    const last = poller.lastObservation(instance.key)
    const nowMs = yield* Clock.currentTimeMillis
    const isScheduled = scheduled.has(instance.key)
    if (last !== undefined && (isScheduled || nowMs - Date.parse(last.time) < instance.everyMs)) return last
    const state = poller.state(instance.key)
    const failedMs = state === undefined ? 0 : nowMs - Date.parse(state.checkpoint.polledAt)
    const isPaused = state?.failure != null && failedMs >= 0 && failedMs < FAILED_PAUSE_MS
    const fetched = isPaused ? Effect.fail(failedBy(state.failure)) : observe(feed, parameters)
    return yield* fetched.pipe(
      Effect.catch((failed) => (last === undefined ? Effect.fail(failed) : Effect.succeed(last))),
    )
  })

  const log = ({ path, parameters }: ViewDemand): Effect.Effect<void> =>
    Effect.gen(function* () {
      const key = instanceKey(path, parameters)
      const nowMs = yield* Clock.currentTimeMillis
      const before = loggedMs.get(key)
      if (before !== undefined && nowMs >= before && nowMs - before < LOGGED_AGAIN_MS) return
      const committed = yield* commit((timeMs) => {
        const fields = { id: uuidv7(), source: "ingest", subject: key, time: instant(timeMs) }
        const event = makeEvent(viewDemanded, { ...fields, data: { path, parameters } })
        return { records: [{ topic: "observations" as const, key, value: encodeEvent(event) }] }
      })
      // If the commit failed, the next request logs the view.
      if (committed !== null) loggedMs.set(key, nowMs)
    }).pipe(
      Effect.onExit((exit) =>
        Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)
          ? Deferred.failCause(stopped, exit.cause)
          : Effect.void,
      ),
      Effect.ignore,
    )

  const observeAll = Effect.fnUntraced(function* (
    demand: ViewDemand,
  ): Effect.fn.Return<ReadonlyArray<Observation>, DemandFailed> {
    const results = yield* Effect.forEach(
      demand.reads,
      ({ feed, parameters }) => Effect.result(observeRead(feed, parameters)),
      { concurrency: FETCHES_AT_ONCE },
    )
    const observations = results.flatMap((result) => (Result.isSuccess(result) ? [result.success] : []))
    if (observations.length === 0)
      return yield* failureOf(results.flatMap((result) => (Result.isFailure(result) ? [result.failure] : [])))
    if (!demand.reads.some(({ feed, parameters }) => plan.demanded(feed, parameters)?.unlogged)) yield* log(demand)
    return observations
  })

  return { observe, observeAll }
}
