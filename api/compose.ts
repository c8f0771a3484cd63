import type { Endpoint } from "../schemas/endpoint.ts"
import { type Meta, SERVICE_SOURCE, type SourceMeta } from "../schemas/reply.ts"
import type { ViewFreshness, ViewSource } from "../schemas/view-record.ts"

/** A reply's body, and what its headers and its timer need to know of it. */
export interface Composed {
  readonly bytes: Buffer
  readonly asOf: string | null
  readonly stale: boolean
  readonly warming: boolean
  /** When the body would read differently without any news: the next instant at which something becomes stale. */
  readonly changesAtMs: number | null
}

/** The data of a view as JSON text in bytes. */
export interface DataText {
  /** When it last changed. */
  readonly changedAt: string
  readonly bytes: Buffer
}

/** Name of an endpoint as replies show it: its path below `/api/`. */
export const endpointName = ({ path }: Endpoint): string => path.replace(/^\/api\//, "")

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
  // Without data no input stands anywhere; what stood before views named their inputs counts as made of all of them.
  const spans = inputs === undefined ? [{ asOf, staleAfter }] : names.map((name) => inputs[name])
  return {
    v: 1,
    asOf: earliest(spans.map((span) => span?.asOf)),
    staleAfter: earliest(spans.map((span) => span?.staleAfter)),
    sources: sources.filter((source) => source.inputs?.some((name) => names.includes(name)) ?? true),
  }
}

const nextChange = (freshness: ViewFreshness | null, nowMs: number): number | null => {
  if (freshness === null) return null
  const instants = [freshness.staleAfter, ...freshness.sources.map(({ staleAfter }) => staleAfter)]
  const later = instants.flatMap((one) => (one !== null && Date.parse(one) > nowMs ? [Date.parse(one)] : []))
  return later.length === 0 ? null : Math.min(...later)
}

const NOT_TRIED = "not_tried_yet: no fetch of this data has ended since the service began"

/** Why there is no data: what the first source says that says anything. */
const reasonOf = (freshness: ViewFreshness | null): string =>
  freshness?.sources.find(({ reason }) => reason !== undefined)?.reason ?? NOT_TRIED

/** What `_meta` says beside where the sources stand. */
export interface DataFacts {
  /** Null where there is no data. */
  readonly changedAt: string | null
  /** Why there is no data yet; true: as its sources say. */
  readonly warming: boolean | string
}

/**
 * `_meta` of a reply, as it reads at `nowMs`. Data whose freshness is not known yet was last refreshed when it changed, as
 * far as is known.
 */
export const metaOf = (freshness: ViewFreshness | null, { changedAt, warming }: DataFacts, nowMs: number): Meta => {
  const staleAfter = changedAt === null ? null : (freshness?.staleAfter ?? null)
  return {
    as_of: changedAt === null ? null : (freshness?.asOf ?? changedAt),
    changed_at: changedAt,
    stale_after: staleAfter,
    stale: warming !== false || passed(staleAfter, nowMs),
    ...(warming === false ? {} : { warming: true, reason: warming === true ? reasonOf(freshness) : warming }),
    sources: (freshness?.sources ?? []).map((source) => sourceMeta(source, nowMs)),
  }
}

const join = (head: string, data: Buffer, tail: string): Buffer =>
  Buffer.concat([Buffer.from(head), data, Buffer.from(tail)])

/**
 * The body of a view's reply, as it reads at `nowMs`. The data's text is taken as it is: a change of freshness does not
 * serialise it again. Without data the reply says that it is warming, and why: for `reason`, or as the sources that were
 * tried say. It has the same members then, with what the endpoint declares for that case.
 */
export const compose = (
  endpoint: Endpoint,
  data: DataText | null,
  freshness: ViewFreshness | null,
  nowMs: number,
  reason?: string,
): Composed => {
  const warming = data === null
  const meta = metaOf(freshness, { changedAt: data?.changedAt ?? null, warming: warming && (reason ?? true) }, nowMs)
  const tail = `"_meta":${JSON.stringify(meta)}}`
  const updatedAt = JSON.stringify(meta.as_of)
  const facts = { asOf: meta.as_of, stale: meta.stale, warming, changesAtMs: nextChange(freshness, nowMs) }
  const text = data?.bytes ?? Buffer.from(JSON.stringify(endpoint.cold))
  // Members of the data stand beside those of the envelope: its braces go.
  const members = text.subarray(1, -1)
  const comma = members.length === 0 ? "" : ","
  switch (endpoint.envelope) {
    case "data": {
      const head = `{"source":"${SERVICE_SOURCE}","endpoint":${JSON.stringify(endpointName(endpoint))},"updated_at":${updatedAt},"data":`
      return { bytes: join(head, text, `,${tail}`), ...facts }
    }
    case "premium":
    case "composed": {
      const head = `{"source":"${SERVICE_SOURCE}","generated_at":${updatedAt},`
      return { bytes: join(head, members, comma + tail), ...facts }
    }
    case "none":
      return { bytes: join("{", members, comma + tail), ...facts }
  }
}
