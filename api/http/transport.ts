import type { Server } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import type { FastifyInstance } from "fastify"
import type { Clients } from "./client-address.ts"
import type { ApiLimits } from "./limits.ts"
import { type ProblemReply, problem, transportProblem } from "./problems.ts"
import { newRequestId } from "./request-id.ts"
import { Tally } from "./tally.ts"
import { afterReplies } from "./turns.ts"

/** Time for a refused client to read the reply before its connection is destroyed. */
const REFUSED_LINGER_MS = 1_000
const CLOSE_IDLE_EVERY_MS = 50

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

/** Bounds the connections of a server: in total, for each client, and for each network, which may hold many clients. */
export const boundConnections = (server: Server, clients: Clients, limits: ApiLimits): void => {
  server.maxConnections = limits.connectionsMax
  const ofClients = new Tally()
  const ofNetworks = new Tally()
  server.on("connection", (socket) => {
    const { client, network, trusted } = clients.peerOf(socket)
    if (trusted) return
    if (!ofClients.add(client, limits.connectionsPerClientMax)) {
      socket.destroy()
      return
    }
    if (!ofNetworks.add(network, limits.connectionsPerNetworkMax)) {
      ofClients.remove(client)
      socket.destroy()
      return
    }
    socket.once("close", () => {
      ofClients.remove(client)
      ofNetworks.remove(network)
    })
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
