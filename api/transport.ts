import type { Server } from "node:http"
import type { Socket } from "node:net"
import type { FastifyInstance } from "fastify"
import type { Clients } from "./client-address.ts"
import type { ApiLimits } from "./limits.ts"
import { problem, transportProblem } from "./problems.ts"

/** How long a refused connection may take to read why, before it is cut. */
const REFUSED_LINGER_MS = 1_000
const CLOSE_IDLE_EVERY_MS = 50

/** Answers what never became a request (headers too large, too slow, not HTTP) as a problem, and ends the connection. */
export const refuseConnection = (error: NodeJS.ErrnoException, socket: Socket): void => {
  if (!socket.writable || error.code === "ECONNRESET") {
    socket.destroy()
    return
  }
  const reply = transportProblem(error.code) ?? problem(400, "bad_request", "The request is not well-formed HTTP.")
  const body = JSON.stringify(reply.body)
  socket.end(
    [
      `HTTP/1.1 ${reply.status} ${reply.body.title}`,
      "Content-Type: application/problem+json; charset=utf-8",
      `Content-Length: ${Buffer.byteLength(body)}`,
      "Cache-Control: no-store",
      "Access-Control-Allow-Origin: *",
      "Connection: close",
      "",
      body,
    ].join("\r\n"),
  )
  setTimeout(() => socket.destroy(), REFUSED_LINGER_MS).unref()
}

/** Bounds the connections of a server, in all and for each client. */
export const boundConnections = (server: Server, clients: Clients, limits: ApiLimits): void => {
  server.maxConnections = limits.connectionsMax
  const open = new Map<string, number>()
  server.on("connection", (socket) => {
    const { client, trusted } = clients.peerOf(socket)
    if (trusted) return
    const count = (open.get(client) ?? 0) + 1
    if (count > limits.connectionsPerClientMax) {
      socket.destroy()
      return
    }
    open.set(client, count)
    socket.once("close", () => {
      const left = (open.get(client) ?? 1) - 1
      if (left === 0) open.delete(client)
      else open.set(client, left)
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
