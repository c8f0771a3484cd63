import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"

/** Numbers of requests in the Kafka protocol. */
export const KAFKA_API = { produce: 0, initProducerId: 22, addPartitionsToTransaction: 24, endTransaction: 26 } as const

type KafkaApi = (typeof KAFKA_API)[keyof typeof KAFKA_API]

/**
 * A fault of a request: `swallow` passes it to the broker and drops the reply, `cut` also closes the connection, `hold` delays
 * the request on its way to the broker.
 */
export type Fault =
  | { readonly kind: "swallow" | "cut"; readonly api: KafkaApi }
  | { readonly kind: "hold"; readonly api: KafkaApi; readonly ms: number }

/** A TCP proxy before a Kafka broker, which parses the boundaries of requests and replies. */
export interface KafkaProxy {
  readonly port: number
  /** Sets the target of new connections. */
  readonly to: (address: string) => void
  /** Plans a fault for the next request of a kind, after the faults that are planned already. */
  readonly plan: (fault: Fault) => void
  /** The number of planned faults that have not happened yet. */
  readonly planned: () => number
  /** Closes every connection and refuses new ones until `accept`. */
  readonly refuse: () => void
  /** Passes no byte more in either direction until `accept`, as a network that drops packets; connections are accepted. */
  readonly silence: () => void
  /** Ends `refuse` or `silence`. Connections that were silent are closed. */
  readonly accept: () => void
  /** Stops listening, as a broker that is down: connections are refused by the system. */
  readonly close: () => Promise<void>
  /** Listens again on the same port after `close`. */
  readonly reopen: () => Promise<void>
}

const LENGTH_BYTES = 4

/** Splits a byte stream into the length-prefixed frames of the Kafka protocol. */
const framed = (onFrame: (frame: Buffer) => void) => {
  let rest: Buffer = Buffer.alloc(0)
  return (chunk: Buffer) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    while (rest.length >= LENGTH_BYTES) {
      const end = LENGTH_BYTES + rest.readInt32BE(0)
      if (rest.length < end) return
      onFrame(rest.subarray(0, end))
      rest = rest.subarray(end)
    }
  }
}

/** Starts the proxy on a free port of 127.0.0.1. It refuses connections until `to` is called. */
export const startKafkaProxy = async (): Promise<KafkaProxy> => {
  const faults: Array<Fault> = []
  const sockets = new Set<Socket>()
  let target: { readonly host: string; readonly port: number } | undefined
  let refusing = false
  let silent = false

  const server = createServer((client) => {
    if (refusing || target === undefined) {
      client.destroy()
      return
    }
    const broker = connect(target)
    const both = [client, broker]
    const end = () => {
      for (const socket of both) {
        sockets.delete(socket)
        socket.destroy()
      }
    }
    for (const socket of both) {
      sockets.add(socket)
      socket.setNoDelay(true)
      socket.on("error", end)
      socket.on("close", end)
    }
    const lost = new Map<number, "swallow" | "cut">()
    let sending = Promise.resolve()
    client.on(
      "data",
      framed((frame) => {
        const api = frame.readInt16BE(LENGTH_BYTES)
        const correlation = frame.readInt32BE(LENGTH_BYTES + 4)
        const index = faults.findIndex((fault) => fault.api === api)
        const fault = index < 0 ? undefined : faults.splice(index, 1)[0]
        if (fault !== undefined && fault.kind !== "hold") lost.set(correlation, fault.kind)
        const bytes = Buffer.from(frame)
        const delayMs = fault?.kind === "hold" ? fault.ms : 0
        sending = sending.then(async () => {
          if (delayMs > 0) await sleep(delayMs)
          if (!silent) broker.write(bytes)
        })
      }),
    )
    broker.on(
      "data",
      framed((frame) => {
        const correlation = frame.readInt32BE(LENGTH_BYTES)
        const how = lost.get(correlation)
        if (silent) return
        if (how === undefined) client.write(Buffer.from(frame))
        else if (how === "cut") end()
        lost.delete(correlation)
      }),
    )
  })
  const listen = (port: number) =>
    new Promise<void>((resolve, reject) => {
      server.once("error", reject)
      server.listen(port, "127.0.0.1", resolve)
    })
  await listen(0)
  const { port } = server.address() as AddressInfo
  const cutAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    port,
    to: (address) => {
      const [host = "127.0.0.1", port] = address.split(":")
      target = { host, port: Number(port) }
    },
    plan: (fault) => {
      faults.push(fault)
    },
    planned: () => faults.length,
    refuse: () => {
      refusing = true
      cutAll()
    },
    silence: () => {
      silent = true
    },
    accept: () => {
      refusing = false
      if (silent) cutAll()
      silent = false
    },
    close: async () => {
      cutAll()
      await new Promise((resolve) => server.close(resolve))
    },
    reopen: () => listen(port),
  }
}
