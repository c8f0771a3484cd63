import * as Schema from "effect/Schema"
import { statedChanges } from "../contract/changes.ts"
import { deprecationText } from "../contract/deprecation.ts"
import { type Endpoint, isOfService, isPremium } from "../contract/endpoint-kinds.ts"
import {
  endpointName,
  type LayoutPlace,
  layoutOf,
  MEMBERS_OF_DATA,
  memberValue,
  sourceOf,
} from "../contract/envelope.ts"
import type { Parameter } from "../contract/parameters.ts"
import { PAYMENT_CALLS_PER_MINUTE } from "../contract/payment.ts"
import { SIGNUP_PATH } from "../contract/refusal.ts"
import { mediaTypesOf, queryParameters } from "../contract/renditions.ts"
import { type BillingFacts, Meta, type ReceiptMember } from "../contract/reply.ts"
import { Instant } from "../event.ts"
import { atomOf } from "../formats/atom.ts"
import { csvOf } from "../formats/csv.ts"
import { mediaTypeOf } from "../formats/format.ts"
import { FeatureCollection, featuresOf } from "../formats/geojson.ts"
import { type Rows, rowsOf } from "../formats/table.ts"
import type { Json } from "../json.ts"
import { CONTRACT_VERSION } from "./catalog.ts"
import {
  Components,
  type ContentIn,
  component,
  headers,
  type JsonObject,
  renderedResponses,
  responseSchemas,
  sharedResponses,
  usedComponents,
} from "./openapi-components.ts"

const orNull = (schema: JsonObject): JsonObject => ({ anyOf: [schema, { type: "null" }] })
const object = (properties: JsonObject): JsonObject => ({
  type: "object",
  properties,
  required: Object.keys(properties),
})

const refreshedAt: JsonObject = {
  ...orNull(component("Instant")),
  description: "When the data was last refreshed from its upstream (_meta.as_of); null while there is none",
}

/** Narrows a value of the contract to JSON. */
const jsonOf = Schema.decodeUnknownSync(Schema.Json)

const AS_OF = "2026-08-17T20:35:00.000Z"

const metaExample: typeof Meta.Type = {
  as_of: AS_OF,
  changed_at: "2026-08-17T20:33:00.000Z",
  stale_after: "2026-08-17T20:40:00.000Z",
  stale: false,
  sources: [{ name: "Provider.metric", status: "live", fetched_at: AS_OF, latency_ms: 240 }],
}

const billingExample: typeof BillingFacts.Type = { credits_charged: 1, credits_remaining: 49 }

const receiptExample: typeof ReceiptMember.Type = {
  id: "019aa751-6d78-7a15-a34f-b12837a03c73",
  jws: "eyJhbGciOiJFZERTQSJ9.e30.c2lnbmF0dXJl",
}

/** Example values of an envelope's members. */
const exampleValues = (credits: number) => ({
  refreshedAt: AS_OF,
  meta: metaExample,
  billing: { ...billingExample, credits_charged: credits },
  receipt: receiptExample,
})

/** An example of the whole body of an endpoint's reply. */
export const exampleBody = (endpoint: Endpoint): Json => {
  if (isOfService(endpoint)) return jsonOf(endpoint.example)
  const values = exampleValues(isPremium(endpoint) ? endpoint.credits : 0)
  const data = jsonOf(endpoint.example) as JsonObject
  return Object.fromEntries(
    layoutOf(endpoint.envelope).flatMap((place): ReadonlyArray<readonly [string, Json]> => {
      if (place === MEMBERS_OF_DATA) return Object.entries(data)
      if (place === "data") return [[place, data]]
      return [[place, jsonOf(memberValue(place, endpoint.envelope, endpoint, values))]]
    }),
  )
}

/** The JSON Schema of the body of an endpoint's reply. */
export const bodySchema = (endpoint: Endpoint, components: Components): JsonObject => {
  const data = components.schemaOf(endpoint.data)
  if (isOfService(endpoint)) return data
  const { envelope, kind } = endpoint
  const members: Readonly<Record<Exclude<LayoutPlace, typeof MEMBERS_OF_DATA>, JsonObject>> = {
    source: { const: sourceOf(envelope) },
    endpoint: { const: endpointName(endpoint), description: "Name of the endpoint called" },
    updated_at: refreshedAt,
    // A reply from the history always has a time; a view may have no data yet.
    generated_at: kind === "queried" ? component("Instant") : refreshedAt,
    data: { ...orNull(data), description: "Null while there is no data: see _meta.warming and _meta.reason" },
    billing: component("Billing"),
    receipt: component("Receipt"),
    _meta: component("Meta"),
  }
  const layout = layoutOf(envelope)
  const own = object(
    Object.fromEntries(layout.flatMap((place) => (place === MEMBERS_OF_DATA ? [] : [[place, members[place]]]))),
  )
  return layout.includes(MEMBERS_OF_DATA) ? { allOf: [own, data] } : own
}

