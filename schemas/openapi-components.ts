import { Schema } from "effect"
import type { Json } from "./json.ts"
import { component, type JsonObject } from "./openapi-responses.ts"

const DEFINITIONS = "#/$defs/"
const NESTING_MAX = 30

/** Formats of schemas, by their identifiers. */
const formats: Readonly<Record<string, string>> = { Instant: "date-time", Day: "date" }

/** The schemas of an OpenAPI document: those that several replies share, and the JSON Schema of those of one endpoint. */
export class Components {
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
