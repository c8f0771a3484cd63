import type * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { VOLATILE } from "../../schemas/contract/annotations.ts"

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const steadyBy = (ast: SchemaAST.AST, value: unknown): unknown => {
  if (SchemaAST.resolve(ast)?.[VOLATILE] === true) return null
  if (SchemaAST.isUnion(ast)) {
    const part = ast.types.find((one) =>
      Array.isArray(value) ? SchemaAST.isArrays(one) : isObject(value) && SchemaAST.isObjects(one),
    )
    return part === undefined ? value : steadyBy(part, value)
  }
  if (SchemaAST.isArrays(ast) && Array.isArray(value)) {
    const [element] = ast.rest
    return element === undefined ? value : value.map((one) => steadyBy(element, one))
  }
  if (!SchemaAST.isObjects(ast) || !isObject(value)) return value
  const types = new Map(ast.propertySignatures.map(({ name, type }) => [name, type]))
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => {
      const type = types.get(name)
      return [name, type === undefined ? one : steadyBy(type, one)]
    }),
  )
}

/** Data of a reply with null for every member that is declared volatile: equal for two reads of equal content. */
export const steady = (schema: Schema.Top, data: unknown): unknown => steadyBy(schema.ast, data)
