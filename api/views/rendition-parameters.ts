import * as Schema from "effect/Schema"
import type { ViewEndpoint } from "../../schemas/contract/endpoint-kinds.ts"
import { type Rendition, renditionParameters } from "../../schemas/contract/renditions.ts"
import type { Parameters } from "../../schemas/feed.ts"
import { formats } from "../../schemas/formats/format.ts"
import { CursorText } from "../../schemas/formats/paging.ts"
import { makeParameterReader, type RefusedParameter, type RequestQuery } from "../http/parameters.ts"

const decodeCursor = Schema.decodeSync(CursorText)

const renditionOf = (
  { format, limit, cursor, fields }: Parameters,
  { paging }: Pick<ViewEndpoint, "paging">,
): Rendition => ({
  format: formats.find((one) => one === format) ?? "json",
  page:
    paging === null || (limit === undefined && cursor === undefined)
      ? null
      : {
          limit: limit === undefined ? paging.limitMax : Number(limit),
          cursor: cursor === undefined ? null : decodeCursor(cursor),
        },
  // A canonical text.
  fields: fields?.split(",") ?? null,
})

/** The rendition that a request asks for, and its parameters for links, which leave out the default format. */
export interface ChosenRendition {
  readonly _tag: "Chosen"
  readonly rendition: Rendition
  readonly shortest: Parameters
}

/** Makes the reader of the parameters that choose a rendition. */
export const readRendition = (
  endpoint: ViewEndpoint,
): ((query: RequestQuery) => ChosenRendition | RefusedParameter) => {
  const read = makeParameterReader({ path: endpoint.path, parameters: renditionParameters(endpoint) })
  return (query) => {
    const chosen = read(query)
    if (chosen._tag === "Refused") return chosen
    const { format, ...page } = chosen.parameters
    const shortest = format === undefined || format === formats[0] ? page : { ...page, format }
    return { _tag: "Chosen", rendition: renditionOf(chosen.parameters, endpoint), shortest }
  }
}
