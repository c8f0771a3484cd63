import type { ViewEndpoint } from "../../schemas/contract/endpoint-kinds.ts"
import type { AttributionByPath } from "../../schemas/contract/provenance.ts"
import type { Meta, SourceMeta } from "../../schemas/contract/reply.ts"
import type { Tile, TileStatus } from "../../schemas/endpoints/world.ts"
import { RestReason } from "../../schemas/events/observations.ts"
import type { ViewFreshness } from "../../schemas/view-record.ts"
import type { DataText } from "../views/compose.ts"
import { metaOf, missingOf } from "../views/meta.ts"
import type { MadeGlance } from "./at-a-glance.ts"
import { shortText } from "./short-text.ts"

const REASON_BYTES_MAX = 90
const SOURCE_BYTES_MAX = 70

/** How an endpoint's data stands. */
export interface Standing {
  readonly endpoint: ViewEndpoint
  /** Null while there is no data. */
  readonly changedAt: DataText["changedAt"] | null
  readonly freshness: ViewFreshness | null
  readonly glance: MadeGlance | null
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
  return providers.size === 0 ? null : shortText([...providers].join(", "), SOURCE_BYTES_MAX)
}

/** The tile of an endpoint at `nowMs`. */
export const tileOf = (
  { endpoint, changedAt, freshness, glance }: Standing,
  attribution: AttributionByPath,
  nowMs: number,
): Tile | null => {
  if (endpoint.glance === null || endpoint.subject === null) return null
  const missing = changedAt === null ? missingOf(freshness) : null
  const meta = metaOf(freshness, { changedAt, missing }, nowMs)
  const problem = glance?.problem ?? null
  const status = problem === null ? statusOf(meta, changedAt !== null) : "error"
  const reason = problem ?? reasonOf(status, meta)
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
    reason: reason === null ? null : shortText(reason, REASON_BYTES_MAX),
    source: sourceOf(endpoint.path, attribution),
  }
}
