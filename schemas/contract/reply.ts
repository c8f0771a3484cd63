import * as Schema from "effect/Schema"
import { CursorText } from "../change.ts"
import { Instant } from "../event.ts"

/** `source` of every free reply. */
export const SERVICE_SOURCE = "tidewire"

/** `source` of every premium reply. */
export const PREMIUM_SOURCE = "tidewire-pro"

/** `billing` of a premium reply. */
export const BillingFacts = Schema.Struct({
  credits_charged: Schema.Natural.annotate({ description: "Credits that this call cost" }),
  credits_remaining: Schema.Natural.annotate({ description: "Balance after the call" }),
  no_charge_reason: Schema.optionalKey(
    Schema.NonEmptyString.annotate({ description: "Why the call was free of charge; absent where it was charged" }),
  ),
}).annotate({ identifier: "Billing" })
export type BillingFacts = typeof BillingFacts.Type

/** The signed receipt of a premium reply. It covers all other members of the body. */
export const ReceiptMember = Schema.Struct({
  id: Schema.NonEmptyString.annotate({ description: "Also in X-Service-Receipt-Id" }),
  jws: Schema.NonEmptyString.annotate({
    description: "Ed25519 signature in JWS compact form; its keys are at /.well-known/jwks.json",
  }),
}).annotate({ identifier: "Receipt" })
export type ReceiptMember = typeof ReceiptMember.Type

/** Status of one upstream in `_meta.sources[]`; null while it has never answered. */
const SourceStatus = Schema.NullOr(Schema.Literals(["live", "error", "fallback", "stale"])).annotate({
  description:
    "live: it answered and keeps its promise; stale: its last good answer is older than promised; fallback: another source stands in for it; error: it has failed; null: it has never answered",
})

/** One upstream of a reply. `name` is `Provider.metric`; a change is announced 90 days before. */
export const SourceMeta = Schema.Struct({
  name: Schema.NonEmptyString.annotate({ description: "Provider.metric, stable" }),
  status: SourceStatus,
  fetched_at: Schema.NullOr(Instant).annotate({ description: "Time of its last good answer; null before the first" }),
  latency_ms: Schema.NullOr(Schema.Natural).annotate({ description: "How long that answer took, milliseconds" }),
  reason: Schema.optionalKey(Schema.String.annotate({ description: "Why it is not live" })),
  fallback_source: Schema.optionalKey(Schema.NonEmptyString.annotate({ description: "The source that stands in" })),
  throttled_until: Schema.optionalKey(
    Instant.annotate({
      description:
        "When it is asked next: it changes so much that it is read less often for the rest of the day (UTC); else absent",
    }),
  ),
  credit: Schema.optionalKey(
    Schema.NonEmptyString.annotate({ description: "The line that its terms require beside the data" }),
  ),
}).annotate({ identifier: "SourceMeta" })
export type SourceMeta = typeof SourceMeta.Type

/** `_meta.at` of a past reply. */
export const PastMeta = Schema.Struct({
  requested: Schema.NonEmptyString.annotate({ description: "`at` of the request; of an instant its canonical text" }),
  known_at: Instant.annotate({
    description: "The reply is what was known at this instant: as `at` it gives the same reply for ever",
  }),
  cursor: Schema.NullOr(CursorText).annotate({
    description: "The last change of an item that was known then: `after` of /api/changes goes on from here",
  }),
}).annotate({ identifier: "PastMeta" })
export type PastMeta = typeof PastMeta.Type

/**
 * Freshness and sources of a reply's data. Instants, not ages, so that bytes can be prepared. `stale` becomes true when
 * `stale_after` passes.
 */
export const Meta = Schema.Struct({
  as_of: Schema.NullOr(Instant).annotate({
    description: "Time of the last successful fetch that confirmed the data, for its oldest part; null without data",
  }),
  changed_at: Schema.NullOr(Instant).annotate({
    description: "When the data last changed; for a selection, when any part of the whole view last changed",
  }),
  stale_after: Schema.NullOr(Instant).annotate({
    description: "Until when the data keeps its promise of freshness; null without data",
  }),
  stale: Schema.Boolean.annotate({ description: "Whether `stale_after` has passed, or there is no data" }),
  warming: Schema.optionalKey(
    Schema.Boolean.annotate({ description: "True while there has never been data and it may come; else absent" }),
  ),
  reason: Schema.optionalKey(
    Schema.NonEmptyString.annotate({
      description:
        "Why there is no data: with `warming` while it may come; alone where no source of it is configured (not_configured) or licensed (not_licensed) here",
    }),
  ),
  at: Schema.optionalKey(
    PastMeta.annotate({ description: "Of a past reply (`at`), which says nothing of the present; else absent" }),
  ),
  simulated: Schema.optionalKey(
    Schema.Literal(true).annotate({
      description: "True where data is of a simulated world, and so no fact of the real one; else absent",
    }),
  ),
  sources: Schema.Array(SourceMeta).annotate({ description: "The upstreams of this reply" }),
}).annotate({ identifier: "Meta" })
export type Meta = typeof Meta.Type

/** An error body: RFC 9457 problem details with the contract's `error` code. */
export const Problem = Schema.Struct({
  type: Schema.String,
  title: Schema.String,
  status: Schema.Int,
  error: Schema.NonEmptyString,
  message: Schema.String,
  parameter: Schema.optionalKey(Schema.String),
  allowed: Schema.optionalKey(Schema.Array(Schema.String)),
  retry_after_seconds: Schema.optionalKey(Schema.Int),
  /** Of `not_settled`: the last instant whose replies no longer change; null where there is none yet. */
  watermark: Schema.optionalKey(Schema.NullOr(Instant)),
  /** Of `before_history`: the first instant of the reply's past; null where it has none yet. */
  first: Schema.optionalKey(Schema.NullOr(Instant)),
  did_you_mean: Schema.optionalKey(Schema.String),
  catalog: Schema.optionalKey(Schema.String),
  docs: Schema.optionalKey(Schema.String),
}).annotate({ identifier: "Problem" })
export type Problem = typeof Problem.Type
