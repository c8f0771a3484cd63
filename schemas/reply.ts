import { Schema } from "effect"
import { Instant } from "./event.ts"

/** `source` of every free reply. */
export const SERVICE_SOURCE = "tidewire"

/** `source` of every premium reply. */
export const PREMIUM_SOURCE = "tidewire-pro"

/** What a premium reply says of its price. */
export const BillingFacts = Schema.Struct({
  credits_charged: Schema.Natural.annotate({ description: "Credits that this call has cost" }),
  credits_remaining: Schema.Natural.annotate({ description: "Balance after it" }),
  no_charge_reason: Schema.optionalKey(
    Schema.NonEmptyString.annotate({ description: "Why it was free of charge; absent where it was charged" }),
  ),
}).annotate({ identifier: "Billing" })
export type BillingFacts = typeof BillingFacts.Type

/** The signed receipt of a premium reply: over everything in the body beside it. */
export const ReceiptMember = Schema.Struct({
  id: Schema.NonEmptyString.annotate({ description: "Also in X-Service-Receipt-Id" }),
  jws: Schema.NonEmptyString.annotate({
    description: "Ed25519 signature in JWS compact form; its keys are at /.well-known/jwks.json",
  }),
}).annotate({ identifier: "Receipt" })
export type ReceiptMember = typeof ReceiptMember.Type

/** How one upstream stands, as `_meta.sources[]` says it. `null` when it has never answered. */
export const SourceStatus = Schema.NullOr(Schema.Literals(["live", "error", "fallback", "stale"]))
export type SourceStatus = typeof SourceStatus.Type

/** One upstream of a reply. `name` is `Provider.metric` and is kept for 90 days after a notice. */
export const SourceMeta = Schema.Struct({
  name: Schema.NonEmptyString,
  status: SourceStatus,
  fetched_at: Schema.NullOr(Instant),
  latency_ms: Schema.NullOr(Schema.Natural),
  reason: Schema.optionalKey(Schema.String),
  fallback_source: Schema.optionalKey(Schema.NonEmptyString),
}).annotate({ identifier: "SourceMeta" })
export type SourceMeta = typeof SourceMeta.Type

/**
 * Where a reply's data stands. Instants, not ages, so that bytes can be prepared. `stale` turns true by itself when
 * `stale_after` passes.
 */
export const Meta = Schema.Struct({
  as_of: Schema.NullOr(Instant).annotate({
    description: "The last successful fetch that confirmed the data, of its oldest part; null while there is none",
  }),
  changed_at: Schema.NullOr(Instant).annotate({
    description: "When the data last changed; of a part that was asked for, when anything beside it changed as well",
  }),
  stale_after: Schema.NullOr(Instant),
  stale: Schema.Boolean,
  warming: Schema.optionalKey(Schema.Boolean),
  reason: Schema.optionalKey(
    Schema.NonEmptyString.annotate({
      description:
        "Why there is no data: beside `warming` while it may come; alone where no source of it is configured (not_configured) or licensed (not_licensed) here",
    }),
  ),
  sources: Schema.Array(SourceMeta),
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
  did_you_mean: Schema.optionalKey(Schema.String),
  catalog: Schema.optionalKey(Schema.String),
  docs: Schema.optionalKey(Schema.String),
}).annotate({ identifier: "Problem" })
export type Problem = typeof Problem.Type
