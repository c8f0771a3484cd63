import { Schema } from "effect"
import { CONTRACT_VERSION } from "./catalog.ts"
import type { Endpoint, Parameter } from "./endpoint.ts"
import { Instant } from "./event.ts"
import type { Json } from "./json.ts"
import {
  component,
  hasMeta,
  headers,
  type JsonObject,
  otherResponses,
  responseSchemas,
  servedHeaders,
  sharedResponses,
} from "./openapi-responses.ts"
import { PAYMENT_CALLS_PER_MINUTE } from "./payment.ts"
import { SIGNUP_PATH } from "./refusal.ts"
import { type BillingFacts, Meta, PREMIUM_SOURCE, type ReceiptMember, SERVICE_SOURCE } from "./reply.ts"

const DEFINITIONS = "#/$defs/"
const NESTING_MAX = 30

/** Formats of schemas, by their identifiers. */
const formats: Readonly<Record<string, string>> = { Instant: "date-time", Day: "date" }

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
    // The generator leaves out patterns; readers know these formats by name. It numbers those that say more than the first.
    const format = formats[name.replace(/_\d+$/, "")]
    return format === undefined ? definition : { ...(definition as JsonObject), format }
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

/** An example of the whole body of an endpoint's reply. */
export const exampleBody = (endpoint: Endpoint): Json => {
  const data = endpoint.example as JsonObject
  const name = endpoint.path.replace(/^\/api\//, "")
  const meta = metaExample as unknown as JsonObject
  switch (endpoint.envelope) {
    case "data":
      return { source: SERVICE_SOURCE, endpoint: name, updated_at: AS_OF, data, _meta: meta }
    case "premium":
      return {
        source: PREMIUM_SOURCE,
        endpoint: name,
        generated_at: AS_OF,
        ...data,
        billing: { ...billingExample, credits_charged: endpoint.credits },
        receipt: receiptExample,
        _meta: meta,
      }
    case "composed":
      return { source: SERVICE_SOURCE, generated_at: AS_OF, ...data, _meta: meta }
    case "none":
      return hasMeta(endpoint) ? { ...data, _meta: meta } : data
  }
}

const bodySchema = (endpoint: Endpoint, components: Components): JsonObject => {
  const data = components.schemaOf(endpoint.data)
  const meta = { _meta: component("Meta") }
  const source = { source: { const: SERVICE_SOURCE } }
  switch (endpoint.envelope) {
    case "data":
      return object({
        ...source,
        endpoint: { const: endpoint.path.replace(/^\/api\//, ""), description: "Name of the endpoint called" },
        updated_at: refreshedAt,
        data: { ...orNull(data), description: "Null while there is no data yet: see _meta.warming" },
        ...meta,
      })
    case "premium": {
      const envelope = {
        source: { const: PREMIUM_SOURCE },
        endpoint: { const: endpoint.path.replace(/^\/api\//, ""), description: "Name of the endpoint called" },
        billing: component("Billing"),
        receipt: component("Receipt"),
        ...meta,
      }
      // What is asked of the history is there or not; what stands prepared may still be on its way.
      const generated_at = endpoint.kind === "queried" ? component("Instant") : refreshedAt
      return { allOf: [object({ ...envelope, generated_at }), data] }
    }
    case "composed":
      return { allOf: [object({ ...source, generated_at: refreshedAt, ...meta }), data] }
    case "none":
      return hasMeta(endpoint) ? { allOf: [object(meta), data] } : data
  }
}

/** What it is a union of, where that is one thing only: so comes a choice of one word. */
const onlyMember = (schema: JsonObject): JsonObject =>
  Array.isArray(schema.anyOf) && schema.anyOf.length === 1 ? (schema.anyOf[0] as JsonObject) : schema

const parameterSchema = (parameter: Parameter, components: Components): JsonObject => {
  const schema = onlyMember(components.schemaOf(Schema.toType(parameter.schema)))
  // What decodes into something richer is still written as text; a list is written with commas.
  const plain = ["string", "number", "integer", "boolean", "array"]
  const written = plain.includes(String(schema.type)) ? schema : { type: "string" }
  // Where a wrong value makes the defaults apply, any text is accepted.
  return {
    ...(parameter.whenWrong === "defaults" ? { anyOf: [written, { type: "string" }] } : written),
    ...(parameter.default === undefined ? {} : { default: typed(parameter.default, written) }),
  }
}

const typed = (text: string, schema: JsonObject): Json =>
  schema.type === "array"
    ? text.split(",")
    : schema.type === "number" || schema.type === "integer"
      ? Number(text)
      : text

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
    "Makes the call safe to repeat: within 24 hours the same token and key get the same reply again, charged once. 1 to 255 visible ASCII characters",
  schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[!-~]+$" },
  example: "8e03978e-40d5-43e8-bc93-6894a57f9324",
}

const requestBody = ({ body }: Endpoint, components: Components): JsonObject =>
  body === null
    ? {}
    : {
        requestBody: {
          required: body.optional !== true,
          content: { "application/json": { schema: components.schemaOf(body.schema), example: body.example as Json } },
        },
      }

/** Which credentials an operation takes: none unless it says otherwise. */
const security = ({ bearer }: Endpoint): JsonObject =>
  bearer === "none" ? {} : { security: [...(bearer === "optional" ? [{}] : []), { bearer: [] }] }

/** What a premium call costs, and when it does not. */
const pricing = ({ tier, credits, noCharge }: Endpoint): JsonObject =>
  tier === "premium"
    ? {
        "x-credits": credits,
        "x-no-charge": noCharge.map(({ reason, description, decided }) => ({ reason, description, decided })),
      }
    : {}

const answerOf = (endpoint: Endpoint): string => {
  if (!hasMeta(endpoint)) return "The answer"
  const where = "The data, with where it stands in _meta"
  return endpoint.kind === "queried"
    ? where
    : `${where}. While there is none yet: ${endpoint.envelope === "data" ? "data" : "its members"} null, and _meta.warming true`
}

const operation = (endpoint: Endpoint, components: Components): JsonObject => {
  const { tier } = endpoint
  return {
    operationId: endpoint.name,
    summary: endpoint.summary,
    description: endpoint.description,
    tags: [tier],
    ...security(endpoint),
    ...pricing(endpoint),
    parameters: [...parametersOf(endpoint, components), ...(tier === "premium" ? [idempotencyKey] : [])],
    ...requestBody(endpoint, components),
    responses: {
      "200": {
        description: answerOf(endpoint),
        headers: servedHeaders(endpoint),
        content: {
          "application/json": { schema: bodySchema(endpoint, components), example: exampleBody(endpoint) },
        },
      },
      ...otherResponses(endpoint),
    },
  }
}

const tags: JsonObject = {
  free: "Free data: no key, no sign-up",
  premium: "Composed data, paid in credits",
  payment: `Buying credits. One client may call them ${PAYMENT_CALLS_PER_MINUTE} times a minute, and less often where they say so`,
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
  for (const shared of [Instant, Meta, ...responseSchemas]) components.share(shared)
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
        "Real-time data of the world's public feeds. Every GET also takes HEAD, unless it costs credits, and every path OPTIONS. Every reply may be read by scripts of other origins (CORS). Errors are RFC 9457 problem details.",
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
      responses: sharedResponses,
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
