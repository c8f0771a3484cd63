import type { Endpoint } from "../contract/endpoint-kinds.ts"
import { layoutOf, MEMBERS_OF_DATA } from "../contract/envelope.ts"
import type { Json } from "../json.ts"
import { bodySchema } from "./openapi.ts"
import { Components, type JsonObject } from "./openapi-components.ts"

// The outline of a reply: names and types of its members without their meanings, short enough for the context of a language model.

/** Members within members are outlined so deep: rows of lists and what stands in them. Below, any value. */
const DEPTH_MAX = 4

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)
const listOf = (value: Json | undefined): ReadonlyArray<JsonObject> =>
  Array.isArray(value) ? value.filter(isObject) : []

/** One object schema of several that hold together. */
const merged = (parts: ReadonlyArray<JsonObject>): JsonObject => ({
  type: "object",
  properties: Object.assign({}, ...parts.map(({ properties }) => properties ?? {})) as JsonObject,
  required: parts.flatMap(({ required }) => (Array.isArray(required) ? required : [])),
})

/** Null as one more type where a type says all; else the choice of both. */
const orNull = (schema: JsonObject): JsonObject =>
  typeof schema.type === "string" && schema.enum === undefined
    ? { ...schema, type: [schema.type, "null"] }
    : Object.keys(schema).length === 0
      ? {}
      : { anyOf: [schema, { type: "null" }] }

const ofChoice = (choices: ReadonlyArray<JsonObject>, depth: number): JsonObject => {
  const [first, ...others] = choices.filter(({ type }) => type !== "null")
  if (first === undefined) return { type: "null" }
  const outlined = others.length === 0 ? outline(first, depth) : {}
  return choices.some(({ type }) => type === "null") ? orNull(outlined) : outlined
}

const outline = (schema: JsonObject, depth: number): JsonObject => {
  const { type, properties, required, items, anyOf, allOf } = schema
  if (allOf !== undefined && properties === undefined && type === undefined)
    return outline(merged(listOf(allOf)), depth)
  if (anyOf !== undefined) return ofChoice(listOf(anyOf), depth)
  if (type === "array")
    return { type, ...(isObject(items) && depth < DEPTH_MAX ? { items: outline(items, depth + 1) } : {}) }
  if (type !== "object") return typeof type === "string" ? { type } : {}
  if (!isObject(properties) || depth >= DEPTH_MAX) return { type }
  return {
    type,
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, member]) => [name, isObject(member) ? outline(member, depth + 1) : {}]),
    ),
    // Of the members of members it would repeat nearly every name.
    ...(depth === 0 && Array.isArray(required) ? { required } : {}),
  }
}

/** The outline of the body of an endpoint's reply, as JSON Schema without references. What `_meta` holds is the same everywhere. */
export const outlineOf = (endpoint: Endpoint): JsonObject => {
  const whole = outline(bodySchema(endpoint, new Components()), 0)
  const { properties, required } = whole
  if (!isObject(properties)) return { type: "object" }
  // Where the members of the data stand beside those of the envelope, a call may select some of them (`fields`).
  const isBeside = "envelope" in endpoint && layoutOf(endpoint.envelope).includes(MEMBERS_OF_DATA)
  const selectable = isBeside && "fields" in endpoint ? endpoint.fields : []
  return {
    ...whole,
    ...(Array.isArray(required) ? { required: required.filter((name) => !selectable.includes(String(name))) } : {}),
    properties: {
      ...properties,
      ...("_meta" in properties ? { _meta: { type: "object" } } : {}),
      ...("billing" in properties ? { billing: { type: "object" } } : {}),
      ...("receipt" in properties ? { receipt: { type: ["object", "null"] } } : {}),
    },
  }
}
