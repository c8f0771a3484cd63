import type { ViewEndpoint } from "../../schemas/contract/endpoint-kinds.ts"
import type { Headline, Mark } from "../../schemas/contract/glance.ts"
import type { AttributionByPath } from "../../schemas/contract/provenance.ts"
import type { Meta, SourceMeta } from "../../schemas/contract/reply.ts"
import type { Point, Tile, TileStatus } from "../../schemas/endpoints/world.ts"
import { RestReason } from "../../schemas/events/observations.ts"
import { rounded } from "../../schemas/number.ts"
import type { ViewFreshness } from "../../schemas/view-record.ts"
import { type DataText, metaOf, missingOf } from "../views/compose.ts"

const REASON_MAX_BYTES = 90
const SOURCE_MAX_BYTES = 70
const VALUE_MAX_BYTES = 90
const NOTE_MAX_BYTES = 160
const POINT_TITLE_MAX_BYTES = 90
const CUT = "…"

/** The state of an endpoint's data. */
export interface Standing {
  readonly endpoint: ViewEndpoint
  /** Null while there is no data. */
  readonly changedAt: DataText["changedAt"] | null
  readonly freshness: ViewFreshness | null
  readonly glance: MadeGlance | null
  /** Of the past alone: why what was known then cannot be shown. */
  readonly unknown?: string
}

const statusOf = ({ stale, reason, sources }: Meta, hasData: boolean): TileStatus => {
  if (!hasData) return RestReason.literals.find((one) => one === reason) ?? "warming"
  if (stale) return "stale"
  const has = (...statuses: ReadonlyArray<SourceMeta["status"]>) =>
    sources.some(({ status }) => statuses.includes(status))
  return has("error", "stale") ? "error" : has("fallback") ? "fallback" : "live"
}

/** Why a tile's data is not live, in the words of the first source that says so. */
const reasonOf = (status: TileStatus, { reason, sources }: Meta): string | null => {
  if (status === "live") return null
  if (reason !== undefined) return reason
  const failing = sources.find((source) => source.reason !== undefined && source.status !== "live")
  const standIn = sources.find(({ fallback_source }) => fallback_source !== undefined)?.fallback_source
  const words = [failing?.reason, standIn === undefined ? undefined : `${standIn} stands in`]
  const known = words.filter((one) => one !== undefined)
  return known.length === 0 ? null : known.join("; ")
}

/** The providers of an endpoint's data, each once, by the line of credit that its terms require; null where it has none. */
const sourceOf = (path: string, attribution: AttributionByPath): string | null => {
  const providers = new Set((attribution.get(path) ?? []).map(({ provider, credit }) => credit ?? provider))
  return providers.size === 0 ? null : shortText([...providers].join(", "), SOURCE_MAX_BYTES)
}

/** The tile of an endpoint at `nowMs`. */
export const tileOf = (
  { endpoint, changedAt, freshness, glance, unknown }: Standing,
  attribution: AttributionByPath,
  nowMs: number,
): Tile | null => {
  if (endpoint.glance === null || endpoint.subject === null) return null
  const missing = changedAt === null ? missingOf(freshness) : null
  const meta = metaOf(freshness, { changedAt, missing }, nowMs)
  const problem = glance?.problem ?? null
  const status = unknown !== undefined ? "unknown" : problem === null ? statusOf(meta, changedAt !== null) : "error"
  const reason = unknown ?? problem ?? reasonOf(status, meta)
  const { value = null, unit = null, note = "" } = glance?.headline ?? {}
  return {
    name: endpoint.name,
    path: endpoint.path,
    title: endpoint.glance.title,
    subject: endpoint.subject,
    value,
    unit,
    note,
    as_of: meta.as_of,
    stale_after: meta.stale_after,
    stale: meta.stale,
    status,
    reason: reason === null ? null : shortText(reason, REASON_MAX_BYTES),
    source: sourceOf(endpoint.path, attribution),
  }
}

/** Larger data is not parsed for a glance: 512 KiB take some 4 ms of the thread that answers requests. */
export const GLANCE_DATA_MAX_BYTES = 512 * 1024

/** A point, and its size in JSON. */
export interface SizedPoint {
  readonly point: Point
  readonly bytes: number
}

/** What a glance at one version of an endpoint's data shows, as tiles and maps hold it. */
export interface MadeGlance {
  readonly headline: Headline
  readonly points: ReadonlyArray<SizedPoint>
  /** Why there is no headline; null where there is one. */
  readonly problem: string | null
}

const NOTHING: Headline = { value: null, unit: null, note: "" }

const shortHeadline = ({ value, unit, note }: Headline): Headline => ({
  value: typeof value === "string" ? shortText(value, VALUE_MAX_BYTES) : value,
  unit,
  note: shortText(note, NOTE_MAX_BYTES),
})

const sizedPoint = ({ latitude, longitude, title, weight, at }: Mark): SizedPoint => {
  const point = {
    lat: rounded(latitude, 2),
    lon: rounded(longitude, 2),
    weight: rounded(weight, 2),
    at,
    title: shortText(title, POINT_TITLE_MAX_BYTES),
  }
  return { point, bytes: Buffer.byteLength(JSON.stringify(point)) }
}

/** Makes the glance at data. Throws what the endpoint's functions throw, as for data that another version wrote. */
export const makeGlance = ({ glance }: ViewEndpoint, { bytes }: DataText): MadeGlance => {
  if (glance === null) throw new Error("the endpoint declares no glance")
  if (bytes.length > GLANCE_DATA_MAX_BYTES)
    return { headline: NOTHING, points: [], problem: "too long for an overview: see the endpoint" }
  const data: unknown = JSON.parse(bytes.toString())
  return {
    headline: shortHeadline(glance.headline(data)),
    points: (glance.marks?.(data) ?? []).map(sizedPoint),
    problem: null,
  }
}

/** The glance at data that could not be read. */
export const failedGlance: MadeGlance = { headline: NOTHING, points: [], problem: "the data could not be read" }

/** Bytes of a text in JSON, without its quotes. */
export const jsonBytes = (text: string): number => Buffer.byteLength(JSON.stringify(text)) - '""'.length

/** A text of at most `bytesMax` bytes in JSON; what is cut off is shown by an ellipsis. */
export const shortText = (text: string, bytesMax: number): string => {
  if (jsonBytes(text) <= bytesMax) return text
  let short = ""
  let bytes = jsonBytes(CUT)
  for (const character of text) {
    bytes += jsonBytes(character)
    if (bytes > bytesMax) break
    short += character
  }
  return `${short.trimEnd()}${CUT}`
}
