import type { Json } from "../../schemas/json.ts"
import type { LocalCall, LocalReply } from "../routes/route.ts"

/** The arguments of a call, as a model wrote them. */
export type Arguments = Readonly<Record<string, unknown>>

/** The JSON Schema of a tool's arguments. */
export interface InputSchema {
  readonly type: "object"
  readonly properties: Readonly<Record<string, Json>>
  readonly required?: ReadonlyArray<string>
  readonly additionalProperties: false
}

/** A tool as `tools/list` shows it. */
interface ToolDefinition {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: InputSchema
  /** The outline of a result that is no refusal. */
  readonly outputSchema: Json
  readonly annotations: Readonly<Record<`${"readOnly" | "destructive" | "idempotent" | "openWorld"}Hint`, boolean>>
  readonly _meta?: Readonly<Record<string, Json>>
}

/** The result of a call: the reply's bytes as text, and the same as JSON. A refusal is a result too. */
export interface ToolResult {
  readonly content: ReadonlyArray<{ readonly type: "text"; readonly text: string }>
  readonly structuredContent: Readonly<Record<string, unknown>>
  readonly isError?: true
}

/** A client that calls a tool. */
export interface Caller {
  /** The Authorization header of its request; null where it sent none. */
  readonly authorization: string | null
  /** Calls an endpoint as this client. */
  readonly call: (call: LocalCall) => Promise<LocalReply>
}

/** A tool of an MCP server. */
export interface McpTool {
  readonly definition: ToolDefinition
  readonly run: (given: Arguments, caller: Caller) => Promise<ToolResult>
}

/** Reads without an effect, of data that this service holds. */
export const reads: ToolDefinition["annotations"] = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
}

/** Spends or buys credits: a client should ask before it repeats such a call. */
export const spends: ToolDefinition["annotations"] = { ...reads, readOnlyHint: false, idempotentHint: false }

/** A token of credits, the memo of a quote or a claim key: secrets that must not enter the context of a model. */
const SECRET = /svc_live_[0-9a-f]{64}|tw_buy_[0-9a-f]{32}|tw_claim_[0-9a-f]{64}/i

/** The names of the arguments of a schema, for refusals: these hold no text of the call. */
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

/** The largest free reply as a result, which holds it twice. Larger ones are read over HTTP. */
export const FREE_REPLY_MAX_BYTES = 256 * 1024

/** The lowest status of a refusal. */
export const REFUSED = 400

/** A result of JSON that is made here. */
export const jsonResult = (body: Readonly<Record<string, Json>>, isError = false): ToolResult => ({
  content: [{ type: "text", text: JSON.stringify(body) }],
  structuredContent: body,
  ...(isError ? { isError: true } : {}),
})

/** A refusal that is made here, in the members of a problem. */
export const refusal = (error: string, message: string, more: Readonly<Record<string, Json>> = {}): ToolResult =>
  jsonResult({ error, message, ...more }, true)

/** A reply as a result: its bytes as they are, and the same as JSON. */
export const resultOf = ({ status, body }: LocalReply): ToolResult => {
  const text = body.toString("utf8")
  return {
    content: [{ type: "text", text }],
    structuredContent: JSON.parse(text),
    ...(status >= REFUSED ? { isError: true } : {}),
  }
}

/** The result of a free reply; a refusal where it is too large for a result. `path` is where it can be read over HTTP. */
export const freeResultOf = (reply: LocalReply, path: string): ToolResult =>
  reply.body.length <= FREE_REPLY_MAX_BYTES
    ? resultOf(reply)
    : refusal("result_too_large", "The reply is too large for a tool: narrow it by its parameters, or GET it.", {
        path,
        bytes: reply.body.length,
      })