/** Unwraps an `anyOf` with a single member, as a choice of one word gives it. */
const onlyMember = (schema: JsonObject): JsonObject =>
  Array.isArray(schema.anyOf) && schema.anyOf.length === 1 ? (schema.anyOf[0] as JsonObject) : schema

/** The JSON Schema of a parameter's right values, with its default. */
export const valueSchema = (parameter: Parameter, components: Components): JsonObject => {
  const schema = onlyMember(components.schemaOf(Schema.toType(parameter.schema)))
  // A value that decodes into another type is documented as text, and a list with commas.
  const plain = ["string", "number", "integer", "boolean", "array"]
  const typeOnly = plain.includes(String(schema.type)) ? schema : { type: "string" }
  const written =
    typeOnly.type === "array" && parameter.text !== undefined
      ? { ...typeOnly, items: { ...(typeOnly.items as JsonObject), ...parameter.text } }
      : { ...typeOnly, ...parameter.text }
  return { ...written, ...(parameter.default === undefined ? {} : { default: typed(parameter.default, written) }) }
}

const parameterSchema = (parameter: Parameter, components: Components): JsonObject => {
  const { default: fallback, ...written } = valueSchema(parameter, components)
  // Where a wrong value makes the defaults apply, any text is accepted.
  return {
    ...(parameter.whenWrong === "defaults" ? { anyOf: [written, { type: "string" }] } : written),
    ...(fallback === undefined ? {} : { default: fallback }),
  }
}

/** What a parameter means, with its unit. */
export const parameterText = ({ description, unit }: Parameter): string =>
  unit === undefined ? description : `${description} (${unit})`

/** Whether a call without the parameter is refused. */
export const isRequired = (parameter: Parameter): boolean =>
  parameter.default === undefined && parameter.optional !== true

const typed = (text: string, schema: JsonObject): Json =>
  schema.type === "array"
    ? text.split(",")
    : schema.type === "number" || schema.type === "integer"
      ? Number(text)
      : text

const parametersOf = (endpoint: Endpoint, components: Components): ReadonlyArray<Json> =>
  Object.entries(queryParameters(endpoint)).map(([name, parameter]) => {
    const schema = parameterSchema(parameter, components)
    const kind = Array.isArray(schema.anyOf) ? (schema.anyOf[0] as JsonObject) : schema
    return {
      name,
      in: "query",
      required: isRequired(parameter),
      description: parameterText(parameter),
      ...(parameter.forAgents === false ? { "x-for-agents": false } : {}),
      ...(kind.type === "array" ? { style: "form", explode: false } : {}),
      schema,
      example: typed(parameter.example, kind),
    }
  })

const idempotencyKey: JsonObject = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "Makes the call safe to repeat: for 24 hours the same token and key get the same reply, charged once. 1 to 255 visible ASCII characters",
  schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[!-~]+$" },
  example: "8e03978e-40d5-43e8-bc93-6894a57f9324",
}

const lastEventId: JsonObject = {
  name: "Last-Event-ID",
  in: "header",
  required: false,
  description:
    "The last id that was read: the stream goes on behind it, whatever `after` says. Browsers send it by themselves",
  schema: component("Cursor"),
  example: "k7f2qdxa.000000001042",
}

/** The parameters in headers. */
const headerParameters = (endpoint: Endpoint): ReadonlyArray<Json> => {
  if (isPremium(endpoint)) return [idempotencyKey]
  return endpoint.kind === "changes" && endpoint.form === "stream" ? [lastEventId] : []
}

const requestBody = (endpoint: Endpoint, components: Components): JsonObject => {
  if (endpoint.kind !== "command" || endpoint.body === null) return {}
  const { schema, example, optional } = endpoint.body
  const content = { "application/json": { schema: components.schemaOf(schema), example: jsonOf(example) } }
  return { requestBody: { required: optional !== true, content } }
}

/** The credentials of an operation; none unless given. */
const security = ({ bearer }: Endpoint): JsonObject =>
  bearer === "none" ? {} : { security: [...(bearer === "optional" ? [{}] : []), { bearer: [] }] }

/** Price of a premium call, and the conditions under which it is free of charge. */
const pricing = (endpoint: Endpoint): JsonObject =>
  isPremium(endpoint)
    ? {
        "x-credits": endpoint.credits,
        "x-no-charge": endpoint.noCharge.map(({ reason, description, decided }) => ({ reason, description, decided })),
      }
    : {}

const ATOM_EXAMPLE = atomOf({
  id: "urn:uuid:1cd2a2f0-7ab0-57a1-9e0e-6c8a1f0f3b52",
  title: "Changes",
  author: sourceOf("data"),
  updated: AS_OF,
  links: [{ rel: "self", type: mediaTypeOf.atom, href: "https://api.example.org/api/feed/history?format=atom" }],
  entries: [],
})

