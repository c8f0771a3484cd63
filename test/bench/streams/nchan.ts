import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { Pool } from "undici"
import { startNginx } from "../nginx.ts"
import { childrenOf } from "../process-memory.ts"
import { type Contender, openReaders } from "./contender.ts"
import { messageOf } from "./message.ts"

const MODULE = "ngx_nchan_module.so"
const DEBIAN_MODULES = "/usr/lib/nginx/modules"

const moduleFile = (): string | undefined => {
  const { stderr } = spawnSync("nginx", ["-V"], { encoding: "utf8" })
  const directories = [/--modules-path=(\S+)/.exec(stderr ?? "")?.[1] ?? DEBIAN_MODULES, DEBIAN_MODULES]
  return directories.map((directory) => join(directory, MODULE)).find((file) => existsSync(file))
}

/** Tests whether nginx with its module nchan is installed. */
export const nchanIsInstalled = (): boolean => spawnSync("nginx", ["-v"]).status === 0 && moduleFile() !== undefined

/** nginx with nchan: one channel in memory, published to over HTTP, read as SSE by so many readers. */
export const startNchan = async (readersCount: number): Promise<Contender | undefined> => {
  const file = moduleFile()
  const nginx =
    file === undefined
      ? null
      : await startNginx({
          modules: [file],
          connectionsMax: readersCount + 256,
          locations:
            () => `location = /sub { nchan_subscriber eventsource; nchan_channel_id changes; nchan_subscriber_first_message newest; }
location = /pub { nchan_publisher http; nchan_channel_id changes; nchan_message_buffer_length 100; nchan_message_timeout 1m; }`,
        })
  if (nginx === null) {
    process.stderr.write("nginx with nchan (Debian's libnginx-mod-nchan) is not installed: it is not compared with\n")
    return undefined
  }
  const readers = await openReaders({ port: nginx.port, count: readersCount, path: "/sub", isRead: true })
  const pool = new Pool(`http://127.0.0.1:${nginx.port}`, { connections: 1 })
  let last = 0
  return {
    pids: [nginx.pid, ...childrenOf(nginx.pid)],
    readers,
    publish: async () => {
      const ordinal = ++last
      const headers = { "content-type": "application/json" }
      const { statusCode, body } = await pool.request({
        path: "/pub",
        method: "POST",
        headers,
        body: messageOf(ordinal),
      })
      await body.dump()
      if (statusCode !== 201 && statusCode !== 202) throw new Error(`nchan answered with ${statusCode}`)
      return ordinal
    },
    receivedMs: async () => new Map(),
    end: async () => {
      await pool.close()
      await readers.end()
      await nginx.stop()
    },
  }
}
