import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Observer } from "../../ingestors/poll/demand.ts"
import type { Observation } from "../../ingestors/poll/poller.ts"
import { DemandFailed } from "../../schemas/ports/demand.ts"

/** The most instances that one view may read. */
const READS_MAX = 64
/** The longest path, feed, and name or value of a parameter. */
const NAME_MAX_CHARACTERS = 512

const Name = Schema.NonEmptyString.check(Schema.isMaxLength(NAME_MAX_CHARACTERS))
const Parameters = Schema.Record(Name, Schema.String.check(Schema.isMaxLength(NAME_MAX_CHARACTERS)))
const Instance = Schema.Struct({ feed: Name, parameters: Parameters })

/** What an API asks to be observed now: one instance of a feed, or all instances that a view reads. */
export const ObserveRequest = Schema.Union([
  Schema.Struct({
    path: Name,
    parameters: Parameters,
    reads: Schema.NonEmptyArray(Instance).check(Schema.isMaxLength(READS_MAX)),
  }),
  Instance,
])
export type ObserveRequest = typeof ObserveRequest.Type

/** The ingest role as an API reaches it, in its thread or over HTTP: it observes and commits, and builds no view. */
export type Observe = (request: ObserveRequest) => Effect.Effect<ReadonlyArray<Observation>, DemandFailed>

/** Serves requests by the observer of an active ingest role. */
export const observeBy =
  ({ observe, observeAll }: Observer): Observe =>
  (request) =>
    "reads" in request
      ? observeAll(request)
      : Effect.map(observe(request.feed, request.parameters), (observation) => [observation])

/** Longer than a fetch with its fallback takes; the API answers its callers long before. */
export const TIMEOUT_MS = 20_000
const RETRY_SECONDS = 5

/** The refusal where no process ingests, or none answers. */
export const unavailable = (): DemandFailed =>
  new DemandFailed({ reason: "unavailable", retryAfterSeconds: RETRY_SECONDS })

/** Refuses a request that takes longer than `timeoutMs`, and interrupts it. */
export const withinTimeout =
  (timeoutMs = TIMEOUT_MS) =>
  <A>(request: Effect.Effect<A, DemandFailed>): Effect.Effect<A, DemandFailed> =>
    Effect.timeoutOrElse(request, {
      duration: timeoutMs,
      orElse: () => Effect.fail(new DemandFailed({ reason: "timeout", retryAfterSeconds: RETRY_SECONDS })),
    })
