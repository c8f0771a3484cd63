import { once } from "node:events"
import { connect, createServer, type Socket } from "node:net"
import { networkInterfaces } from "node:os"

/** Ports of 127.0.0.1 that are reached by other addresses, too. */
export interface ForwardedPorts {
  readonly close: () => Promise<void>
}

/** A wildcard cannot be bound beside 127.0.0.1, so that each other address is. */
const addressesOf = (host: string): ReadonlyArray<string> =>
  host === "0.0.0.0"
    ? Object.values(networkInterfaces()).flatMap((interfaces = []) =>
        interfaces.flatMap(({ internal, family, address }) => (internal || family !== "IPv4" ? [] : [address])),
      )
    : [host]

/** Leads connections to these ports of an address of this machine, or of all of them (0.0.0.0), to the same ports of 127.0.0.1. */
export const forwardPorts = async (host: string, ports: ReadonlyArray<number>): Promise<ForwardedPorts> => {
  const open = new Set<Socket>()
  const servers = addressesOf(host).flatMap((address) =>
    ports.map((port) => {
      const server = createServer((outer) => {
        const inner = connect(port, "127.0.0.1")
        for (const [socket, other] of [
          [outer, inner],
          [inner, outer],
        ] as const) {
          open.add(socket)
          // Either end may break the connection, which the other one then learns.
          socket.on("error", () => other.destroy())
          socket.once("close", () => {
            open.delete(socket)
            other.destroySoon()
          })
        }
        outer.pipe(inner)
        inner.pipe(outer)
      })
      return { server, listening: once(server.listen(port, address), "listening") }
    }),
  )
  const close = async () => {
    for (const { server } of servers) server.close()
    for (const socket of open) socket.destroy()
  }
  try {
    await Promise.all(servers.map(({ listening }) => listening))
  } catch (cause) {
    await close()
    throw cause
  }
  return { close }
}
