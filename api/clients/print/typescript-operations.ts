import {
  CHANGES_PAGE,
  type ClientContract,
  type ClientOperation,
  type ClientReply,
  costOf,
  PRINTED,
} from "./contract.ts"
import { camelCase } from "./names.ts"
import { comment, typeText } from "./typescript-types.ts"

const INDENT = "  "

const methodName = ({ methodName: name }: ClientOperation): string => camelCase(name)
const facts = ({ name, method, path, credits, bearer, accept }: ClientOperation): string =>
  JSON.stringify({ name, method, path, credits, bearer, accept })

/** `operations.js`: what the client needs to call each operation. */
export const operationsText = ({ operations, version, payment }: ClientContract): string => `// ${PRINTED}

/** The version of the contract. */
export const CONTRACT_VERSION = ${JSON.stringify(version)}

/** Where payments are made: nothing is paid elsewhere, whatever a quote says. */
export const PAYMENT = Object.freeze(${JSON.stringify(payment)})

/** Every operation, by the name of its method. */
export const OPERATIONS = Object.freeze({
${operations.map((operation) => `${INDENT}${methodName(operation)}: Object.freeze(${facts(operation)}),\n`).join("")}})
`

/** `operations.d.ts`. */
export const operationsTypesText = ({ operations }: ClientContract): string => `// ${PRINTED}

/** An operation of the contract, as far as a call needs it. */
export interface Operation {
  /** Its name in the contract. */
  readonly name: string
  readonly method: "GET" | "POST"
  readonly path: string
  /** Credits of a call; 0 where it is free. */
  readonly credits: number
  /** Whether the token is sent. It is sent to no operation that does not take it. */
  readonly bearer: "none" | "optional" | "required"
  /** The media types that it is asked for. */
  readonly accept: string
}

/** The version of the contract. */
export declare const CONTRACT_VERSION: string

/** Where payments are made: nothing is paid elsewhere, whatever a quote says. */
export declare const PAYMENT: {
  readonly chainId: number
  readonly tokenContract: \`0x\${string}\`
  readonly tokenDecimals: number
}

/** Every operation, by the name of its method. */
export declare const OPERATIONS: {
${operations.map((operation) => `${INDENT}readonly ${methodName(operation)}: Operation\n`).join("")}}
`

const hasRequired = ({ parameters }: ClientOperation): boolean => parameters.some(({ isRequired }) => isRequired)

/** The first argument of a method: its parameters or its body; null where it has neither. */
const argumentOf = (
  operation: ClientOperation,
): { readonly name: string; readonly type: string; readonly isOptional: boolean } | null => {
  const { body, parameters, selection, typeName } = operation
  if (body !== null) return { name: "body", type: typeText(body.shape), isOptional: !body.isRequired }
  if (parameters.length === 0 && selection === null) return null
  return { name: "parameters", type: `${typeName}Parameters`, isOptional: !hasRequired(operation) }
}

/** What a signature has beside its operation. */
interface Signature {
  /** What its first argument is beside the type of the operation's; null for nothing. */
  readonly also: string | null
  readonly isOptional: boolean
  readonly reply: string
  /** Its type parameters; empty for none. */
  readonly generic?: string
}

const signatureOf = (operation: ClientOperation, { also, isOptional, reply, generic = "" }: Signature): string => {
  const argument = argumentOf(operation)
  const type = [argument?.type, ...(also === null ? [] : [also])].join(" & ")
  const first = argument === null ? "" : `${argument.name}${isOptional ? "?" : ""}: ${type}, `
  const [options, result] = operation.isStream
    ? ["ChangesOptions", "AsyncGenerator<Change, void, void>"]
    : ["CallOptions", `Promise<${reply}>`]
  return `${INDENT}${methodName(operation)}${generic}(${first}options?: ${options}): ${result}\n`
}

const objectText = (members: ReadonlyArray<string>): string =>
  members.length === 0 ? "" : `{ ${members.map((member) => `readonly ${member}`).join("; ")} }`

