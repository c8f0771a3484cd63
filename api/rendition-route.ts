import * as Schema from "effect/Schema"
import { standsReady, type ViewEndpoint } from "../schemas/contract/endpoint-kinds.ts"
import { type Rendition, renditionParameters } from "../schemas/contract/renditions.ts"
import type { Parameters } from "../schemas/feed.ts"
import { formats } from "../schemas/formats/format.ts"
import { CursorText } from "../schemas/formats/paging.ts"
import type { Exchange } from "./http/answer.ts"
import { type AcceptedParameters, makeParameterReader, type RequestQuery } from "./http/parameters.ts"
import { noTable, type ProblemReply, parameterProblem } from "./http/problems.ts"
import { WARMING_RETRY_SECONDS } from "./http/representation.ts"
import type { ApiTools, Route } from "./route.ts"
import type { MissingData } from "./views/meta.ts"
import type { RenditionInput, Renditions } from "./views/renditions.ts"

/** The data of a request that is to be rendered, or why there is none. */
export type RenditionData =
  | ({ readonly _tag: "Data" } & RenditionInput)
  | { readonly _tag: "Missing"; readonly missing: MissingData; readonly retryAfterSeconds: number }
  | { readonly _tag: "Refused"; readonly problem: ProblemReply }

/** Finds the data of accepted parameters. */
export type FindData = (accepted: AcceptedParameters, client: string) => RenditionData | Promise<RenditionData>

const decodeCursor = Schema.decodeSync(CursorText)

const renditionOf = ({ format, limit, cursor }: Parameters, endpoint: ViewEndpoint): Rendition => ({
  format: formats.find((one) => one === format) ?? "json",
  page:
    endpoint.paging === null || (limit === undefined && cursor === undefined)
      ? null
      : {
          limit: limit === undefined ? endpoint.paging.limitMax : Number(limit),
          cursor: cursor === undefined ? null : decodeCursor(cursor),
        },
})

/** The parameters of a rendition without its format where that is the default, as links need not name it. */
const shortest = ({ format, ...page }: Parameters): Parameters =>
  format === undefined || format === formats[0] ? page : { ...page, format }

/** The problem that is sent in place of a list that would be empty for want of data. */
const missingProblem = ({ resting, reason }: MissingData, retryAfterSeconds: number): ProblemReply =>
  noTable(resting ? reason : "warming", reason, resting ? null : retryAfterSeconds)

/** What such routes use. */
type RenditionTools = Pick<ApiTools, "answers"> & { readonly renditions: Renditions }

/**
 * Makes the route of an endpoint whose replies have other formats, or pages. Whole JSON is that of the `plain` route, which
 * also answers for a page of a list without data, as JSON can say that there is none.
 */
export const renditionRoute = (endpoint: ViewEndpoint, tools: RenditionTools, plain: Route, find: FindData): Route => {
  const { answers, renditions } = tools
  const own = renditionParameters(endpoint)
  const names = Object.keys(own)
  if (names.length === 0) return plain
  const readRendition = makeParameterReader({ path: endpoint.path, parameters: own })
  const readView = makeParameterReader(endpoint)

  const rendered = async (exchange: Exchange, query: RequestQuery, client: string, body: unknown): Promise<void> => {
    const chosen = readRendition(query)
    if (chosen._tag === "Refused") return answers.problem(exchange, parameterProblem(chosen))
    const rendition = renditionOf(chosen.parameters, endpoint)
    if (rendition.format === "json" && rendition.page === null) return plain(exchange, query, client, body)
    const accepted = readView(query)
    if (accepted._tag === "Refused") return answers.problem(exchange, parameterProblem(accepted))

    const found = await find(accepted, client)
    if (found._tag === "Refused") return answers.problem(exchange, found.problem)
    const request = { endpoint, parameters: { ...accepted.parameters, ...shortest(chosen.parameters) }, rendition }
    const stands = endpoint.kind !== "filtered" && standsReady(endpoint, accepted.key)
    const made = found._tag === "Missing" ? found : renditions.answer(request, found, { client, standsReady: stands })
    if (made._tag === "Ready") return answers.prepared(exchange, made.prepared)
    if (made._tag === "Refused") return answers.problem(exchange, made.problem)
    if (rendition.format === "json") return plain(exchange, query, client, body)
    const retryAfterSeconds = found._tag === "Missing" ? found.retryAfterSeconds : WARMING_RETRY_SECONDS
    return answers.problem(exchange, missingProblem(made.missing, retryAfterSeconds))
  }

  // Whole JSON stays without a promise.
  return (exchange, query, client, body) =>
    names.every((name) => query[name] === undefined)
      ? plain(exchange, query, client, body)
      : rendered(exchange, query, client, body)
}
