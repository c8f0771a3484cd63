import { refusal } from "./result.ts"
import type { Arguments, InputSchema, ToolResult } from "./tool.ts"

/** A token of credits, the memo of a quote or a claim key: secrets that must not enter the context of a model. */
const SECRET = /svc_live_[0-9a-f]{64}|tw_buy_[0-9a-f]{32}|tw_claim_[0-9a-f]{64}/i

/** The beginning of an argument that a client may repeat; the rest of a refusal holds no text of the call. */
const namesOf = ({ properties }: InputSchema): string => {
  const names = Object.keys(properties)
  return names.length === 0 ? "no arguments" : names.join(", ")
}

/** Refuses arguments that hold a secret, that the tool does not take, or that lack a required one; null accepts them. */
export const refusedArguments = (given: Arguments, schema: InputSchema): ToolResult | null => {
  if (SECRET.test(JSON.stringify(given)))
    return refusal(
      "secret_in_argument",
      "A token, a memo or a claim key must not stand in an argument, as models and their logs see it. Send the token as Authorization: Bearer in the configuration of the client, and consider it exposed: revoke it.",
    )
  if (Object.keys(given).some((name) => !Object.hasOwn(schema.properties, name)))
    return refusal("unknown_parameter", `This tool takes ${namesOf(schema)}.`)
  const missing = schema.required?.find((name) => !Object.hasOwn(given, name))
  if (missing !== undefined) return refusal("missing_parameter", `"${missing}" is required.`, { parameter: missing })
  return null
}

/** An argument that must be a text; null where it is absent or none. */
export const textOf = (given: Arguments, name: string): string | null => {
  const value = Object.hasOwn(given, name) ? given[name] : null
  return typeof value === "string" ? value : null
}
