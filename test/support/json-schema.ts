import type { JsonObject } from "../../schemas/printers/openapi-components.ts"

// Finds members in JSON Schemas as OpenAPI documents hold them, with references, unions and intersections.

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)
const objectsOf = (value: unknown): ReadonlyArray<JsonObject> => (Array.isArray(value) ? value.filter(isObject) : [])
const membersOf = (schema: JsonObject, name: string): JsonObject => {
  const members = schema[name]
  return isObject(members) ? members : {}
}

const united = (one: JsonObject, other: JsonObject): JsonObject => ({
  ...one,
  ...other,
  properties: { ...membersOf(one, "properties"), ...membersOf(other, "properties") },
  required: [...new Set([one.required, other.required].flatMap((names) => (Array.isArray(names) ? names : [])))],
})

/** The forms that a value of this schema may have: none of them is a reference, a union or an intersection. */
const formsOf = (document: JsonObject, schema: JsonObject): ReadonlyArray<JsonObject> => {
  const { $ref, anyOf, oneOf, allOf, ...own } = schema
  if (typeof $ref === "string") {
    const target = $ref
      .replace(/^#\//, "")
      .split("/")
      .reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), document)
    if (!isObject(target)) throw new Error(`${$ref} points to nothing`)
    return formsOf(document, target)
  }
  const choices = objectsOf(anyOf ?? oneOf).flatMap((choice) => formsOf(document, choice))
  const forms = choices.length === 0 ? [own] : choices.map((choice) => united(own, choice))
  return objectsOf(allOf).reduce<ReadonlyArray<JsonObject>>(
    (made, part) => made.flatMap((form) => formsOf(document, part).map((of) => united(form, of))),
    forms,
  )
}

/** The forms of a value other than null. */
export const presentFormsOf = (document: JsonObject, schema: JsonObject): ReadonlyArray<JsonObject> =>
  formsOf(document, schema).filter(({ type }) => type !== "null")

/** A member of an object, and whether it is always there; null where the object cannot have it. */
export const memberOf = (
  form: JsonObject,
  name: string,
): { readonly schema: JsonObject; readonly always: boolean } | null => {
  const named = membersOf(form, "properties")[name]
  // `additionalProperties: true` says of every object that new members may come.
  const schema = isObject(named) ? named : isObject(form.additionalProperties) ? form.additionalProperties : null
  const required = Array.isArray(form.required) ? form.required : []
  return schema && { schema, always: required.includes(name) || !isObject(named) }
}

/** The schema of an array's items; null where it is no array. */
export const itemsOf = ({ type, items }: JsonObject): JsonObject | null =>
  type === "array" && isObject(items) ? items : null
