import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { Parameters } from "../schemas/feed.ts"
import { DemandFailed } from "../schemas/ports/demand.ts"
import type { Admission } from "./admission.ts"
import type { IngestStopped } from "./committer.ts"
import { demands } from "./metrics.ts"
import type { Candidate, Plan } from "./plan.ts"
import type { Failure } from "./poll-outcome.ts"
import type { Observation, Poller } from "./poller.ts"

/** Concurrent fetches on request. */
const DEMANDS_MAX = 64
const KEY_MAX_CHARACTERS = 512
/** The default `Retry-After`, in milliseconds. */
const RETRY_AFTER_MS = 10_000

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

const demandReason = ({ reason }: Failure): DemandFailed["reason"] =>
  reason === "timeout" ? "timeout" : reason === "budget_exhausted" ? "budget_exhausted" : "upstream_failed"

/** Makes `observe` of the ingest role: within the budgets of the sources, at most one fetch per instance at a time. */
export const makeObserve =
  (plan: Plan, poller: Poller, admission: Admission, stopped: Deferred.Deferred<never, IngestStopped>) =>
  (feed: string, parameters: Parameters): Effect.Effect<Observation, DemandFailed> =>
    Effect.gen(function* () {
      const instance = plan.demanded(feed, parameters)
      const declared = plan.declared.find((one) => one.feed === feed)
      const rests = declared?.rests ?? null
      if (instance === null && declared !== undefined && rests !== null)
        return yield* demandFailed(rests, null, [declared.provider])
      if (instance === null || instance.key.length > KEY_MAX_CHARACTERS || Deferred.isDoneUnsafe(stopped))
        return yield* demandFailed("unavailable", null)
      const nowMs = yield* Clock.currentTimeMillis
      const begin = (candidate: Candidate) => admission.begin(candidate, true, nowMs)
      const begun = new Map<Candidate, Failure | null>()
      if (!poller.isUnderWay(instance)) {
        if (poller.underWay() >= DEMANDS_MAX + plan.scheduled.length) return yield* demandFailed("unavailable", null)
        for (const candidate of instance.candidates) {
          const refused = begin(candidate)
          begun.set(candidate, refused)
          if (refused === null) break
        }
        const outcomes = [...begun.values()]
        const [refused] = outcomes
        // Without a source that may be polled there is no poll, and so no event.
        if (refused !== null && refused !== undefined && !outcomes.includes(null))
          return yield* demandFailed(demandReason(refused), refused.retryAfterMs)
      }
      const result = yield* poller
        .poll(instance, (candidate) => {
          const refused = begun.get(candidate)
          return refused === undefined ? begin(candidate) : refused
        })
        .pipe(
          Effect.raceFirst(Deferred.await(stopped)),
          // For the caller, any end of the role means that the data is unavailable.
          Effect.catchCause(() => Effect.succeed(null)),
        )
      if (result === null) return yield* demandFailed("unavailable", null)
      if (result.observation !== null) return result.observation
      return yield* result.outcome._tag === "Failure"
        ? demandFailed(demandReason(result.outcome), result.outcome.retryAfterMs)
        : demandFailed("unavailable", null)
    }).pipe(
      Effect.tap(() => Effect.sync(() => demands.inc({ feed, outcome: "observed" }))),
      Effect.tapError(({ reason }) => Effect.sync(() => demands.inc({ feed, outcome: reason }))),
    )
