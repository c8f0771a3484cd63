import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { RestReason } from "../events/observations.ts"
import type { Parameters } from "../feed.ts"
import type { ViewBody, ViewFreshness } from "../view-record.ts"

/** A view that was built for one request's parameters, by the same pure function that the fold uses. */
export interface DemandedView {
  readonly body: ViewBody | null
  readonly freshness: ViewFreshness
}

/** The data is unavailable now; a retry may succeed after `retryAfterSeconds`. */
export class DemandFailed extends Schema.TaggedError<DemandFailed>()("DemandFailed", {
  reason: Schema.Literals(["unavailable", "budget_exhausted", "upstream_failed", "timeout", ...RestReason.literals]),
  retryAfterSeconds: Schema.Natural,
  /** `Provider.metric` of the sources that rest, where `reason` says why they do. */
  restingSources: Schema.optionalKey(Schema.Array(Schema.NonEmptyString)),
}) {}

/** Serves views on demand: what a view reads is observed now, with one fetch at a time of each instance, within the quotas of its sources. */
export interface Demand {
  /** `path` is the endpoint's; `parameters` are the canonical texts of its instance. */
  readonly observe: (path: string, parameters: Parameters) => Effect.Effect<DemandedView, DemandFailed>
}
