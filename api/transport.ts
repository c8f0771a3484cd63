import type { Server } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import type { FastifyInstance } from "fastify"
import type { Clients } from "./client-address.ts"
import type { ApiLimits } from "./limits.ts"
import { type ProblemReply, problem, transportProblem } from "./problems.ts"
import { Tally } from "./tally.ts"
import { afterReplies } from "./turns.ts"

/** How long a refused connection may take to read why, before it is cut. */
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
      "Connection: close",
      "",
      text,
    ].join("\r\n"),
  )
  setTimeout(() => socket.destroy(), REFUSED_LINGER_MS).unref()
}

const notImplemented = (): ProblemReply => problem(501, "not_implemented", "This service does not know that method.")

/** Why Node could not make a request of what it read. */
interface ParserError {
  readonly code?: string | undefined
  /** What was read, as a Buffer. */
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

/** Answers what never became a request (headers too large, too slow, not HTTP) as a problem, and ends the connection. */
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

/** Answers CONNECT: this service is no proxy. */
export const refuseTunnel = (socket: Duplex): void => send(socket, notImplemented())

/** Bounds the connections of a server: in all, for each client, and for each network that may hold many clients. */
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
 * Ends an API: takes no new connection, lets running requests finish, and cuts what is left after `deadlineMs`. Resolves
 * when every connection is gone.
 */
export const closeApi = async (app: FastifyInstance, deadlineMs: number): Promise<void> => {
  // A connection whose last request ended after the closing began would stand idle until its keep-alive ends.
  const idle = setInterval(() => app.server.closeIdleConnections(), CLOSE_IDLE_EVERY_MS)
  const deadline = setTimeout(() => app.server.closeAllConnections(), deadlineMs)
  try {
    await app.close()
  } finally {
    clearInterval(idle)
    clearTimeout(deadline)
  }
}
