import type { JsonObject } from "../../schemas/printers/openapi-components.ts"
import { itemsOf, memberOf, presentFormsOf } from "../support/json-schema.ts"

const primitives: Readonly<Record<string, (form: JsonObject) => boolean>> = {
  any: () => true,
  string: ({ type, const: value }) => type === "string" || typeof value === "string",
  date: ({ type, format }) => type === "string" && format === "date",
  "date-time": ({ type, format }) => type === "string" && format === "date-time",
  number: ({ type }) => type === "number" || type === "integer",
  integer: ({ type }) => type === "integer",
  boolean: ({ type }) => type === "boolean",
  object: ({ type }) => type === "object",
  array: ({ type }) => type === "array",
}

/** Whether every value of a form is one of the words. */
const isOneOf = ({ enum: values, const: value }: JsonObject, words: ReadonlyArray<string>): boolean => {
  const possible = Array.isArray(values) ? values : [value]
  return possible.every((one) => typeof one === "string" && words.includes(one))
}

/**
 * Whether a form is of a documented type: a word of `primitives`, or the values of an enumeration, `a|b`. Whatever is sent
 * must be documented; not everything that is documented must be sent.
 */
const isOfType = (form: JsonObject, type: string): boolean => {
  const primitive = primitives[type]
  if (primitive !== undefined) return primitive(form)
  if (!type.includes("|")) throw new Error(`${type} is no type`)
  return isOneOf(form, type.split("|"))
}

/** One step of a path: a member (`name`, or `name?` where it may be absent), or the items of an array (`[]`). */
const stepsOf = (path: string): ReadonlyArray<string> => path.replaceAll("[]", ".[]").split(".")

/** Members as a contract documents them: the type of each path, such as `top[].volume`, with ` or null` where that is said. */
export type DocumentedMembers = Readonly<Record<string, string>>

/** What a schema lacks of the documented members, in words. Null in the place of missing data is no contradiction. */
export const contradictionsOf = (
  document: JsonObject,
  schema: JsonObject,
  documented: DocumentedMembers,
): ReadonlyArray<string> =>
  Object.entries(documented).flatMap(([path, type]) => {
    const problem = walk(document, [schema], stepsOf(path), type.replace(/ or null$/, ""), type.endsWith(" or null"))
    return problem === null ? [] : [`${path}: ${problem}`]
  })

/** Whether a schema has a member at this path, whatever its type. */
export const hasMember = (document: JsonObject, schema: JsonObject, path: string): boolean =>
  walk(
    document,
    [schema],
    stepsOf(path).map((step) => (step === "[]" ? step : `${step}?`)),
    "any",
    true,
  ) === null

const walk = (
  document: JsonObject,
  schemas: ReadonlyArray<JsonObject>,
  steps: ReadonlyArray<string>,
  type: string,
  mayBeNull: boolean,
): string | null => {
  const forms = schemas.flatMap((schema) => presentFormsOf(document, schema))
  // A member that is documented as null or removed data may be null for ever.
  if (forms.length === 0) return mayBeNull ? null : "is always null"
  const [step, ...others] = steps
  if (step === undefined) return forms.every((form) => isOfType(form, type)) ? null : `is no ${type}`
  const next: Array<JsonObject> = []
  for (const form of forms) {
    if (step === "[]") {
      const items = itemsOf(form)
      if (items === null) return "is no array"
      next.push(items)
      continue
    }
    const member = memberOf(form, step.replace(/\?$/, ""))
    if (member === null) return `${step} is missing`
    if (!member.always && !step.endsWith("?")) return `${step} may be absent`
    next.push(member.schema)
  }
  return walk(document, next, others, type, mayBeNull)
}
