import { CHANGES_PAGE, type ClientContract, type ClientOperation, costOf, PRINTED } from "./contract.ts"
import { docstring, isIdentifier, stringText, typeText } from "./python-types.ts"
import type { Member, Shape } from "./shapes.ts"

const INDENT = "    "

/** The name of a parameter as an argument: `from` is a word of Python. */
const argumentName = (name: string): string => (isIdentifier(name) ? name : `${name}_`)

const argumentText = ({ name, shape, isRequired }: Member, override?: string): string => {
  const type = override ?? typeText(shape)
  return `${argumentName(name)}: ${isRequired ? type : `${type} | None = None`}`
}

const optionsText = (isStream: boolean): string => `**options: Unpack[${isStream ? "ChangesOptions" : "CallOptions"}]`

/**
 * The arguments of a method. `format` is the type of its parameter of that name, where it differs; `fields` says whether members are
 * chosen.
 */
const argumentsOf = (
  { parameters, selection, body, isStream }: ClientOperation,
  format?: { readonly type: string; readonly isRequired: boolean },
  fields: "none" | "optional" | "required" = "optional",
): string => {
  const named = parameters.map((parameter) =>
    parameter.name === "format" && format !== undefined
      ? argumentText({ ...parameter, isRequired: format.isRequired }, format.type)
      : argumentText(parameter),
  )
  if (selection !== null && fields !== "none")
    named.push(argumentText({ ...selection.fields, isRequired: fields === "required" }))
  const sent = body === null ? [] : [`body: ${typeText(body.shape)}${body.isRequired ? "" : " | None = None"}`]
  return ["self", ...sent, ...(named.length === 0 ? [] : ["*", ...named]), optionsText(isStream)].join(", ")
}

/** What a reply is of which members were chosen: a type of its own for each choice is not to be had. */
const CHOSEN: Shape = { kind: "map", of: { kind: "unknown" } }

const overloadsOf = (operation: ClientOperation): string => {
  const { methodName: name, replies, selection } = operation
  if (replies.length < 2 && selection === null) return ""
  const one = (
    shape: Shape,
    ...choices: [Parameters<typeof argumentsOf>[1]?, Parameters<typeof argumentsOf>[2]?]
  ): string =>
    `${INDENT}@overload\n${INDENT}def ${name}(${argumentsOf(operation, ...choices)}) -> ${typeText(shape)}: ...\n\n`
  const [whole, ...others] = replies.map(({ format, shape }, at) => ({
    shape,
    format: format === null ? undefined : { type: `Literal[${stringText(format)}]`, isRequired: at > 0 },
  }))
  return [
    ...(whole === undefined ? [] : [one(whole.shape, whole.format, "none")]),
    ...(whole === undefined || selection === null ? [] : [one(CHOSEN, whole.format, "required")]),
    ...others.map(({ shape, format }) => one(shape, format)),
    one({ kind: "union", of: distinct(operation) }),
  ].join("")
}

const distinct = ({ replies, selection }: ClientOperation): ReadonlyArray<Shape> => [
  ...new Map(
    [...replies.map(({ shape }) => shape), ...(selection === null ? [] : [CHOSEN])].map((shape) => [
      typeText(shape),
      shape,
    ]),
  ).values(),
]

const methodText = (operation: ClientOperation): string => {
  const { methodName: name, summary, description, parameters: own, selection, body, isStream } = operation
  const parameters = [...own, ...(selection === null ? [] : [selection.fields])]
  const reply = distinct(operation).map(typeText).join(" | ")
  const words = [
    summary,
    description,
    costOf(operation),
    parameters.map((one) => `${argumentName(one.name)}: ${one.description}`).join("\n\n"),
  ]
  const sent = parameters.map((one) => `${stringText(one.name)}: ${argumentName(one.name)}`).join(", ")
  const text = docstring(words.filter((word) => word !== "").join("\n\n"), INDENT + INDENT)
  if (isStream)
    return `${INDENT}def ${name}(${argumentsOf(operation)}) -> Changes[Change]:
${text}${INDENT}${INDENT}doors = (OPERATIONS[${stringText(name)}], OPERATIONS[${stringText(CHANGES_PAGE)}])
${INDENT}${INDENT}return self._read_changes(*doors, {${sent}}, options)
`
  return `${overloadsOf(operation)}${INDENT}def ${name}(${argumentsOf(operation)}) -> ${reply}:
${text}${INDENT}${INDENT}reply: ${reply} = self._call(OPERATIONS[${stringText(name)}], {${sent}}, ${body === null ? "None" : "body"}, options)
${INDENT}${INDENT}return reply
`
}

const importedTypes = ({ types, operations }: ClientContract): ReadonlyArray<string> => {
  const printed = operations.map(methodText).join("")
  return types
    .map(({ name }) => name)
    .filter((name) => new RegExp(`\\b${name}\\b`).test(printed))
    .toSorted()
}

/** `operations.py`: what the client needs to call each operation. */
export const operationsText = ({ operations, version }: ClientContract): string => `"""The operations of the contract.

${PRINTED}
"""

from ._options import Operation

CONTRACT_VERSION = ${stringText(version)}
"""The version of the contract."""

OPERATIONS: dict[str, Operation] = {
${operations
  .map(
    ({ name, methodName, method, path, credits, bearer, accept }) =>
      `${INDENT}${stringText(methodName)}: Operation(${[name, method, path].map(stringText).join(", ")}, ${credits}, ${stringText(bearer)}, ${stringText(accept)}),\n`,
  )
  .join("")}}
"""Every operation, by the name of its method."""
`

/** `__init__.py`: a method for each operation. */
export const indexText = (contract: ClientContract): string => `"""A client of Tidewire.

${PRINTED}
"""

from typing import Any, Literal, Unpack, overload

from ._canonical import canonical_json, read_json
from ._claiming import PaymentConfirms, claim_by_signature, new_claim_key
from ._changes import Changes, ChangesOptions
from ._client import Client
from ._errors import (
    AlreadyCreditedError,
    CursorError,
    CursorProblem,
    NoReplyError,
    PayerProofError,
    PaymentRequiredError,
    ProblemError,
    ReceiptError,
    ReceiptProblem,
    StaleDataError,
    TidewireError,
    TimedOutError,
    UnreadableReplyError,
)
from ._options import CallOptions, Operation
from ._receipt import ReceiptRequest, ReceiptVerdict, verify_receipt
from .operations import CONTRACT_VERSION, OPERATIONS
from .types import (
${importedTypes(contract)
  .map((name) => `${INDENT}${name},\n`)
  .join("")})

__version__ = CONTRACT_VERSION
__all__ = [
    "CONTRACT_VERSION",
    "OPERATIONS",
    "AlreadyCreditedError",
    "CallOptions",
    "Changes",
    "ChangesOptions",
    "Client",
    "CursorError",
    "CursorProblem",
    "NoReplyError",
    "Operation",
    "PayerProofError",
    "PaymentConfirms",
    "PaymentRequiredError",
    "ProblemError",
    "ReceiptError",
    "ReceiptProblem",
    "ReceiptRequest",
    "ReceiptVerdict",
    "StaleDataError",
    "Tidewire",
    "TidewireError",
    "TimedOutError",
    "UnreadableReplyError",
    "canonical_json",
    "claim_by_signature",
    "new_claim_key",
    "read_json",
    "verify_receipt",
]


class Tidewire(Client):
    """A client of the service, with a method for each operation."""

    user_agent = f"tidewire-client-python/{CONTRACT_VERSION}"
    _keys_operation = OPERATIONS["jwks"]

${contract.operations.map(methodText).join("\n")}`
