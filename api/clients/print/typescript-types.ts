import { type ClientContract, PRINTED } from "./contract.ts"
import type { Member, NamedShape, Shape } from "./shapes.ts"

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/

/** A comment, indented; none for an empty text. */
export const comment = (text: string, indent = ""): string => {
  const lines = text.replaceAll("*/", "*\\/").split("\n")
  const [only = "", ...others] = lines
  if (text === "") return ""
  if (others.length === 0) return `${indent}/** ${only} */\n`
  return `${indent}/**\n${lines.map((line) => `${indent} *${line === "" ? "" : ` ${line}`}\n`).join("")}${indent} */\n`
}

/** A shape as a type of TypeScript. */
export const typeText = (shape: Shape): string => {
  switch (shape.kind) {
    case "integer":
      return "number"
    case "literal":
      return JSON.stringify(shape.value)
    case "list":
      return `ReadonlyArray<${typeText(shape.of)}>`
    case "map":
      return `{ readonly [key: string]: ${typeText(shape.of)} }`
    case "tuple":
      return `readonly [${shape.of.map(typeText).join(", ")}]`
    case "union":
      return shape.of.map(typeText).join(" | ")
    case "named":
      return shape.name
    default:
      return shape.kind
  }
}

const memberText = ({ name, shape, isRequired, description }: Member, isSent: boolean): string => {
  const key = IDENTIFIER.test(name) ? name : JSON.stringify(name)
  // What is sent may be undefined, which leaves it out. What is received is there, or its key is not.
  const orUndefined = isSent && !isRequired ? " | undefined" : ""
  return `${comment(description, "  ")}  readonly ${key}${isRequired ? "" : "?"}: ${typeText(shape)}${orUndefined}\n`
}

/** Types whose values a caller makes. */
const isSentType = ({ name }: NamedShape): boolean => /(Parameters|Body)$/.test(name)

const namedText = (named: NamedShape): string => {
  const { name, description, definition } = named
  const head = comment(description)
  if (!("length" in definition)) return `${head}export type ${name} = ${typeText(definition)}\n`
  return `${head}export interface ${name} {\n${definition.map((member) => memberText(member, isSentType(named))).join("")}}\n`
}

/** `types.d.ts`: the types of parameters, bodies and replies. */
export const typesText = ({ types }: ClientContract): string => `// ${PRINTED}\n\n${types.map(namedText).join("\n")}`
