import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import { LRUCache } from "lru-cache"
import { v7 as uuidv7 } from "uuid"
import { encodeEvent, instant, makeEvent } from "../schemas/event.ts"
import { viewDemanded } from "../schemas/events/observations.ts"
import { instanceKey, type Parameters } from "../schemas/feed.ts"
import { DemandFailed } from "../schemas/ports/demand.ts"
import type { Committer, IngestStopped } from "./committer.ts"
import type { Plan } from "./plan.ts"
import type { Observation, Poller } from "./poller.ts"

/** Instances of one view that are fetched concurrently. */
const FETCHES_AT_ONCE = 8
/** A view in demand is logged again after this time, in case the fold has evicted it. */
const LOGGED_AGAIN_MS = 10 * 60_000
/** Views whose last `view.demanded` is remembered; an evicted one is logged again earlier. */
const LOGGED_REMEMBERED_MAX = 10_000
/** An instance whose fetch failed is not fetched again within this time. */
const FAILED_PAUSE_MS = 60_000
/** Instances whose failed fetch is remembered; an evicted one is fetched again earlier. */
const FAILED_REMEMBERED_MAX = 10_000
/** Failures that took requests of the budget. */
const COSTLY: ReadonlySet<DemandFailed["reason"]> = new Set(["upstream_failed", "timeout"])

/** A view on demand, and the instances of feeds that it reads. */
export interface ViewDemand {
  readonly path: string
  readonly parameters: Parameters
  readonly reads: ReadonlyArray<{ readonly feed: string; readonly parameters: Parameters }>
}

/** Dependencies of `observeAll`. */
export interface ObserveAllOptions {
  readonly observe: (feed: string, parameters: Parameters) => Effect.Effect<Observation, DemandFailed>
  readonly plan: Plan
  readonly poller: Poller
  readonly committer: Committer
  /** Completed with the failure of a commit that ends the role. */
  readonly stopped: Deferred.Deferred<never, IngestStopped>
}

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

/**
 * Makes `observeAll` of the ingest role. An instance observed within its interval is not fetched again, nor is one that is
 * polled on schedule or whose fetch failed within the last minute, and one that cannot be fetched now is represented by its
 * last observation: overlapping views share the budget of their source, and an instance that does not exist would use it up.
 * Fails if no instance has an observation. After a success `view.demanded` is appended, at most once in ten minutes for each
 * view, so that the fold keeps the view; not for a view that reads an unlogged feed.
 */
export const makeObserveAll = ({ observe, plan, poller, committer, stopped }: ObserveAllOptions) => {
  const loggedMs = new LRUCache<string, number>({ max: LOGGED_REMEMBERED_MAX })
  const scheduled = new Set(plan.scheduled.map(({ key }) => key))
  const failures = new LRUCache<string, { readonly atMs: number; readonly failed: DemandFailed }>({
    max: FAILED_REMEMBERED_MAX,
  })

  const observeOne = Effect.fnUntraced(function* (
    feed: string,
    parameters: Parameters,
  ): Effect.fn.Return<Observation, DemandFailed> {
    const instance = plan.demanded(feed, parameters)
    const last = instance === null ? undefined : poller.lastObservation(instance.key)
    const nowMs = yield* Clock.currentTimeMillis
    const key = instanceKey(feed, parameters)
    if (instance !== null && last !== undefined)
      if (scheduled.has(key) || nowMs - Date.parse(last.time) < instance.everyMs) return last
    const failure = failures.get(key)
    const fetched =
      failure !== undefined && nowMs >= failure.atMs && nowMs - failure.atMs < FAILED_PAUSE_MS
        ? Effect.fail(failure.failed)
        : observe(feed, parameters).pipe(
            Effect.tapError((failed) =>
              Effect.sync(() => {
                // What an unlogged feed was asked for is not remembered.
                if (COSTLY.has(failed.reason) && instance?.unlogged !== true) failures.set(key, { atMs: nowMs, failed })
              }),
            ),
          )
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
      const committed = yield* committer.commit((timeMs) => ({
        records: [
          {
            topic: "observations" as const,
            key,
            value: encodeEvent(
              makeEvent(viewDemanded, {
                id: uuidv7(),
                source: "ingest",
                subject: key,
                time: instant(timeMs),
                data: { path, parameters },
              }),
            ),
          },
        ],
      }))
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

  return (demand: ViewDemand): Effect.Effect<ReadonlyArray<Observation>, DemandFailed> =>
    Effect.gen(function* () {
      const results = yield* Effect.forEach(
        demand.reads,
        ({ feed, parameters }) => Effect.result(observeOne(feed, parameters)),
        { concurrency: FETCHES_AT_ONCE },
      )
      const observations = results.flatMap((result) => (Result.isSuccess(result) ? [result.success] : []))
      if (observations.length === 0) {
        return yield* failureOf(results.flatMap((result) => (Result.isFailure(result) ? [result.failure] : [])))
      }
      if (!demand.reads.some(({ feed, parameters }) => plan.demanded(feed, parameters)?.unlogged)) yield* log(demand)
      return observations
    })
}
