import { Schema } from "effect"
import { CONTRACT_VERSION, defaultParameters } from "./catalog.ts"
import type { Endpoint, Parameter } from "./endpoint.ts"
import { Instant } from "./event.ts"
import type { Json } from "./json.ts"
import { Meta, Problem, SERVICE_SOURCE } from "./reply.ts"

type JsonObject = { readonly [key: string]: Json }

const DEFINITIONS = "#/$defs/"
const NESTING_MAX = 30

/** Schemas that the replies of all endpoints share, and the JSON Schema of those of one endpoint. */
class Components {
  readonly schemas: Record<string, Json> = {}

  /** Makes a schema with an identifier, and those it is made of, components of the document. */
  share(schema: Schema.Top): void {
    const { definitions } = Schema.toJsonSchemaDocument(schema)
    for (const name of Object.keys(definitions)) this.schemas[name] ??= this.#define(name, definitions as JsonObject, 0)
  }

  /**
   * The JSON Schema of a schema. It points to a component where that says exactly the same; an identifier that was
   * annotated further (an instant with its own description) is written out.
   */
  schemaOf(schema: Schema.Top): JsonObject {
    const document = Schema.toJsonSchemaDocument(schema)
    return this.#resolve(document.schema as Json, document.definitions as JsonObject, 0) as JsonObject
  }

  #define(name: string, definitions: JsonObject, depth: number): Json {
    const definition = this.#resolve(definitions[name] ?? {}, definitions, depth + 1)
    // The generator leaves out the pattern of instants; readers know their format by name.
    return name === "Instant" ? { ...(definition as JsonObject), format: "date-time" } : definition
  }

  #resolve(value: Json, definitions: JsonObject, depth: number): Json {
    if (depth > NESTING_MAX) throw new Error("a reply's schema is nested too deeply, or within itself")
    if (Array.isArray(value)) return value.map((one) => this.#resolve(one, definitions, depth))
    if (value === null || typeof value !== "object") return value
    const { $ref: reference } = value as JsonObject
    if (typeof reference === "string" && reference.startsWith(DEFINITIONS)) {
      const name = reference.slice(DEFINITIONS.length)
      const definition = this.#define(name, definitions, depth)
      return JSON.stringify(definition) === JSON.stringify(this.schemas[name]) ? component(name) : definition
    }
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [key, this.#resolve(member, definitions, depth)]),
    )
  }
}

const component = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` })
const header = (name: string): JsonObject => ({ $ref: `#/components/headers/${name}` })
const orNull = (schema: JsonObject): JsonObject => ({ anyOf: [schema, { type: "null" }] })
const object = (properties: JsonObject): JsonObject => ({
  type: "object",
  properties,
  required: Object.keys(properties),
})

const AS_OF = "2026-08-17T20:35:00.000Z"

const metaExample: typeof Meta.Type = {
  as_of: AS_OF,
  stale_after: "2026-08-17T20:40:00.000Z",
  stale: false,
  sources: [{ name: "Provider.metric", status: "live", fetched_at: AS_OF, latency_ms: 240 }],
}

/** Whether the replies of an endpoint carry `_meta`. */
export const hasMeta = ({ kind }: Endpoint): boolean => kind !== "service"

