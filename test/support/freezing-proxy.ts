import { type AddressInfo, connect, createServer, type Socket } from "node:net"

/** A TCP proxy that can freeze: connections stay open, and no byte passes until it thaws. */
export interface FreezingProxy {
  readonly port: number
  readonly freeze: () => void
  readonly thaw: () => void
  readonly close: () => Promise<void>
}

/** Starts the proxy on a port of 127.0.0.1, a free one unless given. */
export const startFreezingProxy = async (targetPort: number, port = 0): Promise<FreezingProxy> => {
  const sockets = new Set<Socket>()
  let frozen = false
  const server = createServer({ pauseOnConnect: true }, (client) => {
    const target = connect(targetPort, "127.0.0.1")
    const pass = (from: Socket, to: Socket) => {
      sockets.add(from)
      from.on("data", (chunk) => to.write(chunk))
      from.on("error", () => to.destroy())
      from.on("close", () => {
        sockets.delete(from)
        to.destroy()
      })
      if (frozen) from.pause()
      else from.resume()
    }
    pass(client, target)
    pass(target, client)
  })
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve))
  return {
    port: (server.address() as AddressInfo).port,
    freeze: () => {
      frozen = true
      for (const socket of sockets) socket.pause()
    },
    thaw: () => {
      frozen = false
      for (const socket of sockets) socket.resume()
    },
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
