import type { Server } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import type { FastifyInstance } from "fastify"
import { type Clients, prefixesOf } from "./client-address.ts"
import type { ApiLimits } from "./limits.ts"
import { type PlaceLimits, PrefixPlaces } from "./prefix-places.ts"
import { type ProblemReply, problem, transportProblem } from "./problems.ts"
import { newRequestId } from "./request-id.ts"
import { afterReplies, waitsForClient } from "./turns.ts"

/** Time for a refused client to read the reply before its connection is destroyed. */
const REFUSED_LINGER_MS = 1_000
const CLOSE_IDLE_EVERY_MS = 50
/** Connections that count for the server although their place was given to another, until they are closed. */
const ENDING_CONNECTIONS_MAX = 64

/** A request line, as RFC 9112 has it. */
const REQUEST_LINE = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+ \S+ HTTP\/1\.[01]\r?$/

const send = (socket: Duplex, { status, body }: ProblemReply): void => {
  const text = JSON.stringify(body)
  socket.end(
    [
      `HTTP/1.1 ${status} ${body.title}`,
      "Content-Type: application/problem+json; charset=utf-8",
      `Content-Length: ${Buffer.byteLength(text)}`,
      "Cache-Control: no-store",
      "Access-Control-Allow-Origin: *",
      `X-Request-Id: ${newRequestId()}`,
      "Connection: close",
      "",
      text,
    ].join("\r\n"),
  )
  setTimeout(() => socket.destroy(), REFUSED_LINGER_MS).unref()
}

const notImplemented = (): ProblemReply => problem(501, "not_implemented", "This method is not supported.")

/** An error of Node's HTTP parser. */
interface ParserError {
  readonly code?: string | undefined
  /** The received bytes, as a Buffer. */
  readonly rawPacket?: unknown
  readonly bytesParsed?: number | undefined
}

/** Whether the parser stopped at a well-formed request whose method it does not know. */
const isUnknownMethod = ({ code, rawPacket, bytesParsed = 0 }: ParserError): boolean => {
  if (code !== "HPE_INVALID_METHOD" || !Buffer.isBuffer(rawPacket)) return false
  const begin = rawPacket.lastIndexOf("\n", bytesParsed) + 1
  const end = rawPacket.indexOf("\n", begin)
  return end > begin && REQUEST_LINE.test(rawPacket.toString("latin1", begin, end))
}

/** Replies to input that is not a request (headers too large, too slow, not HTTP) with a problem, and ends the connection. */
export const refuseConnection = (error: ParserError, socket: Socket): void => {
  if (error.code === "ECONNRESET") socket.destroy()
  const reply = isUnknownMethod(error)
    ? notImplemented()
    : (transportProblem(error.code) ?? problem(400, "bad_request", "The request is not well-formed HTTP."))
  afterReplies(socket, () => {
    if (socket.writable) send(socket, reply)
    else socket.destroy()
  })
}

/** Refuses CONNECT, as this service is not a proxy. */
export const refuseTunnel = (socket: Duplex): void => send(socket, notImplemented())

/** The most connections of a client, a network and a provider, and of all clients. Requests in flight behind proxies too. */
export const connectionPlaces = (limits: ApiLimits): PlaceLimits => ({
  client: limits.connectionsPerClientMax,
  network: limits.connectionsPerNetworkMax,
  provider: limits.connectionsPerProviderMax,
  inAll: limits.connectionsMax,
})

/**
 * Bounds the connections of a server: of each client, of each network and provider, which may hold many clients, and in total.
 * Where a network or the server is full, a newcomer takes the place of the oldest connection of the heaviest client that waits
 * for that client. The connections of trusted proxies are bounded by the total alone.
 */
export const boundConnections = (server: Server, clients: Clients, limits: ApiLimits): void => {
  server.maxConnections = limits.connectionsMax + ENDING_CONNECTIONS_MAX
  const places = new PrefixPlaces<Socket>(connectionPlaces(limits), (socket) => {
    const waits = waitsForClient(socket)
    if (waits) socket.destroy()
    return waits
  })
  server.on("connection", (socket) => {
    const { client, trusted } = clients.peerOf(socket)
    if (trusted) return
    if (places.take(prefixesOf(client), socket)) socket.once("close", () => places.release(socket))
    else socket.destroy()
  })
}

/**
 * Closes an API: accepts no new connection, lets running requests finish, and destroys the remaining connections after
 * `deadlineMs`. Resolves when every connection is closed.
 */
export const closeApi = async (app: FastifyInstance, deadlineMs: number): Promise<void> => {
  // A connection whose last request ends during the close would stay idle until its keep-alive timeout.
  const idle = setInterval(() => app.server.closeIdleConnections(), CLOSE_IDLE_EVERY_MS)
  const deadline = setTimeout(() => app.server.closeAllConnections(), deadlineMs)
  try {
    await app.close()
  } finally {
    clearInterval(idle)
    clearTimeout(deadline)
  }
}
