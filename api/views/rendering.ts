import type { ViewEndpoint } from "../../schemas/contract/endpoint-kinds.ts"
import { endpointName } from "../../schemas/contract/envelope.ts"
import type { Rendition } from "../../schemas/contract/renditions.ts"
import type { Meta } from "../../schemas/contract/reply.ts"
import { instanceKey, type Parameters } from "../../schemas/feed.ts"
import { csvOf } from "../../schemas/formats/csv.ts"
import { contentTypeOf } from "../../schemas/formats/format.ts"
import { featuresOf } from "../../schemas/formats/geojson.ts"
import { type Cursor, encodeCursor, pageOf } from "../../schemas/formats/paging.ts"
import { rowsOf } from "../../schemas/formats/rows.ts"
import type { Json } from "../../schemas/json.ts"
import { JSON_TYPE } from "../http/representation.ts"
import { bodyOf, featureCollectionOf } from "./compose.ts"

/** A request for a rendition of the data of a key. */
export interface RenditionRequest {
  readonly endpoint: ViewEndpoint
  /** Of the view and of the rendition, as canonical texts. */
  readonly parameters: Parameters
  readonly rendition: Rendition
}

/** What is rendered of one version of data, without its freshness. */
export interface Rendered {
  /** A whole CSV table, the features of a collection, or the data of a JSON reply. */
  readonly content: Buffer
  readonly headers: ReadonlyArray<string>
}

const nextAddress = ({ endpoint: { path }, parameters }: RenditionRequest, cursor: Cursor): string =>
  instanceKey(path, { ...parameters, cursor: encodeCursor(cursor) })

const fileHeaders = ({ endpoint, rendition: { format } }: RenditionRequest): ReadonlyArray<string> =>
  format === "json"
    ? []
    : ["Content-Disposition", `attachment; filename="${endpointName(endpoint).replaceAll("/", "-")}.${format}"`]

/** Renders data; null where it does not hold what is to be rendered. */
export const render = (request: RenditionRequest, whole: Json): Rendered | null => {
  const { endpoint, rendition } = request
  const { paging, table } = endpoint
  const paged = rendition.page === null || paging === null ? null : pageOf(whole, rendition.page, paging)
  if (rendition.page !== null && paged === null) return null
  const next = paged === null || paged.next === null ? null : nextAddress(request, paged.next)
  const data = paged?.data ?? whole
  const headers = [...fileHeaders(request), ...(next === null ? [] : ["Link", `<${next}>; rel="next"`])]
  if (rendition.format === "json") {
    const page = paged === null ? data : { ...paged.data, total: paged.total, next }
    return { content: Buffer.from(JSON.stringify(page)), headers }
  }
  const rows = table === null ? null : rowsOf(table, data)
  if (rows === null) return null
  const text = rendition.format === "csv" ? csvOf(rows) : JSON.stringify(featuresOf(rows))
  return { content: Buffer.from(text), headers }
}

/** The body of a rendition with its freshness, which a CSV table does not hold, and its content as a part of that body. */
export const enclose = (
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

/** `Content-Type` of a rendition. */
export const contentTypeFor = ({ format }: Rendition): string => (format === "json" ? JSON_TYPE : contentTypeOf[format])
