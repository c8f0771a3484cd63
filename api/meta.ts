import { RestReason } from "../schemas/events/observations.ts"
import type { Meta, SourceMeta } from "../schemas/reply.ts"
import type { ViewFreshness, ViewSource } from "../schemas/view-record.ts"

// What replies say in `_meta` about where their data stands.

/** Why a reply has no data. `resting`: no source of it is polled here, so that waiting brings nothing; else it may come. */
export interface MissingData {
  readonly resting: boolean
  readonly reason: string
}

const NOT_TRIED = "not_tried_yet: no fetch of this data has ended since the service began"

const restReasons: ReadonlySet<string> = new Set(RestReason.literals)

const rests = ({ status, reason }: ViewSource): boolean =>
  status === null && reason !== undefined && restReasons.has(reason)

/** Why a view has no data: what the first source says that says anything. */
export const missingOf = (freshness: ViewFreshness | null): MissingData => {
  const sources = freshness?.sources ?? []
  const reason = sources.find((source) => source.reason !== undefined)?.reason ?? NOT_TRIED
  return { resting: sources.length > 0 && sources.every(rests), reason }
}

const passed = (instant: string | null, nowMs: number): boolean => instant !== null && Date.parse(instant) <= nowMs

const sourceMeta = ({ staleAfter, inputs: _, ...source }: ViewSource, nowMs: number): SourceMeta =>
  // A source that has never answered has nothing that could be stale.
  source.status !== null && passed(staleAfter, nowMs) ? { ...source, status: "stale" } : source

const earliest = (instants: ReadonlyArray<string | null | undefined>): string | null =>
  instants.reduce<string | null>(
    (least, one) => (one === null || one === undefined || (least !== null && least <= one) ? least : one),
    null,
  )

/** Where the part of a view stands that is made of these inputs. */
export const freshnessOfInputs = (freshness: ViewFreshness, names: ReadonlyArray<string>): ViewFreshness => {
  const { inputs, asOf, staleAfter, sources } = freshness
  // A freshness without inputs counts as made of all of them.
  const spans = inputs === undefined ? [{ asOf, staleAfter }] : names.map((name) => inputs[name])
  return {
    v: 1,
    asOf: earliest(spans.map((span) => span?.asOf)),
    staleAfter: earliest(spans.map((span) => span?.staleAfter)),
    sources: sources.filter((source) => source.inputs?.some((name) => names.includes(name)) ?? true),
  }
}

/** The next instant at which something becomes stale, in milliseconds; null where nothing will. */
export const nextChangeMs = (freshness: ViewFreshness | null, nowMs: number): number | null => {
  if (freshness === null) return null
  const instants = [freshness.staleAfter, ...freshness.sources.map(({ staleAfter }) => staleAfter)]
  const later = instants.flatMap((one) => (one !== null && Date.parse(one) > nowMs ? [Date.parse(one)] : []))
  return later.length === 0 ? null : Math.min(...later)
}

/** What `_meta` says beside where the sources stand. */
export interface DataFacts {
  /** Null where there is no data. */
  readonly changedAt: string | null
  /** Why there is no data; null where there is, or where no feed fills what was asked for. */
  readonly missing: MissingData | null
}

/**
 * `_meta` of a reply, as it reads at `nowMs`. Data whose freshness is not known yet was last refreshed when it changed, as
 * far as is known.
 */
export const metaOf = (freshness: ViewFreshness | null, { changedAt, missing }: DataFacts, nowMs: number): Meta => {
  const staleAfter = changedAt === null ? null : (freshness?.staleAfter ?? null)
  return {
    as_of: changedAt === null ? null : (freshness?.asOf ?? changedAt),
    changed_at: changedAt,
    stale_after: staleAfter,
    stale: missing !== null || passed(staleAfter, nowMs),
    ...(missing === null ? {} : { ...(missing.resting ? {} : { warming: true }), reason: missing.reason }),
    sources: (freshness?.sources ?? []).map((source) => sourceMeta(source, nowMs)),
  }
}
