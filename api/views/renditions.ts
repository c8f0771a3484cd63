import { LRUCache } from "lru-cache"
import type { ViewEndpoint } from "../../schemas/contract/endpoint-kinds.ts"
import { endpointName } from "../../schemas/contract/envelope.ts"
import { selectFields } from "../../schemas/contract/fields.ts"
import type { Rendition } from "../../schemas/contract/renditions.ts"
import type { Meta, PastMeta } from "../../schemas/contract/reply.ts"
import { instanceKey, type Parameters } from "../../schemas/feed.ts"
import { csvOf } from "../../schemas/formats/csv.ts"
import { contentTypeOf } from "../../schemas/formats/format.ts"
import { featuresOf } from "../../schemas/formats/geojson.ts"
import { type Cursor, encodeCursor, pageOf } from "../../schemas/formats/paging.ts"
import { rowsOf } from "../../schemas/formats/table.ts"
import type { Json } from "../../schemas/json.ts"
import type { ViewFreshness } from "../../schemas/view-record.ts"
import type { ApiLimits } from "../http/limits.ts"
import type { ProblemReply } from "../http/problems.ts"
import { type Coder, JSON_TYPE, type PreparedReply, type ReplyFacts } from "../http/representation.ts"
import {
  bodyOf,
  type DataText,
  featureCollectionOf,
  type MissingData,
  metaOf,
  missingOf,
  nextChangeMs,
} from "./compose.ts"
import { type CachedReply, ReplyCache } from "./reply-cache.ts"

/** How long the parsed data of a list that is read page by page is held. */
const PARSED_KEPT_MS = 30_000

/** Why a format of data cannot be made that lacks what it would list. */
export const UNREADABLE: MissingData = { resting: false, reason: "incomplete: a part of the data was never read" }

/** The data that is rendered, and its freshness. */
export interface RenditionInput {
  readonly data: DataText | null
  readonly freshness: ViewFreshness | null
}

/** The bytes of a rendition and the facts of its headers; null where the data does not hold what is to be rendered. */
export const renderedAt = (
  request: RenditionRequest,
  { data, freshness }: RenditionInput & { readonly data: DataText },
  nowMs: number,
  at?: PastMeta,
): { readonly bytes: Buffer; readonly facts: ReplyFacts } | null => {
  const made = render(request, JSON.parse(data.bytes.toString()))
  if (made === null) return null
  const { facts, bytes } = composedOf(request, made, { data, freshness }, nowMs, at)
  return { bytes, facts }
}

/** The result of a request for a rendition. */
export type RenditionAnswer =
  | { readonly _tag: "Ready"; readonly prepared: PreparedReply }
  | { readonly _tag: "Missing"; readonly missing: MissingData }
  | { readonly _tag: "Refused"; readonly problem: ProblemReply }

/** A request for a rendition of the data of a key. */
export interface RenditionRequest {
  readonly endpoint: ViewEndpoint
  /** Of the view and of the rendition, as canonical texts. */
  readonly parameters: Parameters
  readonly rendition: Rendition
}

/** What is rendered of one version of data, without its freshness. */
interface Rendered {
  /** A whole CSV table, the features of a collection, or the data of a JSON reply. */
  readonly content: Buffer
  readonly headers: ReadonlyArray<string>
}

/**
 * Formats, pages and fields of the data of views, cached by their parameters and the version of the data. Whole lists of keys that
 * stand ready, of which there are few, are in the reserved area of the cache, so that requests for many others do not drive
 * them out.
 */
export class Renditions {
  readonly #nowMs: () => number
  readonly #cache: ReplyCache<Rendered | null>
  /** The parsed data of the list that is read page by page. */
  readonly #parsed = new LRUCache<number, { readonly value: Json }>({ max: 1, ttl: PARSED_KEPT_MS, ttlAutopurge: true })

