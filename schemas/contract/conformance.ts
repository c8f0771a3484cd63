import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type Endpoint, isOfService } from "./endpoint-kinds.ts"
import { endpointName, layoutOf, MEMBERS_OF_DATA, reservedMembers, sourceOf } from "./envelope.ts"
import { Meta } from "./reply.ts"
import type { ResponseBody, ResponseFact } from "./responses.ts"

// Whether a reply is one of those that the contract says of its endpoint, as a caller sees it from outside.

/** What every reply brings or may bring: HTTP itself, security and CORS, and what a proxy adds. */
export const OF_EVERY_REPLY =
  /^(access-control-.*|age|alt-svc|cf-.*|connection|content-(encoding|length|security-policy|type)|cross-origin-resource-policy|date|keep-alive|referrer-policy|server|strict-transport-security|transfer-encoding|via|x-(cache|content-type-options|request-id))$/

/** A reply as it was received. */
export interface ReceivedReply {
  readonly method: "GET" | "HEAD" | "POST"
  readonly status: number
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

type Members = Readonly<Record<string, unknown>>
const isMembers = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The data of a body, whether it stands in a member of its own or beside those of the envelope. */
const dataIn = (endpoint: Endpoint, body: Members): unknown => {
  if (isOfService(endpoint)) return body
  if (endpoint.envelope === "data") return body.data
  const beside = reservedMembers(endpoint.envelope)
  return Object.fromEntries(Object.entries(body).filter(([name]) => !beside.has(name)))
}

const problemsBy = (schema: Schema.Top, value: unknown, what: string): ReadonlyArray<string> => {
  // A later release may add members.
  const decoded = Schema.decodeUnknownResult(schema as Schema.Codec<unknown>)(value)
  return Result.isFailure(decoded) ? [`${what}: ${decoded.failure.message}`] : []
}

/** How the members of the envelope differ from the contract. */
const problemsOfEnvelope = (endpoint: Endpoint, body: Members): ReadonlyArray<string> => {
  if (isOfService(endpoint)) return []
  const layout = layoutOf(endpoint.envelope).filter((place) => place !== MEMBERS_OF_DATA)
  const missing = layout.filter((place) => !Object.hasOwn(body, place))
  const said: Members = { source: sourceOf(endpoint.envelope), endpoint: endpointName(endpoint) }
  const wrong = layout.filter(
    (place) => Object.hasOwn(said, place) && Object.hasOwn(body, place) && body[place] !== said[place],
  )
  return [
    ...missing.map((place) => `${place} is missing`),
    ...wrong.map((place) => `${place} is ${JSON.stringify(body[place])} and not ${JSON.stringify(said[place])}`),
    ...(Object.hasOwn(body, "_meta") ? problemsBy(Meta, body._meta, "_meta") : []),
  ]
}

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const problemsOfBody = (
  endpoint: Endpoint,
  declared: ResponseBody,
  mediaType: string,
  text: string,
): ReadonlyArray<string> => {
  if (!/[/+]json$/.test(mediaType)) return text === "" ? ["the body is empty"] : []
  const body = jsonOf(text)
  if (!isMembers(body)) return ["the body is no JSON object"]
  switch (declared._tag) {
    case "Reply": {
      // A map or a table of the list has a standard of its own.
      if (mediaType !== "application/json") return []
      const { data } = endpoint
      const cold = !isOfService(endpoint) && endpoint.envelope === "data" && body.data === null
      return [...problemsOfEnvelope(endpoint, body), ...(cold ? [] : problemsBy(data, dataIn(endpoint, body), "data"))]
    }
    case "Schema":
      return problemsBy(declared.schema, body, "the body")
    case "ByError": {
      const schema = declared.schemas[String(body.error)]
      return schema === undefined
        ? [`error is ${JSON.stringify(body.error)}, which is not documented here`]
        : problemsBy(schema, body, "the body")
    }
  }
}

const mediaTypesOf = (body: ResponseBody): ReadonlyArray<string> =>
  body._tag === "Reply" ? body.mediaTypes : [body.mediaType]

/** How a reply differs from what the contract says of its endpoint, in words; none where it does not. */
export const departuresOf = (
  endpoint: Endpoint,
  { method, status, headers, text }: ReceivedReply,
): ReadonlyArray<string> => {
  const declared: ResponseFact | undefined = endpoint.responses[String(status)]
  if (declared === undefined) return [`status ${status} is not documented`]
  const names = new Set<string>(declared.headers.map((name) => name.toLowerCase()))
  const undocumented = Object.keys(headers)
    .filter((name) => !names.has(name) && !OF_EVERY_REPLY.test(name))
    .map((name) => `the header ${name} is not documented for ${status}`)
  if (declared.body === null || method === "HEAD") return [...undocumented, ...(text === "" ? [] : ["it has a body"])]
  const mediaType = headers["content-type"]?.split(";")[0]?.trim() ?? ""
  if (!mediaTypesOf(declared.body).includes(mediaType))
    return [...undocumented, `its type is "${mediaType}", which is not documented for ${status}`]
  return [...undocumented, ...problemsOfBody(endpoint, declared.body, mediaType, text)]
}
