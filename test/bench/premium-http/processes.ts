import type { KafkaOptions } from "../../../infra/log/kafka/client.ts"
import { type Started, start } from "../processes.ts"
import type { Load, LoadResult } from "./load.ts"

/** A running server of the comparison. */
export interface Server extends Started, Pick<Load, "address" | "path" | "token"> {}

/** Starts a server. Its log is embedded unless options of one on Kafka are given. */
export const serve = async (which: "premium" | "bare", log?: KafkaOptions): Promise<Server> => {
  const server = start(
    new URL("./serve.ts", import.meta.url),
    log === undefined ? [which] : [which, JSON.stringify(log)],
  )
  return { ...server, ...((await server.next()) as Pick<Load, "address" | "path" | "token">) }
}

/** Starts the callers. */
export const startLoad = (): Started => start(new URL("./load.ts", import.meta.url), [], { execArgv: [] })

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