/** A signature for each format, the default first, and one for a format that is known at run time only. */
const signaturesOf = (operation: ClientOperation): string => {
  const { replies, selection } = operation
  const argument = argumentOf(operation)
  const isOptional = argument?.isOptional ?? false
  const [{ format: fallback, shape }] = replies
  const whole = typeText(shape)
  const isRendered = argument !== null && fallback !== null
  const others = replies.slice(isRendered ? 1 : replies.length)
  const inDefault = isRendered ? [`format?: ${JSON.stringify(fallback)} | undefined`] : []
  const list = `ReadonlyArray<${selection?.fieldName ?? "never"}>`
  const withFormat = ({ format, shape: of }: ClientReply): string =>
    signatureOf(operation, {
      also: objectText([
        `format: ${JSON.stringify(format)}`,
        ...(selection === null ? [] : [`fields?: ${list} | undefined`]),
      ]),
      isOptional: false,
      reply: typeText(of),
    })
  const selected = (name: string): string => {
    const { fieldName = "never", lists = null } = selection ?? {}
    return lists === null
      ? `SelectedMembers<${whole}, ${fieldName}, ${name}>`
      : `SelectedItems<${whole}, ${name}, ${lists.map((one) => JSON.stringify(one)).join(" | ") || "never"}>`
  }
  const anyOf = (first: string): string =>
    [...new Set([first, ...others.map(({ shape: of }) => typeText(of))])].join(" | ")
  return [
    ...(selection === null
      ? []
      : [
          signatureOf(operation, {
            also: objectText(["fields: ReadonlyArray<Field>", ...inDefault]),
            isOptional: false,
            reply: selected("Field"),
            generic: `<const Field extends ${selection.fieldName}>`,
          }),
        ]),
    signatureOf(operation, { also: objectText(inDefault) || null, isOptional, reply: whole }),
    ...others.map(withFormat),
    ...(isRendered ? [signatureOf(operation, { also: null, isOptional, reply: anyOf(whole) })] : []),
    ...(isRendered && selection !== null
      ? [
          signatureOf(operation, {
            also: objectText([`fields: ${list}`]),
            isOptional: false,
            reply: anyOf(selected(selection.fieldName)),
          }),
        ]
      : []),
  ].join("")
}

const methodTypes = (operation: ClientOperation): string => {
  const words = [operation.summary, operation.description].filter((text) => text !== "")
  return `${comment([words.join("\n\n"), costOf(operation)].join("\n\n"), INDENT)}${signaturesOf(operation)}`
}

const methodText = (operation: ClientOperation): string => {
  const argument = argumentOf(operation)
  const name = methodName(operation)
  const names = [...(argument === null ? [] : [argument.name]), "options"].join(", ")
  const sent = argument === null ? "{}" : `{ ${argument.name} }`
  const page = `OPERATIONS.${camelCase(CHANGES_PAGE)}`
  const called = operation.isStream
    ? `this.read({ stream: OPERATIONS.${name}, page: ${page} }, ${names})`
    : `this.call(OPERATIONS.${name}, ${sent}, options)`
  return `${INDENT}${name}(${names}) {\n${INDENT}${INDENT}return ${called}\n${INDENT}}\n`
}

const EXPORTED = [
  "./lib/buying.js",
  "./lib/changes.js",
  "./lib/claim.js",
  "./lib/client.js",
  "./lib/errors.js",
  "./lib/options.js",
  "./lib/receipt.js",
  "./lib/selected.js",
] as const
const exported = EXPORTED.map((file) => `export * from ${JSON.stringify(file)}\n`).join("")

/** `index.js`: a method for each operation. */
export const indexText = ({ operations }: ClientContract): string => `// ${PRINTED}
import { Client } from "./lib/client.js"
import { OPERATIONS } from "./operations.js"

${exported}export { CONTRACT_VERSION, OPERATIONS, PAYMENT } from "./operations.js"

/** A client of the service, with a method for each operation. */
export class Tidewire extends Client {
${operations.map(methodText).join("\n")}}
`

/** `index.d.ts`. */
export const indexTypesText = ({ operations, types }: ClientContract): string => `// ${PRINTED}
import { Client } from "./lib/client.js"
import type { ChangesOptions } from "./lib/changes.js"
import type { CallOptions } from "./lib/options.js"
import type { SelectedItems, SelectedMembers } from "./lib/selected.js"
import type {
${types
  .filter(
    ({ name }) =>
      /(Parameters|Body|Reply|Field)$/.test(name) || ["Change", "FeatureCollection", "PaymentPending"].includes(name),
  )
  .map(({ name }) => `  ${name},\n`)
  .join("")}} from "./types.js"

${exported}export { CONTRACT_VERSION, type Operation, OPERATIONS, PAYMENT } from "./operations.js"
export type * from "./types.js"

/** A client of the service, with a method for each operation. */
export declare class Tidewire extends Client {
${operations.map(methodTypes).join("\n")}}
`