  constructor(options: { readonly nowMs: () => number; readonly limits: ApiLimits; readonly coder: Coder }) {
    const { nowMs, limits, coder } = options
    this.#nowMs = nowMs
    this.#cache = new ReplyCache({
      coder,
      bytesMax: limits.renditionBytesMax,
      missesPerMinute: limits.renditionsPerMinute,
      missMessage: `At most ${limits.renditionsPerMinute} formats and pages a minute that are not kept yet are made for one client, fewer for each of a busy network.`,
    })
  }

  /** The reply to a request. `standsReady`: whether the data is that of one of the few keys that stand ready. */
  answer(
    request: RenditionRequest,
    { data, freshness }: RenditionInput,
    { client, standsReady }: { readonly client: string; readonly standsReady: boolean },
  ): RenditionAnswer {
    if (data === null) return { _tag: "Missing", missing: missingOf(freshness) }
    const nowMs = this.#nowMs()
    const version = this.#cache.versionOf(data)
    const key = instanceKey(request.endpoint.path, request.parameters)
    const area =
      standsReady && request.rendition.page === null && request.rendition.fields === null ? "reserved" : "common"
    let entry = this.#cache.get(key, version, area)
    if (entry === undefined) {
      const problem = this.#cache.refusalOfMiss(client, nowMs)
      if (problem !== null) return { _tag: "Refused", problem }
      // Null where the data does not hold what is to be rendered.
      const made = render(request, this.#valueOf(data, version, request.rendition.page !== null))
      entry = this.#cache.add({ key, version, made, bytes: made?.content.length ?? 0, area })
    }
    if (entry.made === null) return { _tag: "Missing", missing: UNREADABLE }
    const prepared =
      this.#cache.current(entry, freshness, nowMs) ??
      this.#compose(request, entry, entry.made, { data, freshness }, nowMs)
    return { _tag: "Ready", prepared }
  }

  /** Parses data. That of a list of which further pages may be requested is held for a while. */
  #valueOf({ bytes }: DataText, version: number, isPaged: boolean): Json {
    const known = this.#parsed.get(version)
    if (known !== undefined) return known.value
    const value: Json = JSON.parse(bytes.toString())
    if (isPaged) this.#parsed.set(version, { value })
    return value
  }

  #compose(
    request: RenditionRequest,
    entry: CachedReply<Rendered | null>,
    made: Rendered,
    input: RenditionInput,
    nowMs: number,
  ): PreparedReply {
    const { bytes, content, facts } = composedOf(request, made, input, nowMs)
    return this.#cache.keep(entry, input.freshness, nowMs, {
      bytes,
      facts,
      enclosed: { content, headers: made.headers },
    })
  }
}

/** The body of a rendition, its content as a part of it, and the facts of its headers. */
const composedOf = (
  request: RenditionRequest,
  { content, headers }: Rendered,
  { data, freshness }: RenditionInput,
  nowMs: number,
  at?: PastMeta,
): { readonly bytes: Buffer; readonly content: Buffer; readonly facts: ReplyFacts } => {
  const { endpoint, parameters, rendition } = request
  const meta = metaOf(freshness, { changedAt: data?.changedAt ?? null, missing: null, at }, nowMs)
  const facts = {
    preparedAtMs: nowMs,
    ttlMs: endpoint.ttlMs(parameters),
    changesAtMs: nextChangeMs(freshness, nowMs),
    asOf: meta.as_of,
    stale: meta.stale,
    missing: null,
    contentType: rendition.format === "json" ? JSON_TYPE : contentTypeOf[rendition.format],
    headers,
  }
  return { ...enclose(request, content, meta), facts }
}

const nextAddress = ({ endpoint: { path }, parameters }: RenditionRequest, cursor: Cursor): string =>
  instanceKey(path, { ...parameters, cursor: encodeCursor(cursor) })

const fileHeaders = ({ endpoint, rendition: { format } }: RenditionRequest): ReadonlyArray<string> =>
  format === "json"
    ? []
    : ["Content-Disposition", `attachment; filename="${endpointName(endpoint).replaceAll("/", "-")}.${format}"`]

/** Renders data; null where it does not hold what is to be rendered. */
const render = (request: RenditionRequest, whole: Json): Rendered | null => {
  const { endpoint, rendition } = request
  const { paging, table } = endpoint
  const { fields } = rendition
  const paged = rendition.page === null || paging === null ? null : pageOf(whole, rendition.page, paging)
  if (rendition.page !== null && paged === null) return null
  const next = paged === null || paged.next === null ? null : nextAddress(request, paged.next)
  const data = paged?.data ?? whole
  const headers = [...fileHeaders(request), ...(next === null ? [] : ["Link", `<${next}>; rel="next"`])]
  if (rendition.format === "json") {
    const page = paged === null ? data : { ...paged.data, total: paged.total, next }
    const shown = fields === null ? page : selectFields(page, table, fields)
    return { content: Buffer.from(JSON.stringify(shown)), headers }
  }
  const rows = table === null ? null : rowsOf(table, data, fields)
  if (rows === null) return null
  const text = rendition.format === "csv" ? csvOf(rows) : JSON.stringify(featuresOf(rows, fields))
  return { content: Buffer.from(text), headers }
}

/** The body of a rendition with its freshness, which a CSV table does not hold, and its content as a part of that body. */
const enclose = (
  { endpoint, rendition }: RenditionRequest,
  content: Buffer,
  meta: Meta,
): { readonly bytes: Buffer; readonly content: Buffer } => {
  if (rendition.format === "csv") return { bytes: content, content }
  const bytes = (rendition.format === "json" ? bodyOf : featureCollectionOf)(endpoint, content, meta)
  const start = bytes.indexOf(content)
  // Not a copy, so that a long list is held once.
  return { bytes, content: start < 0 ? content : bytes.subarray(start, start + content.length) }
}
