import { type Format, mediaTypeOf } from "../formats/format.ts"
import { CURSOR_TEXT, CursorText, type Page, type Paging } from "../formats/paging.ts"
import type { Table } from "../formats/table.ts"
import type { Endpoint, RenditionFacts } from "./endpoint-kinds.ts"
import { fieldsParameter } from "./fields.ts"
import { choice, type Parameter, type ParameterSet, wholeNumber } from "./parameters.ts"
import { pastParameters } from "./past.ts"

// The parameters that choose how the data of a view is rendered: its format, a page of its list, and the members of its items. They are no parameters
// of the view: its data is the same for all of them.

/** A rendition of a view's data. */
export interface Rendition {
  readonly format: Format
  /** Null for the whole list. */
  readonly page: Page | null
  /** Null for all members. */
  readonly fields: ReadonlyArray<string> | null
}

const listsOf = (table: Table): string =>
  [...new Set(table.flatMap(({ lists }) => lists.flatMap(({ name }) => (name === null ? [] : [name]))))]
    .map((name) => `\`${name}\``)
    .join(", ")

const meanings = (table: Table): Readonly<Record<Format, string>> => {
  const lists = listsOf(table)
  const rows = lists === "" ? "the list" : lists
  return {
    json: "json: the whole reply",
    csv: `csv: a table of ${rows} (RFC 4180), without _meta, of which X-Service-As-Of and X-Service-Stale hold the essence`,
    geojson: `geojson: ${rows} as points on a map (RFC 7946)`,
    atom: `atom: ${rows} as entries of a feed (RFC 4287)`,
  }
}

const formatParameter = ({ formats, table }: RenditionFacts): Readonly<Record<"format", Parameter>> | null =>
  table === null || formats.length < 2
    ? null
    : {
        format: choice(formats, {
          default: formats[0],
          description: `Format of the reply. ${formats.map((one) => meanings(table)[one]).join(". ")}. A format other than json has no reply without data, which is refused with 503`,
        }),
      }

const pageParameters = ({ list, limitMax }: Paging): Readonly<Record<"limit" | "cursor", Parameter>> => ({
  limit: {
    schema: wholeNumber({ minimum: 1, maximum: limitMax }),
    optional: true,
    description: `Most rows of \`${list}\` in the reply, 1 to ${limitMax}. Without limit and cursor the list is whole`,
    example: "100",
  },
  cursor: {
    schema: CursorText,
    text: CURSOR_TEXT,
    optional: true,
    description: `The place after which the page begins, as \`next\` of an earlier reply holds it. Without limit, up to ${limitMax} rows`,
    example: "WyIyMDI2LTA4LTE3VDIwOjMzOjAxLjAwMFoiLCJhazAyNmFqdmJicWsiXQ",
  },
})

/** Whether a rendition is the whole reply as JSON. */
export const isWhole = ({ format, page, fields }: Rendition): boolean =>
  format === "json" && page === null && fields === null

/** The parameters of an endpoint that choose a rendition. */
export const renditionParameters = (facts: RenditionFacts): ParameterSet => ({
  ...formatParameter(facts),
  ...(facts.paging === null ? {} : pageParameters(facts.paging)),
  ...fieldsParameter(facts),
})

/** What an endpoint lets its callers choose of its replies. */
export const renditionFactsOf = (endpoint: Endpoint): RenditionFacts =>
  "formats" in endpoint
    ? endpoint
    : { formats: ["json"], table: null, paging: null, fields: "fields" in endpoint ? endpoint.fields : [] }

/**
 * Every parameter that a request to an endpoint may carry: those of its data, those that choose a rendition, and the instant of
 * its past.
 */
export const queryParameters = (endpoint: Endpoint): ParameterSet => ({
  ...endpoint.parameters,
  ...renditionParameters(renditionFactsOf(endpoint)),
  ...pastParameters(endpoint),
})

/** The media types of an endpoint's replies. */
export const mediaTypesOf = (endpoint: Endpoint): ReadonlyArray<string> =>
  "mediaTypes" in endpoint
    ? endpoint.mediaTypes
    : renditionFactsOf(endpoint).formats.map((format) => mediaTypeOf[format])
