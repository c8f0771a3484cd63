import { Schema } from "effect"
import { Instant } from "./event.ts"

/** `source` of every free reply. */
export const SERVICE_SOURCE = "tidewire"

/** How one upstream stands, as `_meta.sources[]` tells it. `null` when it has never answered. */
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
 * Where a reply's data stands. Instants, not ages, so that bytes can be prepared. `as_of` is the last successful fetch
 * that confirmed the data, of the oldest part; `stale` turns true by itself when `stale_after` passes.
 */
export const Meta = Schema.Struct({
  as_of: Schema.NullOr(Instant),
  stale_after: Schema.NullOr(Instant),
  stale: Schema.Boolean,
  warming: Schema.optionalKey(Schema.Boolean),
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
