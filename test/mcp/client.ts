import type { FastifyInstance, LightMyRequestResponse as Response } from "fastify"

// A client of both eras of MCP that keeps no state: what it sends and gets is all there is to look at.

/** The eras: one request with its own envelope, or the messages of 2025. */
export const eras = ["2026-07-28", "2025-11-25", "2025-06-18"] as const
export type Era = (typeof eras)[number]

/** The result of a tool. */
export interface CalledTool {
  readonly content: ReadonlyArray<{ readonly type: string; readonly text: string }>
  readonly structuredContent: Readonly<Record<string, unknown>>
  readonly isError?: boolean
}

/** Options of a client. */
export interface ClientOptions {
  readonly era?: Era
  readonly path?: string
  readonly token?: string | null
  readonly headers?: Readonly<Record<string, string>>
}

const envelope = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
}

/** Makes a client of an API. */
export const mcpClient = (
  app: FastifyInstance,
  { era = "2026-07-28", path = "/api/mcp", token = null, headers = {} }: ClientOptions = {},
) => {
  let id = 0
  /** Everything that was sent and received, as texts. */
  const traffic: Array<string> = []
  const send = async (method: string, params: Readonly<Record<string, unknown>> = {}): Promise<Response> => {
    id += 1
    const isModern = era === "2026-07-28"
    const body = JSON.stringify({
      jsonrpc: "2.0",
      id,
      method,
      params: isModern ? { ...params, _meta: envelope } : params,
    })
    const named = params.name ?? params.uri
    const reply = await app.inject({
      method: "POST",
      url: path,
      payload: body,
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": era,
        ...(isModern ? { "mcp-method": method } : {}),
        ...(isModern && typeof named === "string" ? { "mcp-name": named } : {}),
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...headers,
      },
    })
    traffic.push(body, reply.body)
    return reply
  }
  const result = async (method: string, params?: Readonly<Record<string, unknown>>) => {
    const reply = await send(method, params)
    const { result: got, error } = reply.json()
    if (reply.statusCode !== 200 || got === undefined)
      throw new Error(`${method}: ${reply.statusCode} ${JSON.stringify(error)}`)
    return got
  }
  return {
    traffic,
    send,
    result,
    tools: async (): Promise<ReadonlyArray<{ readonly name: string } & Record<string, never>>> =>
      (await result("tools/list")).tools,
    call: (name: string, given: Readonly<Record<string, unknown>> = {}): Promise<CalledTool> =>
      result("tools/call", { name, arguments: given }),
  }
}
