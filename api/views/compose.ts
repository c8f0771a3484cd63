import type { ViewEndpoint } from "../../schemas/contract/endpoint-kinds.ts"
import { type EnvelopeMember, layoutOf, MEMBERS_OF_DATA, memberValue } from "../../schemas/contract/envelope.ts"
import type { Meta } from "../../schemas/contract/reply.ts"
import type { ViewFreshness } from "../../schemas/view-record.ts"
import { type MissingData, metaOf, missingOf, nextChangeMs } from "./meta.ts"

/** A reply's body, with the facts that its headers and its refresh depend on. */
export interface ComposedBody {
  readonly bytes: Buffer
  readonly asOf: string | null
  readonly stale: boolean
  /** Why there is no data; null where there is. */
  readonly missing: MissingData | null
  /** When the body changes without new data: the next instant at which a source becomes stale. Null where none will. */
  readonly changesAtMs: number | null
}

/** The data of a view as JSON text in bytes. */
export interface DataText {
  /** When it last changed. */
  readonly changedAt: string
  readonly bytes: Buffer
}

const COMMA = Buffer.from(",")
const DATA = Buffer.from('"data":')

/** The text of a member of an envelope, as a member of a JSON object; empty where it has no value. */
const memberText = (place: EnvelopeMember, endpoint: ViewEndpoint, meta: Meta): string => {
  const value = JSON.stringify(memberValue(place, endpoint.envelope, endpoint, { refreshedAt: meta.as_of, meta }))
  return value === undefined ? "" : `"${place}":${value}`
}

/** The bytes of a body. The data's text is copied once, as it is: a change of freshness does not serialise it again. */
export const bodyOf = (endpoint: ViewEndpoint, text: Buffer, meta: Meta): Buffer => {
  const members = layoutOf(endpoint.envelope).flatMap((place): ReadonlyArray<ReadonlyArray<Buffer>> => {
    if (place === "data") return [[DATA, text]]
    // Without its braces, so that the members of the data stand beside those of the envelope.
    if (place === MEMBERS_OF_DATA) return text.length > 2 ? [[text.subarray(1, -1)]] : []
    const member = memberText(place, endpoint, meta)
    return member === "" ? [] : [[Buffer.from(member)]]
  })
  const joined = members.flatMap((member, at) => (at === 0 ? member : [COMMA, ...member]))
  return Buffer.concat([Buffer.from("{"), ...joined, Buffer.from("}")])
}

/** The bytes of a GeoJSON feature collection, whose foreign members are those of the envelope. */
export const featureCollectionOf = (endpoint: ViewEndpoint, features: Buffer, meta: Meta): Buffer => {
  const members = (["source", "endpoint", "updated_at", "_meta"] as const).map((one) => memberText(one, endpoint, meta))
  const head = `{"type":"FeatureCollection",${members.join(",")},"features":`
  return Buffer.concat([Buffer.from(head), features, Buffer.from("}")])
}

/**
 * The body of a view's reply at `nowMs`. Without data it has the same members, with the values that the endpoint declares
 * for that case or a selection of them (`cold`), and `_meta` holds the reason: `missing`, else that of its sources.
 */
export const compose = (
  endpoint: ViewEndpoint,
  data: DataText | null,
  freshness: ViewFreshness | null,
  nowMs: number,
  without: { readonly missing?: MissingData; readonly cold?: unknown } = {},
): ComposedBody => {
  const missing = data === null ? (without.missing ?? missingOf(freshness)) : null
  const meta = metaOf(freshness, { changedAt: data?.changedAt ?? null, missing }, nowMs)
  return {
    bytes: bodyOf(endpoint, data?.bytes ?? Buffer.from(JSON.stringify(without.cold ?? endpoint.cold)), meta),
    asOf: meta.as_of,
    stale: meta.stale,
    missing,
    changesAtMs: nextChangeMs(freshness, nowMs),
  }
}
