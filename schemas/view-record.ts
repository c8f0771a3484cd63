import * as Schema from "effect/Schema"
import { SourceMeta } from "./contract/reply.ts"
import { Instant } from "./event.ts"

/** Increased with every change of a body's members or their meaning. */
export const VIEW_BODY_VERSION = 2
/** Increased with every change of a freshness's members or their meaning. */
export const VIEW_FRESHNESS_VERSION = 1

/**
 * The body of a view, in the topic `views` under `<view key>`. Its freshness is under `<view key>#freshness`: most polls
 * confirm a body and change only its freshness.
 */
export const ViewBody = Schema.Struct({
  v: Schema.Literal(VIEW_BODY_VERSION),
  /** When the data last changed. */
  changedAt: Instant,
  data: Schema.Json,
})
export type ViewBody = typeof ViewBody.Type

/** The text of a body around the text of its data; equals `JSON.stringify(body)`. The data stands last (`viewDataBytes`). */
export const viewBodyText = ({ v, changedAt }: Pick<ViewBody, "v" | "changedAt">, data: string): string =>
  `{"v":${v},"changedAt":${JSON.stringify(changedAt)},"data":${data}}`

/**
 * The text of the data in the record of a body, as bytes that share the record's memory; null where the record was not
 * written by `viewBodyText`.
 */
export const viewDataBytes = (body: Pick<ViewBody, "v" | "changedAt">, record: Uint8Array): Buffer | null => {
  const head = Buffer.from(viewBodyText(body, "").slice(0, -1))
  const bytes = Buffer.from(record.buffer, record.byteOffset, record.byteLength)
  return bytes.subarray(0, head.length).equals(head) ? bytes.subarray(head.length, -1) : null
}

/** One source of a view and the instant from which it counts as stale. */
export const ViewSource = Schema.Struct({
  ...SourceMeta.fields,
  staleAfter: Schema.NullOr(Instant),
  /** Of a filtered view: the names of its inputs that read this source. */
  inputs: Schema.optionalKey(Schema.Array(Schema.NonEmptyString)),
})
export type ViewSource = typeof ViewSource.Type

/** The age and sources of a view's data; see `Meta` in reply.ts for the members. */
export const ViewFreshness = Schema.Struct({
  v: Schema.Literal(VIEW_FRESHNESS_VERSION),
  asOf: Schema.NullOr(Instant),
  staleAfter: Schema.NullOr(Instant),
  /** Whether any of the data is of a simulated world; absent where none is. */
  simulated: Schema.optionalKey(Schema.Literal(true)),
  sources: Schema.Array(ViewSource),
  /** Of a filtered view: the period of the data of each of its inputs, by name. */
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

/** The view of a log key, and which of its two records it is. */
export const parseViewRecordKey = (key: string): { readonly viewKey: string; readonly part: "body" | "freshness" } =>
  key.endsWith(FRESHNESS)
    ? { viewKey: key.slice(0, -FRESHNESS.length), part: "freshness" }
    : { viewKey: key, part: "body" }
