import * as Schema from "effect/Schema"
import { Change, CursorText } from "../change.ts"
import { CursorGone } from "../contract/changes.ts"
import { JsonRpcReply } from "../contract/mcp.ts"
import { AlreadyCredited, PayerProofRequired, PaymentPending, PurchaseRecord } from "../contract/payment.ts"
import { PremiumFailure, PremiumPaymentRequired } from "../contract/refusal.ts"
import { BillingFacts, Problem, ReceiptMember } from "../contract/reply.ts"
import { type HeaderName, type ResponseBody, type ResponseFact, type Responses, shared } from "../contract/responses.ts"
import type { Json } from "../json.ts"

// The components of an OpenAPI document: schemas, headers, and the responses that endpoints share.

export type JsonObject = { readonly [key: string]: Json }

/** A reference to a schema of the document. */
export const component = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` })

const DEFINITIONS = "#/$defs/"
const NESTING_MAX = 30

/** Formats of schemas, by their identifiers. */
const formats: Readonly<Record<string, string>> = { Instant: "date-time", Day: "date" }

/** The schemas of an OpenAPI document: shared components, and the JSON Schema of a single endpoint's schemas. */
export class Components {
  readonly schemas: Record<string, Json> = {}

  /** Adds a schema with an identifier, and the ones that it refers to, to the components of the document. */
  share(schema: Schema.Top): void {
    const { definitions } = Schema.toJsonSchemaDocument(schema)
    for (const name of Object.keys(definitions)) this.schemas[name] ??= this.#define(name, definitions as JsonObject, 0)
  }

  /**
   * The JSON Schema of a schema. An identical component is referenced; a schema with further annotations (an instant with
   * a description of its own) is written out.
   */
  schemaOf(schema: Schema.Top): JsonObject {
    const document = Schema.toJsonSchemaDocument(schema)
    return this.#resolve(document.schema as Json, document.definitions as JsonObject, 0) as JsonObject
  }

  #define(name: string, definitions: JsonObject, depth: number): Json {
    const definition = this.#resolve(definitions[name] ?? {}, definitions, depth + 1)
    // The generator omits patterns, so the format is added. It numbers variants of an identifier: Instant_1, Instant_2.
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

/** Schemas of whole bodies and of members, by their names in the document. Members of those that follow refer to the first ones. */
const namedSchemas: Readonly<Record<string, Schema.Top>> = {
  Cursor: CursorText,
  Problem,
  Billing: BillingFacts,
  Receipt: ReceiptMember,
  PremiumPaymentRequired,
  PremiumFailure,
  AlreadyCredited,
  PayerProofRequired,
  PaymentPending,
  PurchaseRecord,
  JsonRpcReply,
  CursorGone,
  Change,
}

/** Schemas that responses refer to, beside those of the replies. */
export const responseSchemas: ReadonlyArray<Schema.Top> = Object.values(namedSchemas)

const names = new Map<Schema.Top, string>(Object.entries(namedSchemas).map(([name, schema]) => [schema, name]))

/** The name under which a response's schema stands in the document. */
const nameOf = (schema: Schema.Top): string => {
  const name = names.get(schema)
  if (name === undefined) throw new Error("the schema of a response has no name in the OpenAPI document")
  return name
}

const text = { type: "string" }
const count = { type: "integer", minimum: 0 }

/** Every header that a reply may carry. */
export const headers: Readonly<Record<HeaderName, JsonObject>> = {
  Allow: { description: "Methods that the path takes", schema: text },
  "Cache-Control": { description: "For how long the reply may be reused", schema: text },
  "Content-Disposition": {
    description: "Name of the file in which the reply may be saved; absent from JSON",
    schema: text,
  },
  "Content-Location": {
    description: "Of a past reply: the address under which it is the same for ever",
    schema: text,
  },
  Deprecation: {
    description: "Since when the endpoint is deprecated: @ and seconds since 1970 (RFC 9745)",
    schema: text,
  },
  ETag: { description: "Strong entity tag of these bytes in this coding", schema: text },
  "Idempotent-Replayed": {
    description: "true: this is the reply that was sent before under the same Idempotency-Key, free of charge",
    schema: { type: "string", enum: ["true"] },
  },
  "Last-Modified": { description: "When the bytes last changed", schema: text },
  Link: { description: "Links to related resources (RFC 8288); rel next: the next page of a list", schema: text },
  "Memento-Datetime": { description: "Of a past reply: as of when it was known (RFC 7089)", schema: text },
  Sunset: { description: "When the endpoint is removed, at the earliest (RFC 8594)", schema: text },
  Vary: { description: "Request headers that decide which bytes are sent (Accept-Encoding, Accept)", schema: text },
  "X-Accel-Buffering": {
    description: "no: a proxy passes on each byte as it comes",
    schema: { type: "string", enum: ["no"] },
  },
  "X-Credits-Charged": {
    description: "Credits that this call cost; 0 for a replayed reply",
    schema: count,
  },
  "X-Credits-Remaining": { description: "Credits of the token after the call", schema: count },
  "X-Service-As-Of": { description: "_meta.as_of, where there is one", schema: component("Instant") },
  "X-Service-Deprecation": {
    description: "What is deprecated, a path or a field, and the day from which on it may be removed: name; until=day",
    schema: text,
  },
  "X-Service-Next-Cursor": {
    description: "The cursor to go on from; absent where this log holds no change yet",
    schema: component("Cursor"),
  },
  "X-Service-Pricing": { description: "Address of the page that explains how credits are bought", schema: text },
  "X-Service-Receipt-Id": { description: "Id of the signed receipt of this reply", schema: text },
  "X-Service-Stale": { description: "_meta.stale", schema: { type: "string", enum: ["true", "false"] } },
  "Retry-After": { description: "Seconds until a retry makes sense", schema: text },
  RateLimit: {
    description:
      "Rest of the daily share, or of the token's share of a minute (structured field); absent where nothing is counted",
    schema: text,
  },
  "RateLimit-Policy": {
    description: "The daily share, or the token's share of a minute (structured field); absent where RateLimit is",
    schema: text,
  },
  "RateLimit-Limit": { description: "Requests of the share that RateLimit speaks of, in its window", schema: count },
  "RateLimit-Remaining": { description: "Requests that are left of it", schema: count },
  "RateLimit-Reset": { description: "Seconds until its window ends", schema: count },
  "WWW-Authenticate": { description: "Bearer", schema: text },
}

/** Schema and example of an endpoint's own reply. */
interface ReplyContent {
  readonly schema: JsonObject
  readonly example: Json
}

/** The content of an endpoint's own reply in a media type. */
export type ContentIn = (mediaType: string) => ReplyContent

const contentOf = (body: ResponseBody, contentIn: ContentIn | null): JsonObject => {
  switch (body._tag) {
    case "Reply":
      if (contentIn === null) throw new Error("a response that endpoints share has a body of an endpoint")
      return Object.fromEntries(body.mediaTypes.map((mediaType) => [mediaType, { ...contentIn(mediaType) }]))
    case "Schema":
      return { [body.mediaType]: { schema: component(nameOf(body.schema)) } }
    case "ByError": {
      const named = Object.entries(body.schemas).map(([error, schema]) => [error, component(nameOf(schema))] as const)
      const mapping = Object.fromEntries(named.map(([error, { $ref }]) => [error, $ref ?? null]))
      const discriminator = { propertyName: "error", mapping }
      return { [body.mediaType]: { schema: { oneOf: named.map(([, schema]) => schema), discriminator } } }
    }
  }
}

const rendered = ({ description, headers: sent, body }: ResponseFact, contentIn: ContentIn | null): JsonObject => ({
  description,
  headers: Object.fromEntries(sent.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
  ...(body === null ? {} : { content: contentOf(body, contentIn) }),
})

/** Every response that several endpoints share. */
export const sharedResponses: JsonObject = Object.fromEntries(
  Object.entries(shared).map(([name, fact]) => [name, rendered(fact, null)]),
)

const sharedNames = new Map<ResponseFact, string>(Object.entries(shared).map(([name, fact]) => [fact, name]))

/** The responses of an endpoint; `contentIn` gives the body of its 200. */
export const renderedResponses = (responses: Responses, contentIn: ContentIn): JsonObject =>
  Object.fromEntries(
    Object.entries(responses).map(([status, fact]) => {
      const name = sharedNames.get(fact)
      return [status, name === undefined ? rendered(fact, contentIn) : { $ref: `#/components/responses/${name}` }]
    }),
  )

