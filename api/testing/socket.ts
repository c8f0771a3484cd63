import { connect, type Socket } from "node:net"
import { expect, onTestFinished } from "vitest"
import { waitFor } from "./wait-for.ts"

/** A raw connection from an address of this machine, and everything that came back on it. */
export const open = (port: number, localAddress = "127.0.0.1") => {
  const socket: Socket = connect({ port, host: "127.0.0.1", localAddress })
  const state = { received: "", closed: false }
  socket.on("data", (chunk) => {
    state.received += chunk.toString("latin1")
  })
  socket.on("error", () => undefined)
  socket.on("close", () => {
    state.closed = true
  })
  onTestFinished(() => void socket.destroy())
  return {
    socket,
    state,
    closed: () => waitFor(() => expect(state.closed).toBe(true)),
  }
}

/** The text of a GET request. */
export const get = (path: string, more = "") => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`
/** The statuses of the replies in a text. */
export const statuses = (received: string) => [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)
