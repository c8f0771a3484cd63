import { type ClientContract, PRINTED } from "./contract.ts"
import type { Member, NamedShape, Shape } from "./shapes.ts"

const KEYWORDS = new Set(
  "False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield".split(
    " ",
  ),
)
const IDENTIFIER = /^[A-Za-z_]\w*$/

/** Whether a name can stand as it is where Python wants an identifier. */
export const isIdentifier = (name: string): boolean =>
  IDENTIFIER.test(name) && !KEYWORDS.has(name) && !name.startsWith("__")

/** A text as a literal of Python. JSON's escapes are Python's. */
export const stringText = (text: string): string => JSON.stringify(text)

/** A docstring, indented; none for an empty text. */
export const docstring = (text: string, indent = ""): string => {
  const safe = text.replaceAll("\\", "\\\\").replaceAll('"""', '\\"\\"\\"')
  // A quotation mark at the end would end the docstring early.
  const ended = safe.endsWith('"') ? `${safe} ` : safe
  return text === "" ? "" : `${indent}"""${ended.replaceAll("\n", `\n${indent}`).replaceAll(/[ \t]+\n/g, "\n")}"""\n`
}

const literalText = (value: string | number | boolean): string =>
  typeof value === "boolean" ? (value ? "True" : "False") : JSON.stringify(value)

const unionText = (shapes: ReadonlyArray<Shape>): string => {
  const literals = shapes.flatMap((shape) => (shape.kind === "literal" ? [literalText(shape.value)] : []))
  const others = shapes.filter((shape) => shape.kind !== "literal").map(typeText)
  return [...(literals.length === 0 ? [] : [`Literal[${literals.join(", ")}]`]), ...others].join(" | ")
}

/** A shape as a type of Python. */
export const typeText = (shape: Shape): string => {
  switch (shape.kind) {
    case "string":
      return "str"
    case "integer":
      return "int"
    case "number":
      return "float"
    case "boolean":
      return "bool"
    case "null":
      return "None"
    case "unknown":
      return "Any"
    case "literal":
      return unionText([shape])
    case "list":
      return `list[${typeText(shape.of)}]`
    case "tuple":
      // JSON has no tuples: they are read as lists.
      return `list[${unionText(shape.of.filter((one, at) => shape.of.findIndex(({ kind }) => kind === one.kind) === at))}]`
    case "map":
      return `dict[str, ${typeText(shape.of)}]`
    case "union":
      return unionText(shape.of)
    case "named":
      return shape.name
  }
}

const memberType = ({ shape, isRequired }: Member): string =>
  isRequired ? typeText(shape) : `NotRequired[${typeText(shape)}]`

const classText = (name: string, description: string, members: ReadonlyArray<Member>): string =>
  // Final, as a type checker narrows a union of TypedDicts by the presence of a key only where they are final.
  `@final\nclass ${name}(TypedDict):\n${description === "" ? "" : `${docstring(description, "    ")}\n`}${members
    .map((member) => `    ${member.name}: ${memberType(member)}\n${docstring(member.description, "    ")}`)
    .join("")}`

/** Where a name is no identifier, Python wants the members in a dictionary. */
const functionText = (name: string, members: ReadonlyArray<Member>): string =>
  `${name} = TypedDict(\n    ${stringText(name)},\n    {\n${members
    .map((member) => `        ${stringText(member.name)}: ${memberType(member)},\n`)
    .join("")}    },\n)\n`

const namedText = ({ name, description, definition }: NamedShape): string => {
  if (!("length" in definition)) return `${name}: TypeAlias = ${typeText(definition)}\n${docstring(description)}`
  return definition.every((member) => isIdentifier(member.name))
    ? classText(name, description, definition)
    : `${functionText(name, definition)}${docstring(description)}`
}

/** `types.py`: the types of bodies and replies. */
export const typesText = ({ types }: ClientContract): string => `"""The types of the contract's bodies and replies.

${PRINTED}
"""

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict, final

${types
  .filter(({ name }) => !name.endsWith("Parameters"))
  .map(namedText)
  .join("\n\n")}`
