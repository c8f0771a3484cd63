import type { Json } from "../../schemas/json.ts"
import type { LocalCall, LocalReply } from "../route.ts"

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
export interface ToolDefinition {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: InputSchema
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
