import type { Json } from "../../../schemas/json.ts"
import type { JsonObject } from "../../../schemas/printers/openapi-components.ts"
import { pascalCase } from "./names.ts"

// The schemas of the OpenAPI document as shapes that languages have types for. Objects have names, as not every language
// can write them in place.

/** The type of a value. */
export type Shape =
  | { readonly kind: "string" | "integer" | "number" | "boolean" | "null" | "unknown" }
  | { readonly kind: "literal"; readonly value: string | number | boolean }
  | { readonly kind: "list" | "map"; readonly of: Shape }
  | { readonly kind: "tuple" | "union"; readonly of: ReadonlyArray<Shape> }
  | { readonly kind: "named"; readonly name: string }

/** A member of an object. */
export interface Member {
  readonly name: string
  readonly shape: Shape
  readonly isRequired: boolean
  readonly description: string
}

/** A shape with a name: an object, or a name of another shape. */
export interface NamedShape {
  readonly name: string
  readonly description: string
  readonly definition: ReadonlyArray<Member> | Shape
}

const REFERENCE = "#/components/schemas/"

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)
const objectsOf = (value: Json | undefined): ReadonlyArray<JsonObject> =>
  Array.isArray(value) ? value.filter(isObject) : []
const textOf = (value: Json | undefined): string => (typeof value === "string" ? value : "")
const isLiteral = (value: Json): value is string | number | boolean =>
  ["string", "number", "boolean"].includes(typeof value)

const unionOf = (shapes: ReadonlyArray<Shape>): Shape => {
  const flat = shapes.flatMap((shape) => (shape.kind === "union" ? shape.of : [shape]))
  const distinct = [...new Map(flat.map((shape) => [JSON.stringify(shape), shape])).values()]
  const [only, ...others] = distinct
  return only !== undefined && others.length === 0 ? only : { kind: "union", of: distinct }
}

/** One object of several that a value is at once. Throws where one of them is no plain object. */
const merged = (parts: ReadonlyArray<JsonObject>): JsonObject => {
  for (const part of parts)
    if (!isObject(part.properties)) throw new Error("allOf of something else than plain objects")
  const required = parts.flatMap((part) => (Array.isArray(part.required) ? part.required : []))
  return { type: "object", properties: Object.assign({}, ...parts.map((part) => part.properties)), required }
}

/** The word by which an object differs from the others of its union: the first member with one value. */
const discriminatorOf = (schema: JsonObject): string | null => {
  const members = isObject(schema.properties) ? Object.values(schema.properties) : []
  for (const member of members) {
    if (!isObject(member)) continue
    const values = Array.isArray(member.enum) ? member.enum : member.const === undefined ? [] : [member.const]
    const [only, ...others] = values
    if (typeof only === "string" && others.length === 0) return only
  }
  return null
}

/** Reads schemas, and collects the objects in them: each after those that it is made of. */
export class ShapeReader {
  readonly #named = new Map<string, NamedShape>()
  /** The names of the objects of one scope, by their schemas: an object that occurs twice has one name. */
  #scope = new Map<string, string>()

  /** Every named shape so far. */
  get named(): ReadonlyArray<NamedShape> {
    return [...this.#named.values()]
  }

  /** Begins a scope: the shapes of one operation. */
  begin(): void {
    this.#scope = new Map()
  }

  /** Gives a schema a name, and reads it; `parts` is what objects in it are named after. */
  define(name: string, schema: JsonObject, parts = name): Shape {
    const shape = this.read(schema, name, parts)
    if (shape.kind === "named" && shape.name === name) return shape
    return this.#add({ name, description: textOf(schema.description), definition: shape })
  }

  /** Names an object of these members. */
  defineObject(name: string, description: string, members: ReadonlyArray<Member>): Shape {
    return this.#add({ name, description, definition: members })
  }

  /** The shape of a schema, which is named `name` where it is an object; `parts` is what objects in it are named after. */
  read(schema: JsonObject, name: string, parts = name): Shape {
    const { $ref, anyOf, oneOf, allOf, const: value, enum: values, type } = schema
    if (typeof $ref === "string") return { kind: "named", name: $ref.slice(REFERENCE.length) }
    if (Array.isArray(allOf)) return this.#object(merged(objectsOf(allOf)), name, parts)
    if (anyOf !== undefined || oneOf !== undefined) return this.#union(objectsOf(anyOf ?? oneOf), name)
    if (value !== undefined && isLiteral(value)) return { kind: "literal", value }
    if (Array.isArray(values))
      return unionOf(values.filter(isLiteral).map((literal): Shape => ({ kind: "literal", value: literal })))
    switch (type) {
      case "string":
      case "integer":
      case "number":
      case "boolean":
      case "null":
        return { kind: type }
      case "array":
        return this.#list(schema, name)
      case "object":
        return this.#object(schema, name, parts)
      case undefined:
        return { kind: "unknown" }
      default:
        throw new Error(`${name}: a schema of type ${JSON.stringify(type)}`)
    }
  }

  #union(schemas: ReadonlyArray<JsonObject>, name: string): Shape {
    const objects = schemas.filter((schema) => isObject(schema.properties))
    return unionOf(
      schemas.map((schema, at) => {
        const suffix = objects.length < 2 ? "" : pascalCase(discriminatorOf(schema) ?? String(at + 1))
        return this.read(schema, `${name}${suffix}`)
      }),
    )
  }

  #list({ items, prefixItems }: JsonObject, name: string): Shape {
    if (Array.isArray(prefixItems))
      return { kind: "tuple", of: objectsOf(prefixItems).map((item, at) => this.read(item, `${name}${at + 1}`)) }
    return { kind: "list", of: isObject(items) ? this.read(items, `${name}Item`) : { kind: "unknown" } }
  }

  #object(schema: JsonObject, name: string, parts: string): Shape {
    const { properties, additionalProperties, required, description } = schema
    if (!isObject(properties) || Object.keys(properties).length === 0)
      return {
        kind: "map",
        of: isObject(additionalProperties) ? this.read(additionalProperties, `${name}Value`) : { kind: "unknown" },
      }
    const key = JSON.stringify(schema)
    const known = this.#scope.get(key)
    if (known !== undefined) return { kind: "named", name: known }
    const names = new Set(Array.isArray(required) ? required : [])
    const members = Object.entries(properties).map(([member, value]): Member => {
      if (!isObject(value)) throw new Error(`${name}.${member} has no schema`)
      const shape = this.read(value, `${parts}${pascalCase(member)}`)
      return { name: member, shape, isRequired: names.has(member), description: textOf(value.description) }
    })
    this.#scope.set(key, name)
    return this.#add({ name, description: textOf(description), definition: members })
  }

  #add(named: NamedShape): Shape {
    if (this.#named.has(named.name)) throw new Error(`two shapes are named ${named.name}`)
    this.#named.set(named.name, named)
    return { kind: "named", name: named.name }
  }
}
