/** A reply of an MCP server over HTTP. `body` is empty where a notification is answered. */
export interface McpReply {
  readonly status: number
  readonly body: Buffer
}

/** The error codes of JSON-RPC that are sent before a message reaches the protocol. */
const codes = { parseError: -32_700, invalidRequest: -32_600, methodNotFound: -32_601, internalError: -32_603 } as const

type RequestId = string | number | null

/** The id of a message; null where it has none that may be repeated. */
export const idOf = (message: unknown): RequestId => {
  const id = typeof message === "object" && message !== null && "id" in message ? message.id : null
  return typeof id === "string" || typeof id === "number" ? id : null
}

/** A JSON-RPC error. */
export const rpcError = (
  status: number,
  kind: keyof typeof codes,
  message: string,
  id: RequestId = null,
): McpReply => ({
  status,
  body: Buffer.from(JSON.stringify({ jsonrpc: "2.0", id, error: { code: codes[kind], message } })),
})
