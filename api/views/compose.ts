import type { ViewEndpoint } from "../../schemas/contract/endpoint-kinds.ts"
import { type EnvelopeMember, layoutOf, MEMBERS_OF_DATA, memberValue } from "../../schemas/contract/envelope.ts"
import type { Meta, PastMeta, SourceMeta } from "../../schemas/contract/reply.ts"
import { RestReason } from "../../schemas/events/observations.ts"
import type { ViewFreshness, ViewSource } from "../../schemas/view-record.ts"

/** Why a reply has no data. `resting`: none of its sources is polled here, so that a retry is useless; else data may come. */
export interface MissingData {
  readonly resting: boolean
  readonly reason: string
}

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

/** What a body is made of beside data and freshness. */
interface ComposeOptions {
  /** Why there is no data, where the freshness does not say it. */
  readonly missing?: MissingData
  /** What stands in place of the data while there is none. */
  readonly cold?: unknown
  /** Of a past reply. */
  readonly at?: PastMeta
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
  { cold, at, ...without }: ComposeOptions = {},
): ComposedBody => {
  const missing = data === null ? (without.missing ?? missingOf(freshness)) : null
  const meta = metaOf(freshness, { changedAt: data?.changedAt ?? null, missing, at }, nowMs)
  return {
    bytes: bodyOf(endpoint, data?.bytes ?? Buffer.from(JSON.stringify(cold ?? endpoint.cold)), meta),
    asOf: meta.as_of,
    stale: meta.stale,
    missing,
    changesAtMs: nextChangeMs(freshness, nowMs),
  }
}

// `_meta`: freshness and sources.

const NOT_TRIED = "not_tried_yet: nothing has been observed or reported since the service began"

const restReasons: ReadonlySet<string> = new Set(RestReason.literals)

const rests = ({ status, reason }: ViewSource): boolean =>
  status === null && reason !== undefined && restReasons.has(reason)

/** Why a view has no data: the reason of its first source that has one. */
export const missingOf = (freshness: ViewFreshness | null): MissingData => {
  const sources = freshness?.sources ?? []
  const reason = sources.find((source) => source.reason !== undefined)?.reason ?? NOT_TRIED
  return { resting: sources.length > 0 && sources.every(rests), reason }
}

const passed = (instant: string | null, nowMs: number): boolean => instant !== null && Date.parse(instant) <= nowMs

const sourceMeta = ({ staleAfter, inputs: _, ...source }: ViewSource, nowMs: number): SourceMeta =>
  // A source that has never answered cannot become stale.
  source.status !== null && passed(staleAfter, nowMs) ? { ...source, status: "stale" } : source

const earliest = (instants: ReadonlyArray<string | null | undefined>): string | null =>
  instants.reduce<string | null>(
    (least, one) => (one === null || one === undefined || (least !== null && least <= one) ? least : one),
    null,
  )

/** The freshness of the part of a view that is made of these inputs. */
export const freshnessOfInputs = (freshness: ViewFreshness, names: ReadonlyArray<string>): ViewFreshness => {
  const { inputs, asOf, staleAfter, simulated, sources } = freshness
  // A freshness without inputs counts as made of all of them.
  const spans = inputs === undefined ? [{ asOf, staleAfter }] : names.map((name) => inputs[name])
  return {
    v: 1,
    asOf: earliest(spans.map((span) => span?.asOf)),
    staleAfter: earliest(spans.map((span) => span?.staleAfter)),
    ...(simulated === undefined ? {} : { simulated }),
    sources: sources.filter((source) => source.inputs?.some((name) => names.includes(name)) ?? true),
  }
}

/** A freshness whose sources have the lines of credit (`credits`, by their names) that their terms require. */
export const credited = (
  freshness: ViewFreshness | null,
  credits: ReadonlyMap<string, string>,
): ViewFreshness | null => {
  const creditOf = ({ name, fallback_source }: ViewSource) => credits.get(fallback_source ?? name)
  if (freshness === null || !freshness.sources.some((source) => creditOf(source) !== undefined)) return freshness
  const sources = freshness.sources.map((source) => {
    const credit = creditOf(source)
    return credit === undefined ? source : { ...source, credit }
  })
  return { ...freshness, sources }
}

/** There is no data, as the terms of every source of it forbid selling it. */
export const NOT_LICENSED: MissingData = { resting: true, reason: "not_licensed" satisfies RestReason }

/** The freshness of a part of a view that is withheld as a whole: its sources rest, whenever they were polled. */
export const unlicensed = (freshness: ViewFreshness | null, names: ReadonlyArray<string>): ViewFreshness | null =>
  freshness && {
    v: 1,
    asOf: null,
    staleAfter: null,
    sources: freshnessOfInputs(freshness, names).sources.map(({ name }) => ({
      name,
      status: null,
      fetched_at: null,
      latency_ms: null,
      staleAfter: null,
      reason: NOT_LICENSED.reason,
    })),
  }

/** The next instant at which a source becomes stale, in milliseconds; null where none will. */
export const nextChangeMs = (freshness: ViewFreshness | null, nowMs: number): number | null => {
  if (freshness === null) return null
  const instants = [freshness.staleAfter, ...freshness.sources.map(({ staleAfter }) => staleAfter)]
  const later = instants.flatMap((one) => (one !== null && Date.parse(one) > nowMs ? [Date.parse(one)] : []))
  return later.length === 0 ? null : Math.min(...later)
}

/** The facts of `_meta` that do not follow from the freshness. */
interface DataFacts {
  /** Null where there is no data. */
  readonly changedAt: string | null
  /** Why there is no data; null where there is, or where no feed of this installation supplies it. */
  readonly missing: MissingData | null
  /** Of a past reply. */
  readonly at?: PastMeta | undefined
}

/**
 * `_meta` of a reply at `nowMs`. For data without a freshness, the last change stands in for the last refresh.
 */
export const metaOf = (freshness: ViewFreshness | null, { changedAt, missing, at }: DataFacts, nowMs: number): Meta => {
  const staleAfter = changedAt === null ? null : (freshness?.staleAfter ?? null)
  return {
    as_of: changedAt === null ? null : (freshness?.asOf ?? changedAt),
    changed_at: changedAt,
    stale_after: staleAfter,
    stale: missing !== null || passed(staleAfter, nowMs),
    ...(missing === null ? {} : { ...(missing.resting ? {} : { warming: true }), reason: missing.reason }),
    ...(at === undefined ? {} : { at }),
    ...(freshness?.simulated === true ? { simulated: true } : {}),
    sources: (freshness?.sources ?? []).map((source) => sourceMeta(source, nowMs)),
  }
}
