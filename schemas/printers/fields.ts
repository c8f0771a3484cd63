import type { Json } from "../json.ts"
import type { JsonObject } from "./openapi-components.ts"

/** A field of a reply, in words. */
export interface Field {
  /** Its place: `data.items[].score`; `<key>` stands for the keys of a map. */
  readonly place: string
  /** Its type: `number`, `"a" | "b"`, `string (date-time)`, `number or null`. */
  readonly type: string
  /** Null for what has none, or whose unit is not declared. */
  readonly unit: string | null
  readonly description: string
}

/** The most fields of one schema, so that a text made of them stays bounded. */
export const FIELDS_MAX = 300

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isNull = (schema: JsonObject): boolean => schema.type === "null"

const alternativesOf = (schema: JsonObject): ReadonlyArray<JsonObject> | null => {
  const { anyOf } = schema
  return Array.isArray(anyOf) ? anyOf.filter(isObject) : null
}

/** The type of a value in words, without its members. */
const typeOf = (schema: JsonObject): string => {
  const alternatives = alternativesOf(schema)
  if (alternatives !== null) {
    const types = [...new Set(alternatives.filter((one) => !isNull(one)).map(typeOf))]
    return [...types, ...(alternatives.some(isNull) ? ["null"] : [])].join(" or ")
  }
  if (Array.isArray(schema.enum)) return schema.enum.map((word) => JSON.stringify(word)).join(" | ")
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  const type = Array.isArray(schema.type) ? schema.type.join(" or ") : String(schema.type ?? "any")
  return typeof schema.format === "string" ? `${type} (${schema.format})` : type
}

const descriptionOf = (schema: JsonObject): string => {
  if (typeof schema.description === "string") return schema.description
  const [only, ...others] = (alternativesOf(schema) ?? []).filter((one) => !isNull(one))
  return only !== undefined && others.length === 0 ? descriptionOf(only) : ""
}

const fieldsWithin = function* (schema: JsonObject, place: string): Generator<Omit<Field, "unit">> {
  for (const alternative of alternativesOf(schema) ?? []) yield* fieldsWithin(alternative, place)
  if (isObject(schema.items)) {
    const item = `${place}[]`
    if (typeOf(schema.items) !== "object")
      yield { place: item, type: typeOf(schema.items), description: descriptionOf(schema.items) }
    yield* fieldsWithin(schema.items, item)
  }
  const members = isObject(schema.properties) ? Object.entries(schema.properties) : []
  const others: ReadonlyArray<readonly [string, Json]> = isObject(schema.additionalProperties)
    ? [["<key>", schema.additionalProperties]]
    : []
  for (const [name, member] of [...members, ...others]) {
    if (!isObject(member)) continue
    const inner = place === "" ? name : `${place}.${name}`
    yield { place: inner, type: typeOf(member), description: descriptionOf(member) }
    yield* fieldsWithin(member, inner)
  }
}

/**
 * The fields of a JSON Schema without references, in their order; alternatives of one place stand once. `units` are those of
 * the schema by place; none unless given. At most `countMax` fields, `FIELDS_MAX` unless given.
 */
export const fieldsOf = (
  schema: JsonObject,
  {
    units = new Map(),
    countMax = FIELDS_MAX,
  }: { readonly units?: ReadonlyMap<string, string>; readonly countMax?: number } = {},
): ReadonlyArray<Field> => {
  const fields = new Map<string, Field>()
  for (const field of fieldsWithin(schema, "")) {
    if (fields.size >= countMax) break
    if (!fields.has(field.place)) fields.set(field.place, { ...field, unit: units.get(field.place) ?? null })
  }
  return [...fields.values()]
}
