import { STATUS_CODES } from "node:http"
import { closest, distance } from "fastest-levenshtein"
import type { Problem } from "../../schemas/contract/reply.ts"
import { apiCatalogEndpoint } from "../../schemas/endpoints/api-catalog.ts"
import { llmsEndpoint } from "../../schemas/endpoints/llms.ts"
import { openApiEndpoint } from "../../schemas/endpoints/openapi.ts"
import type { RefusedParameter } from "./parameters.ts"

/** The code of the error for a body that nests arrays and objects deeper than the bound. */
export const BODY_TOO_DEEP = "BODY_TOO_DEEP"

/** The words for it, in problems and in errors of JSON-RPC. */
export const BODY_TOO_DEEP_MESSAGE = "The body nests arrays and objects deeper than this service reads."

/** An error reply: RFC 9457 problem details with the contract's `error`, and headers of its own. */
export interface ProblemReply {
  readonly status: number
  readonly body: Problem
  readonly headers: ReadonlyArray<string>
}

/** Links in error replies, absolute where the public address is known. */
export interface Links {
  readonly catalog: string
  readonly docs: string
  /** The `Link` header of a 404: the description of the service, and its documents. */
  readonly linkHeader: string
}

/** The links below a public address without a trailing slash; null where it is not known. */
export const linksOf = (baseUrl: string | null): Links => ({
  catalog: `${baseUrl ?? ""}/api`,
  docs: `${baseUrl ?? ""}/openapi.json`,
  linkHeader: serviceLinks(baseUrl ?? ""),
})

/** The links of RFC 8631 and RFC 9727 that lead a program from any address of this service to its description. */
export const serviceLinks = (address: string): string =>
  [
    `<${address}${openApiEndpoint.path}>; rel="service-desc"; type="application/json"`,
    `<${address}${llmsEndpoint.path}>; rel="service-doc"; type="text/plain"`,
    `<${address}${apiCatalogEndpoint.path}>; rel="api-catalog"; type="application/linkset+json"`,
  ].join(", ")

const PATH_MAX_CHARACTERS = 128

/** Builds a problem. Its `type` is `about:blank`, as RFC 9457 provides where status and `error` name the kind. */
export const problem = (
  status: number,
  error: string,
  message: string,
  rest: Partial<Problem> = {},
  headers: ReadonlyArray<string> = [],
): ProblemReply => ({
  status,
  body: { type: "about:blank", title: STATUS_CODES[status] ?? "Error", status, error, message, ...rest },
  headers,
})

/** Members and the header of a problem that are addresses of this service. */
const LINKS = new Set(["signup", "catalog", "docs", "X-Service-Pricing"])

/** A problem whose addresses are absolute. */
export const withAddress = ({ status, body, headers }: ProblemReply, address: string): ProblemReply => {
  const link = (name: string | undefined, value: string) =>
    name !== undefined && LINKS.has(name) && value.startsWith("/") ? `${address}${value}` : value
  const linked = Object.entries(body).flatMap(([name, value]) =>
    typeof value === "string" ? [[name, link(name, value)]] : [],
  )
  return {
    status,
    body: { ...body, ...Object.fromEntries(linked) },
    headers: headers.map((text, at) => (at % 2 === 0 ? text : link(headers[at - 1], text))),
  }
}

/** 400: a parameter is missing or wrong. */
export const parameterProblem = ({ error, parameter, message, allowed }: RefusedParameter): ProblemReply =>
  problem(400, error, message, { parameter, ...(allowed === null ? {} : { allowed }) })

/** The path of the contract nearest to a requested one; null when none is near. */
const didYouMean = (path: string, known: ReadonlyArray<string>): string | null => {
  const asked = path.slice(0, PATH_MAX_CHARACTERS).toLowerCase().replace(/\/+$/, "")
  if (known.length === 0 || asked.length === 0) return null
  const nearest = closest(asked, known)
  return distance(asked, nearest) <= Math.max(2, Math.floor(nearest.length / 4)) ? nearest : null
}

/** 404: the path does not exist. The body does not repeat it. */
export const notFound = (path: string, known: ReadonlyArray<string>, links: Links): ProblemReply => {
  const meant = didYouMean(path, known)
  const { linkHeader, ...members } = links
  const message = "There is nothing at this path. The catalog lists all endpoints."
  return problem(404, "not_found", message, { ...(meant === null ? {} : { did_you_mean: meant }), ...members }, [
    "Link",
    linkHeader,
  ])
}

/** 404: the operator of this installation does not offer the endpoint. */
export const notOffered = ({ linkHeader, ...members }: Links): ProblemReply => {
  const message = "This installation does not offer this endpoint. The catalog lists those that it offers."
  return problem(404, "not_offered", message, members, ["Link", linkHeader])
}

/** 404: the endpoint reads the history, and this installation keeps none. */
export const notConfigured = ({ linkHeader, ...members }: Links): ProblemReply => {
  const message = "This installation keeps no history, which this endpoint reads. Nothing was charged."
  return problem(404, "not_configured", message, members, ["Link", linkHeader])
}

/** 405: the path exists and takes other methods. */
export const methodNotAllowed = (allow: string): ProblemReply =>
  problem(405, "method_not_allowed", `This path takes ${allow}.`, {}, ["Allow", allow])

/** 429: the client has used up its share. */
export const rateLimited = (retryAfterSeconds: number, message: string): ProblemReply =>
  problem(429, "rate_limited", message, { retry_after_seconds: retryAfterSeconds }, [
    "Retry-After",
    String(retryAfterSeconds),
  ])

/** 503: the requested format has no reply without data. Without `retryAfterSeconds`, as no data will come, a retry is useless. */
export const noTable = (error: string, reason: string, retryAfterSeconds: number | null): ProblemReply =>
  problem(
    503,
    error,
    `There is no data, and this format can say so only by an empty list, which would be wrong (${reason}).`,
    retryAfterSeconds === null ? {} : { retry_after_seconds: retryAfterSeconds },
    retryAfterSeconds === null ? [] : ["Retry-After", String(retryAfterSeconds)],
  )

/** 500: a fault of the service. Its cause stands in the log and not in the reply. */
export const internalError = (): ProblemReply =>
  problem(500, "internal_error", "The service failed to answer. The fault was logged.")

/** The problem for an error of the HTTP parser or the body parser, by its code; null for other errors. */
export const transportProblem = (code: string | undefined): ProblemReply | null => {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return problem(431, "headers_too_large", "The request's headers are larger than this service reads.")
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return problem(408, "request_timeout", "The request did not arrive in time.")
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return problem(413, "body_too_large", "The request's body is larger than this service reads.")
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
      return problem(415, "unsupported_media_type", "The body must be JSON (Content-Type: application/json).")
    case "FST_ERR_CTP_EMPTY_JSON_BODY":
    case "FST_ERR_CTP_INVALID_JSON_BODY":
      return problem(400, "malformed_json", "The body is not JSON, or has a member like __proto__ that is never taken.")
    case BODY_TOO_DEEP:
      return problem(400, "malformed_body", BODY_TOO_DEEP_MESSAGE)
    case "FST_ERR_CTP_INVALID_CONTENT_LENGTH":
    case "FST_ERR_BAD_URL":
      return problem(400, "bad_request", "The request is not well-formed.")
    default:
      return code?.startsWith("HPE_") ? problem(400, "bad_request", "The request is not well-formed HTTP.") : null
  }
}
