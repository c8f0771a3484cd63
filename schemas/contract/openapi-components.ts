import * as Schema from "effect/Schema"
import type { Json } from "../json.ts"
import { component, type JsonObject } from "./openapi-responses.ts"

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
