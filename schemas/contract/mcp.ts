import * as Schema from "effect/Schema"
import type { CommandEndpoint } from "./endpoint-kinds.ts"
import type { Responses } from "./responses.ts"

// What the endpoints of the Model Context Protocol (MCP) share.

/** Revisions of MCP that are served, the newest first. */
export const MCP_REVISIONS = ["2026-07-28", "2025-11-25", "2025-06-18"] as const

/** The path of the small server, whose tools reach every dataset. */
export const MCP_PATH = "/api/mcp"

/** Media types of the documents by which an MCP server is found. */
export const SERVER_CARD_TYPE = "application/mcp-server-card+json"
export const AI_CATALOG_TYPE = "application/ai-catalog+json"

/** The name of the MCP server, in its card and in its own words. */
export const MCP_SERVER_NAME = "tidewire"
export const MCP_SERVER_TITLE = "Tidewire"

const RequestId = Schema.Union([Schema.String, Schema.Int])
const JsonObject = Schema.Record(Schema.String, Schema.Json)

/** A JSON-RPC 2.0 message of a client. Batches are refused, as the served revisions have none. */
const JsonRpcRequest = Schema.Struct({
  jsonrpc: Schema.Literal("2.0"),
  id: Schema.optionalKey(RequestId.annotate({ description: "Absent in a notification, which is answered with 202" })),
  method: Schema.NonEmptyString,
  params: Schema.optionalKey(JsonObject),
})

const RpcError = Schema.Struct({ code: Schema.Int, message: Schema.String, data: Schema.optionalKey(Schema.Json) })

/** A JSON-RPC 2.0 response: `result`, or `error`. */
export const JsonRpcReply = Schema.Struct({
  jsonrpc: Schema.Literal("2.0"),
  id: Schema.NullOr(RequestId),
  result: Schema.optionalKey(JsonObject),
  error: Schema.optionalKey(RpcError),
}).annotate({ identifier: "JsonRpcReply" })

const rpcError = (description: string): Responses[string] => ({
  description,
  headers: ["Cache-Control"],
  body: { _tag: "Schema", mediaType: "application/json", schema: JsonRpcReply },
})

/** What the endpoints of MCP declare alike. */
export const mcpEndpointFacts = {
  kind: "command",
  method: "POST",
  tier: "service",
  counted: "minute",
  bearer: "optional",
  parameters: {},
  body: { schema: JsonRpcRequest, example: { jsonrpc: "2.0", id: 1, method: "tools/list" } },
  data: JsonRpcReply,
  responses: {
    202: { description: "The notification was received", headers: ["Cache-Control"], body: null },
    400: rpcError("The message is not one of the protocol, or its headers do not agree with it"),
    403: rpcError("The Origin is not that of this service: a web page of another site asked"),
    404: rpcError("The server has no such method"),
  },
} as const satisfies Partial<CommandEndpoint>

/** An example of a reply to `tools/list`. */
export const toolsListExample: typeof JsonRpcReply.Type = {
  jsonrpc: "2.0",
  id: 1,
  result: { tools: [{ name: "earthquake", inputSchema: { type: "object", properties: {} } }] },
}
