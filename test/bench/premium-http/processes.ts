import { type ForkOptions, fork } from "node:child_process"
import { once } from "node:events"
import type { KafkaOptions } from "../../../infra/log/kafka/client.ts"
import type { Load, LoadResult } from "./load.ts"

/** Starts a process of the comparison. A message that it does not answer before it ends is an error. */
export const start = (module: string, parameters: ReadonlyArray<string>, options: ForkOptions = {}) => {
  const child = fork(new URL(`./${module}.ts`, import.meta.url), parameters, options)
  const ended = once(child, "exit").then(([code]) => Promise.reject(new Error(`${module} ended with ${code}`)))
  ended.catch(() => undefined)
  const next = async (): Promise<unknown> => (await Promise.race([once(child, "message"), ended]))[0]
  return { child, next }
}
/** A running process of the comparison, and its next message. */
export type Started = ReturnType<typeof start>

/** A running server of the comparison. */
export interface Server extends Started, Pick<Load, "address" | "path" | "token"> {}

/** Starts a server. Its log is embedded unless options of one on Kafka are given. */
export const serve = async (which: "premium" | "bare", log?: KafkaOptions): Promise<Server> => {
  const server = start("serve", log === undefined ? [which] : [which, JSON.stringify(log)])
  return { ...server, ...((await server.next()) as Pick<Load, "address" | "path" | "token">) }
}

/** What a server has used since its start. */
interface Usage {
  readonly cpuMicros: number
  readonly majorCollections: number
}

const usage = async ({ child, next }: Server): Promise<Usage> => {
  child.send("usage")
  return (await next()) as Usage
}

/** A load that was carried out, and what the server used for it. */
export interface LoadedServer extends LoadResult, Usage {}

/** Carries out a load on a server. */
export const put = async (
  { child, next }: Started,
  server: Server,
  load: Omit<Load, "address" | "path" | "token">,
): Promise<LoadedServer> => {
  const { address, path, token } = server
  const before = await usage(server)
  child.send({ address, path, token, ...load } satisfies Load)
  const found = (await next()) as LoadResult
  const after = await usage(server)
  return {
    ...found,
    cpuMicros: after.cpuMicros - before.cpuMicros,
    majorCollections: after.majorCollections - before.majorCollections,
  }
}

/** Ends processes that `start` started, and waits for their end. */
export const endAll = async (processes: ReadonlyArray<Started>): Promise<void> => {
  for (const { child } of processes) {
    const ended = once(child, "exit")
    child.disconnect()
    await ended
  }
}