/** An example of the whole body of an endpoint's reply. */
export const exampleBody = (endpoint: Endpoint): Json => {
  const data = endpoint.example as JsonObject
  const name = endpoint.path.replace(/^\/api\//, "")
  const meta = metaExample as unknown as JsonObject
  switch (endpoint.envelope) {
    case "data":
      return { source: SERVICE_SOURCE, endpoint: name, updated_at: AS_OF, data, _meta: meta }
    case "premium":
    case "composed":
      return { source: SERVICE_SOURCE, generated_at: AS_OF, ...data, _meta: meta }
    case "none":
      return hasMeta(endpoint) ? { ...data, _meta: meta } : data
  }
}

const bodySchema = (endpoint: Endpoint, components: Components): JsonObject => {
  const data = components.schemaOf(endpoint.data)
  const meta = { _meta: component("Meta") }
  const warming = { data: { type: "null", description: "There is no data yet" } }
  const source = { source: { const: SERVICE_SOURCE } }
  switch (endpoint.envelope) {
    case "data":
      return object({
        ...source,
        endpoint: { const: endpoint.path.replace(/^\/api\//, ""), description: "Name of the endpoint called" },
        updated_at: {
          ...orNull(component("Instant")),
          description: "When the data last changed; null while there is none",
        },
        data: { ...orNull(data), description: "Null while there is no data yet: see _meta.warming" },
        ...meta,
      })
    case "premium":
    case "composed":
      return {
        anyOf: [
          { allOf: [object({ ...source, generated_at: component("Instant"), ...meta }), data] },
          object({ ...source, generated_at: { type: "null" }, ...warming, ...meta }),
        ],
      }
    case "none":
      return hasMeta(endpoint) ? { anyOf: [{ allOf: [object(meta), data] }, object({ ...warming, ...meta })] } : data
  }
}

const parameterSchema = (parameter: Parameter, components: Components): JsonObject => {
  const schema = components.schemaOf(Schema.toType(parameter.schema))
  // What decodes into something richer is still written as text.
  const written = ["string", "number", "integer", "boolean"].includes(String(schema.type)) ? schema : { type: "string" }
  // Where a wrong value makes the defaults apply, any text is accepted.
  return {
    ...(parameter.whenWrong === "defaults" ? { anyOf: [written, { type: "string" }] } : written),
    ...(parameter.default === undefined ? {} : { default: typed(parameter.default, written) }),
  }
}

const typed = (text: string, schema: JsonObject): Json =>
  schema.type === "number" || schema.type === "integer" ? Number(text) : text

const parametersOf = (endpoint: Endpoint, components: Components): ReadonlyArray<Json> =>
  Object.entries(endpoint.parameters).map(([name, parameter]) => {
    const schema = parameterSchema(parameter, components)
    const kind = Array.isArray(schema.anyOf) ? (schema.anyOf[0] as JsonObject) : schema
    return {
      name,
      in: "query",
      required: parameter.default === undefined && parameter.optional !== true,
      description:
        parameter.unit === undefined ? parameter.description : `${parameter.description} (${parameter.unit})`,
      schema,
      example: typed(parameter.example, kind),
    }
  })

const problemStatuses = {
  400: "A parameter is missing or wrong, or the request is not well-formed",
  404: "There is nothing at this path",
  405: "The path takes other methods: see Allow",
  408: "The request did not arrive in time",
  413: "The body is too large",
  414: "The address is too long",
  415: "The body is not JSON",
  429: "The client's share is used up: see Retry-After",
  431: "The headers are too large",
  500: "Something went wrong here",
} as const

const problemResponses = (): JsonObject =>
  Object.fromEntries(
    Object.entries(problemStatuses).map(([status, description]) => [
      `Problem${status}`,
      {
        description,
        headers: {
          ...(status === "405" ? { Allow: header("Allow") } : {}),
          ...(status === "429" ? { "Retry-After": header("Retry-After") } : {}),
        },
        content: { "application/problem+json": { schema: component("Problem") } },
      },
    ]),
  )

const headers: JsonObject = {
  Age: { description: "Seconds since the bytes were prepared", schema: { type: "integer", minimum: 0 } },
  Allow: { description: "Methods that the path takes", schema: { type: "string" } },
  "Cache-Control": { description: "For how long the reply may be reused", schema: { type: "string" } },
  ETag: { description: "Strong entity tag of these bytes in this coding", schema: { type: "string" } },
  "Last-Modified": { description: "When the bytes last changed", schema: { type: "string" } },
  Vary: { description: "Accept-Encoding", schema: { type: "string" } },
  "X-Service-As-Of": { description: "_meta.as_of, where there is one", schema: component("Instant") },
  "X-Service-Stale": { description: "_meta.stale", schema: { type: "string", enum: ["true", "false"] } },
  "Retry-After": { description: "Seconds after which asking again makes sense", schema: { type: "string" } },
  RateLimit: { description: "What is left of the daily share (structured field)", schema: { type: "string" } },
  "RateLimit-Policy": { description: "The daily share (structured field)", schema: { type: "string" } },
}

const headersOf = (names: ReadonlyArray<string>): JsonObject =>
  Object.fromEntries(names.map((name) => [name, header(name)]))

const rateHeaders = ["RateLimit", "RateLimit-Policy"]
const cacheHeaders = ["Age", "Cache-Control", "ETag", "Last-Modified", "Vary"]

/** Whether the bytes of an endpoint stand ready under an entity tag; `health` alone is made for each request. */
const isCached = (endpoint: Endpoint): boolean => endpoint.ttlMs(defaultParameters(endpoint)) > 0

const operation = (endpoint: Endpoint, components: Components): JsonObject => {
  const cached = isCached(endpoint)
  const counted = endpoint.name !== "health"
  const sent = [
    ...(cached ? cacheHeaders : ["Cache-Control"]),
    ...(hasMeta(endpoint) ? ["X-Service-As-Of", "X-Service-Stale", "Retry-After"] : []),
    ...(counted ? rateHeaders : []),
  ]
  const problems = Object.keys(problemStatuses).filter((status) => !["404", "413", "415"].includes(status))
  return {
    operationId: endpoint.name,
    summary: endpoint.summary,
    description: endpoint.description,
    tags: [endpoint.tier],
    parameters: parametersOf(endpoint, components),
    responses: {
      "200": {
        description: hasMeta(endpoint)
          ? "The data, with where it stands in _meta. While there is none yet: data null and _meta.warming true"
          : "The answer",
        headers: headersOf(sent),
        content: {
          "application/json": { schema: bodySchema(endpoint, components), example: exampleBody(endpoint) },
        },
      },
      ...(cached
        ? {
            "304": {
              description: "You hold these bytes already",
              headers: headersOf(["Age", "ETag", "Cache-Control"]),
            },
          }
        : {}),
      ...Object.fromEntries(problems.map((status) => [status, { $ref: `#/components/responses/Problem${status}` }])),
    },
  }
}

const tags: JsonObject = {
  free: "Free data: no key, no sign-up",
  premium: "Composed data, paid in credits",
  payment: "Buying credits",
  service: "The service itself",
}

/**
 * The contract as an OpenAPI 3.1 document. HEAD and OPTIONS are answered on every path and not listed. `baseUrl` is the
 * public address without a slash at its end; null: the address under which the document was asked for.
 */
export const buildOpenApi = (options: {
  readonly endpoints: ReadonlyArray<Endpoint>
  readonly baseUrl: string | null
}): JsonObject => {
  const components = new Components()
  for (const shared of [Instant, Meta, Problem]) components.share(shared)
  const paths: Record<string, JsonObject> = {}
  for (const endpoint of options.endpoints)
    paths[endpoint.path] = { ...paths[endpoint.path], [endpoint.method.toLowerCase()]: operation(endpoint, components) }
  const used = new Set(options.endpoints.map(({ tier }) => tier))
  return {
    openapi: "3.1.1",
    info: {
      title: "Tidewire",
      version: CONTRACT_VERSION,
      description:
        "Real-time data of the world's public feeds. Every GET also takes HEAD, every path OPTIONS. Errors are RFC 9457 problem details.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: options.baseUrl ?? "/" }],
    tags: Object.entries(tags).flatMap(([name, description]) =>
      [...used].some((tier) => tier === name) ? [{ name, description }] : [],
    ),
    security: [],
    paths,
    components: {
      schemas: components.schemas,
      headers,
      responses: problemResponses(),
    },
  }
}
