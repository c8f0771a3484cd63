import { type AddressInfo, connect, createServer, type Socket } from "node:net"

/** A TCP proxy before one or several processes, as a load balancer is, whose connections break. */
export interface CuttingProxy {
  readonly url: string
  /** The connections so far. */
  readonly connections: () => number
  readonly close: () => Promise<void>
}

/** How such a proxy works. */
interface CuttingOptions {
  /** The ports of the processes. A connection goes to the next one that accepts it. */
  readonly targets: () => ReadonlyArray<number>
  /** After so many bytes of its replies each connection is cut, one number after the other. */
  readonly cutBytes: ReadonlyArray<number>
  readonly onConnection?: (count: number) => void
}

/** Starts the proxy on a free port of 127.0.0.1. */
export const startCuttingProxy = async ({ targets, cutBytes, onConnection }: CuttingOptions): Promise<CuttingProxy> => {
  const open = new Set<Socket>()
  let count = 0
  const server = createServer({ pauseOnConnect: true }, (reader) => {
    const number = count
    count += 1
    onConnection?.(count)
    let left = cutBytes[number % cutBytes.length] ?? 0
    open.add(reader)
    reader.on("close", () => open.delete(reader))
    reader.on("error", () => reader.destroy())

    const ports = targets()
    const tryFrom = (tries: number): void => {
      const port = ports[(number + tries) % ports.length]
      if (port === undefined || tries === ports.length) {
        reader.destroy()
        return
      }
      const target = connect(port, "127.0.0.1")
      target.once("error", () => tryFrom(tries + 1))
      target.once("connect", () => {
        target.removeAllListeners("error")
        const end = () => {
          reader.destroy()
          target.destroy()
        }
        for (const socket of [reader, target]) socket.on("error", end).on("close", end)
        reader.pipe(target)
        target.on("data", (chunk: Buffer) => {
          const passed = chunk.subarray(0, left)
          left -= passed.length
          reader.write(passed, () => (left === 0 ? end() : undefined))
        })
      })
    }
    tryFrom(0)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections: () => count,
    close: async () => {
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
