import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { setTimeout } from "node:timers/promises"
import { Agent, request } from "undici"
import { timesAtPace } from "../benchmark.ts"

/** Figures of the attacked process since the last query; processor time since its start. */
export interface Health {
  readonly delayP99Ms: number
  readonly delayMaxMs: number
  readonly memoryPeakBytes: number
  readonly cpuMs: number
}

/** The attacked API. */
export interface Target {
  readonly address: string
  /** One of its valid receipts. */
  readonly jws: string
  readonly health: () => Promise<Health>
  /** Latencies of another client's requests over a period, in milliseconds. */
  readonly secondClient: (durationMs: number) => Promise<ReadonlyArray<number>>
  readonly stop: () => Promise<void>
}

/** The address of a client other than 127.0.0.1, the source of the attacks. */
const SECOND_ADDRESS = "127.0.0.2"
const REQUESTS_PER_SECOND = 100
const RETRY_MS = 10

const forked = (child: ChildProcess): Promise<unknown> =>
  new Promise((resolve, reject) => {
    child.once("message", resolve)
    child.once("exit", (code) => reject(new Error(`a process ended with ${code}`)))
  })

const answered = (url: string, dispatcher: Agent): Promise<boolean> =>
  request(url, { dispatcher }).then(
    async ({ statusCode, body }) => {
      await body.dump()
      return statusCode === 200
    },
    () => false,
  )

/** Starts the attacked API in its own process. */
export const startTarget = async (): Promise<Target> => {
  const child = fork(new URL("serve.ts", import.meta.url))
  const { address, path, jws } = (await forked(child)) as { address: string; path: string; jws: string }
  const agent = new Agent({ localAddress: SECOND_ADDRESS, connections: 4, pipelining: 1 })
  return {
    address,
    jws,
    health: async () => {
      const said = once(child, "message")
      child.send("health")
      const [health] = await said
      return health
    },
    secondClient: (durationMs) =>
      timesAtPace(REQUESTS_PER_SECOND, durationMs, async () => {
        // A failed request is sent again, and its latency includes the retries.
        while (!(await answered(`${address}${path}`, agent))) await setTimeout(RETRY_MS)
      }),
    stop: async () => {
      await agent.destroy()
      child.removeAllListeners("exit")
      child.disconnect()
    },
  }
}

/** Runs an attack from its own process, which sends a message when it has started. */
export const startAttack = async (name: string, parameters: ReadonlyArray<string>) => {
  const child = fork(new URL(`${name}.ts`, import.meta.url), parameters)
  await forked(child)
  child.removeAllListeners("exit")
  return { stop: () => child.disconnect() }
}
