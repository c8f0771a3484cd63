import { Schema } from "effect"
import { Instant } from "./event.ts"
import { SourceMeta } from "./reply.ts"

/** Raised with every change of what a body's members mean. */
export const VIEW_BODY_VERSION = 2
/** The same of a freshness. */
export const VIEW_FRESHNESS_VERSION = 1

/**
 * What the `views` topic holds for each view: its body under `<view key>`, and where it stands under
 * `<view key>#freshness`. They are apart because most polls confirm a body and change only its freshness.
 */
export const ViewBody = Schema.Struct({
  v: Schema.Literal(VIEW_BODY_VERSION),
  /** When the data last changed. */
  changedAt: Instant,
  data: Schema.Json,
})
export type ViewBody = typeof ViewBody.Type

/** One source of a view and the instant from which it counts as stale. */
export const ViewSource = Schema.Struct({
  ...SourceMeta.fields,
  staleAfter: Schema.NullOr(Instant),
  /** Of a view that is selected from: the names of its inputs that read this source. */
  inputs: Schema.optionalKey(Schema.Array(Schema.NonEmptyString)),
})
export type ViewSource = typeof ViewSource.Type

/** Where a view stands; see `Meta` in reply.ts for the words. */
export const ViewFreshness = Schema.Struct({
  v: Schema.Literal(VIEW_FRESHNESS_VERSION),
  asOf: Schema.NullOr(Instant),
  staleAfter: Schema.NullOr(Instant),
  sources: Schema.Array(ViewSource),
  /** Of a view that is selected from: where each of its inputs stands, by name. */
  inputs: Schema.optionalKey(
    Schema.Record(
      Schema.NonEmptyString,
      Schema.Struct({ asOf: Schema.NullOr(Instant), staleAfter: Schema.NullOr(Instant) }),
    ),
  ),
})
export type ViewFreshness = typeof ViewFreshness.Type

const FRESHNESS = "#freshness"

/** The log key of a view's freshness. */
export const freshnessKey = (viewKey: string): string => `${viewKey}${FRESHNESS}`

/** Which record of a view a log key names. */
export const parseViewRecordKey = (key: string): { readonly viewKey: string; readonly part: "body" | "freshness" } =>
  key.endsWith(FRESHNESS)
    ? { viewKey: key.slice(0, -FRESHNESS.length), part: "freshness" }
    : { viewKey: key, part: "body" }