/** The components of a document that its paths refer to. */
interface SharedComponents {
  readonly schemas: JsonObject
  readonly headers: JsonObject
  readonly responses: JsonObject
}

const COMPONENT = /^#\/components\/(schemas|headers|responses)\/([^/]+)$/

/** The references within a value, those of discriminators included. */
const referencesIn = function* (value: Json): Generator<string> {
  if (typeof value === "string") {
    if (COMPONENT.test(value)) yield value
  } else if (typeof value === "object" && value !== null)
    for (const one of Object.values(value)) yield* referencesIn(one)
}

/** The components that the paths refer to, themselves or through others. The rest would describe nothing. */
export const usedComponents = (paths: JsonObject, components: SharedComponents): SharedComponents => {
  const used = new Set<string>()
  const follow = (value: Json): void => {
    for (const reference of referencesIn(value)) {
      if (used.has(reference)) continue
      used.add(reference)
      const [, kind, name = ""] = COMPONENT.exec(reference) ?? []
      follow(components[kind as keyof SharedComponents][name] ?? null)
    }
  }
  follow(paths)
  const usedOf = (kind: keyof SharedComponents): JsonObject =>
    Object.fromEntries(Object.entries(components[kind]).filter(([name]) => used.has(`#/components/${kind}/${name}`)))
  return { schemas: usedOf("schemas"), headers: usedOf("headers"), responses: usedOf("responses") }
}
