import type { IncomingMessage } from "node:http"
import type { FastifyInstance } from "fastify"
import { mcpEndpoint } from "../../schemas/endpoints/mcp.ts"
import { mcpAllEndpoint } from "../../schemas/endpoints/mcp-all.ts"
import { type Exchange, openExchange } from "../http/answer.ts"
import { BODY_TOO_DEEP, BODY_TOO_DEEP_MESSAGE } from "../http/problems.ts"
import { JSON_TYPE } from "../http/representation.ts"
import type { ApiTools, Route } from "../routes/route.ts"
import type { McpReply, McpServer } from "./server.ts"

/** The error codes of JSON-RPC that are sent before a message reaches the protocol. */
const codes = { parseError: -32_700, invalidRequest: -32_600, methodNotFound: -32_601, internalError: -32_603 } as const

type RequestId = string | number | null

/** The id of a message; null where it has none that may be repeated. */
const idOf = (message: unknown): RequestId => {
  const id = typeof message === "object" && message !== null && "id" in message ? message.id : null
  return typeof id === "string" || typeof id === "number" ? id : null
}

/** A JSON-RPC error. */
const rpcError = (status: number, kind: keyof typeof codes, message: string, id: RequestId = null): McpReply => ({
  status,
  body: Buffer.from(JSON.stringify({ jsonrpc: "2.0", id, error: { code: codes[kind], message } })),
})

const LOOPBACK: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"])
/** A host that is an address: no name, which its owner could point at another machine. */
const ADDRESS = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:.]+\])$/

const urlOf = (text: string): URL | null => (URL.canParse(text) ? new URL(text) : null)

/**
 * Whether a request comes from a web page of another site, by its Origin; programs send none. A page of the same host is
 * trusted where the host is the public one, or cannot be a name that was pointed at this machine (DNS rebinding): an
 * address, or localhost, whose ports count as one site.
 */
const isForeign = ({ headers }: IncomingMessage, baseUrl: string | null): boolean => {
  if (headers.origin === undefined) return false
  const origin = urlOf(headers.origin)
  const host = urlOf(`http://${headers.host ?? ""}`)
  if (origin === null || host === null) return true
  if (baseUrl !== null && origin.origin === new URL(baseUrl).origin) return false
  if (LOOPBACK.has(origin.hostname) && LOOPBACK.has(host.hostname)) return false
  return !ADDRESS.test(host.hostname) || origin.host !== host.host
}

/** The replies to bodies that were not parsed, by the code of the parser's error. */
const UNPARSED: ReadonlyMap<unknown, McpReply> = new Map([
  ["FST_ERR_CTP_EMPTY_JSON_BODY", rpcError(400, "parseError", "The body is not JSON.")],
  ["FST_ERR_CTP_INVALID_JSON_BODY", rpcError(400, "parseError", "The body is not JSON.")],
  [BODY_TOO_DEEP, rpcError(400, "invalidRequest", BODY_TOO_DEEP_MESSAGE)],
])

const isMessage = (body: unknown): body is Readonly<Record<string, unknown>> =>
  typeof body === "object" && body !== null && !Array.isArray(body)

/** The MCP servers by their paths. Loaded with the first request, as the protocol's library takes several megabytes. */
const makeServers = (tools: ApiTools) => {
  let loaded: Promise<ReadonlyMap<string, McpServer>> | null = null
  return (): Promise<ReadonlyMap<string, McpServer>> => {
    loaded ??= import("./servers.ts").then(({ serversOf }) => serversOf(tools))
    return loaded
  }
}

/** Serves MCP. A message counts against its client's share of a minute, and what its tools call as those calls over HTTP. */
export const mcpPlugin =
  (tools: ApiTools) =>
  (app: FastifyInstance, _: unknown, done: () => void): void => {
    const { answers, options } = tools
    const servers = makeServers(tools)

    const send = (exchange: Exchange, { status, body }: McpReply): void =>
      answers.fleeting(exchange, status, body, body.length === 0 ? [] : ["Content-Type", JSON_TYPE])

    const answer = async (exchange: Exchange, client: string, path: string, body: unknown): Promise<McpReply> => {
      if (isForeign(exchange.request, options.baseUrl))
        return rpcError(403, "invalidRequest", "Web pages of other sites may not call this server (Origin).")
      // A batch of calls would be one request in the limits of its client.
      if (!isMessage(body))
        return rpcError(
          400,
          "invalidRequest",
          "The body must be one JSON-RPC message (Content-Type: application/json).",
        )
      // The library would open a stream; nothing is ever announced on it.
      if (body.method === "subscriptions/listen")
        return rpcError(
          404,
          "methodNotFound",
          "This server announces nothing: its lists change with its version.",
          idOf(body),
        )
      const server = (await servers()).get(path)
      if (server === undefined) throw new Error(`no MCP server is made for ${path}`)
      return server({ exchange, client, message: body })
    }

    const routeOf =
      (path: string): Route =>
      async (exchange, _query, client, body) =>
        send(exchange, await answer(exchange, client, path, body))

    app.removeContentTypeParser("text/plain")
    app.setErrorHandler((error, request, reply) => {
      const unparsed = error instanceof Error && "code" in error ? UNPARSED.get(error.code) : undefined
      if (unparsed === undefined) throw error
      const meter = options.traffic.meter(
        request.routeOptions.url === mcpAllEndpoint.path ? mcpAllEndpoint.name : mcpEndpoint.name,
      )
      send(openExchange(request.raw, reply.raw, meter), unparsed)
    })
    for (const endpoint of options.endpoints)
      if (endpoint.path === mcpEndpoint.path || endpoint.path === mcpAllEndpoint.path)
        tools.serve(app, endpoint, routeOf(endpoint.path))
    done()
  }
