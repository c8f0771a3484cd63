import { createRequire } from "node:module"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { Pool } from "undici"
import { endAll, start } from "../processes.ts"
import { type Contender, openReaders } from "./contender.ts"
import { messageOf } from "./message.ts"

const PACKAGE: string = "@durable-streams/server"
/** A folder in which the package is installed. It is no dependency of the service. */
const DIRECTORY = "DURABLE_STREAMS_DIR"
const PATH = "/changes"

const packageFile = (): string | undefined => {
  const directory = process.env[DIRECTORY]
  const bases = [import.meta.filename, ...(directory === undefined ? [] : [join(directory, "package.json")])]
  for (const base of bases)
    try {
      return createRequire(base).resolve(PACKAGE)
    } catch {
      // It is not installed there.
    }
  return undefined
}

/** The reference server of Durable Streams, its stream in memory, read live as SSE by so many readers. */
export const startDurable = async (readersCount: number): Promise<Contender | undefined> => {
  const file = packageFile()
  if (file === undefined) {
    process.stderr.write(`${PACKAGE} is not installed here, nor in ${DIRECTORY}: it is not compared with\n`)
    return undefined
  }
  const server = start(new URL("./durable-serve.ts", import.meta.url), [pathToFileURL(file).href])
  const port = (await server.next()) as number
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: 1 })
  const send = async (method: "PUT" | "POST", body: string): Promise<void> => {
    const headers = { "content-type": "application/json" }
    const reply = await pool.request({ path: PATH, method, headers, body })
    await reply.body.dump()
    if (reply.statusCode >= 300) throw new Error(`the server of Durable Streams answered with ${reply.statusCode}`)
  }
  await send("PUT", "")
  const path = `${PATH}?offset=now&live=sse`
  const readers = await openReaders({ port, count: readersCount, path, isRead: true })
  let last = 0
  return {
    pids: [server.child.pid ?? 0],
    readers,
    publish: async () => {
      const ordinal = ++last
      await send("POST", messageOf(ordinal))
      return ordinal
    },
    receivedMs: async () => new Map(),
    end: async () => {
      await pool.close()
      await readers.end()
      await endAll([server])
    },
  }
}