/** Makes the function that gives the schema and an example of an endpoint's reply, by its media type. */
const makeContentIn =
  (endpoint: Endpoint, components: Components): ContentIn =>
  (mediaType) => {
    const table = "table" in endpoint ? endpoint.table : null
    const rows = table === null ? null : rowsOf(table, jsonOf(endpoint.example))
    if (rows !== null && mediaType === mediaTypeOf.csv) return { schema: { type: "string" }, example: csvOf(rows) }
    if (mediaType === mediaTypeOf.atom) return { schema: { type: "string" }, example: ATOM_EXAMPLE }
    if (rows !== null && mediaType === mediaTypeOf.geojson)
      return { schema: components.schemaOf(FeatureCollection), example: featureCollectionExample(endpoint, rows) }
    return { schema: bodySchema(endpoint, components), example: exampleBody(endpoint) }
  }

const featureCollectionExample = (endpoint: Endpoint, rows: Rows): Json => ({
  type: "FeatureCollection",
  source: sourceOf("data"),
  endpoint: endpointName(endpoint),
  updated_at: AS_OF,
  _meta: jsonOf(metaExample),
  features: featuresOf(rows),
})

const operation = (
  endpoint: Endpoint,
  components: Components,
  samplesOf: ((endpoint: Endpoint) => ReadonlyArray<Json>) | undefined,
): JsonObject => {
  const { tier } = endpoint
  const samples = samplesOf?.(endpoint) ?? []
  const changes = statedChanges(endpoint)
  return {
    operationId: endpoint.name,
    summary: endpoint.summary,
    description: [endpoint.description, ...endpoint.deprecated.map(deprecationText)].join(" "),
    tags: [tier],
    ...(endpoint.deprecated.some(({ field }) => field === undefined) ? { deprecated: true } : {}),
    ...security(endpoint),
    ...pricing(endpoint),
    "x-counted": endpoint.counted,
    ...(changes.length === 0 ? {} : { "x-changes": jsonOf(changes) }),
    parameters: [...parametersOf(endpoint, components), ...headerParameters(endpoint)],
    ...requestBody(endpoint, components),
    responses: renderedResponses(endpoint.responses, makeContentIn(endpoint, components)),
    ...(samples.length === 0 ? {} : { "x-codeSamples": samples }),
  }
}

const tags: JsonObject = {
  free: "Free data: no key, no sign-up",
  premium: "Composed data, paid in credits",
  payment: `Buying credits. At most ${PAYMENT_CALLS_PER_MINUTE} calls a minute for one client, fewer where an endpoint says so`,
  service: "The service itself",
}

/**
 * The contract as an OpenAPI 3.1 document. HEAD and OPTIONS are not listed, as every path supports them. `baseUrl` is the
 * public address without a trailing slash; null: the address under which the document was requested.
 */
export const buildOpenApi = (options: {
  readonly endpoints: ReadonlyArray<Endpoint>
  readonly baseUrl: string | null
  /** False: the installation keeps no history, which the document then says. True by default. */
  readonly keepsHistory?: boolean
  /** Calls of an endpoint to copy; none unless given. */
  readonly samplesOf?: (endpoint: Endpoint) => ReadonlyArray<Json>
}) => {
  const components = new Components()
  for (const shared of [Instant, Meta, ...responseSchemas]) components.share(shared)
  if (options.endpoints.some((one) => mediaTypesOf(one).includes(mediaTypeOf.geojson)))
    components.share(FeatureCollection)
  const paths: Record<string, JsonObject> = {}
  for (const endpoint of options.endpoints)
    paths[endpoint.path] = {
      ...paths[endpoint.path],
      [endpoint.method.toLowerCase()]: operation(endpoint, components, options.samplesOf),
    }
  const used = new Set(options.endpoints.map(({ tier }) => tier))
  return {
    openapi: "3.1.1",
    info: {
      title: "Tidewire",
      version: CONTRACT_VERSION,
      description: `Real-time data of the world's public feeds. Every GET also takes HEAD, unless it costs credits, and every path OPTIONS. Every reply may be read by scripts of other origins (CORS). Errors are RFC 9457 problem details.${options.keepsHistory === false ? " This installation keeps no history: `at` is refused with 404 not_configured, and what reads the history is not listed." : ""}`,
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: options.baseUrl ?? "/" }],
    tags: Object.entries(tags).flatMap(([name, description]) =>
      [...used].some((tier) => tier === name) ? [{ name, description }] : [],
    ),
    security: [],
    paths,
    components: {
      ...usedComponents(paths, { schemas: components.schemas, headers, responses: sharedResponses }),
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          description: `A token of credits, svc_live_ and 64 hex digits, as POST /api/payment/confirm returns it. How to get one: ${options.baseUrl ?? ""}${SIGNUP_PATH}`,
        },
      },
    },
  }
}
