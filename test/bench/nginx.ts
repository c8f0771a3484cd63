import { spawn, spawnSync } from "node:child_process"
import { mkdtempSync, writeFileSync } from "node:fs"
import { rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { eventually } from "../support/eventually.ts"
import { freePort } from "../support/service.ts"

/** A running nginx with one worker. */
export interface Nginx {
  readonly port: number
  /** The process that is started; the worker is its child. */
  readonly pid: number
  readonly stop: () => Promise<void>
}

/** What nginx serves. */
interface NginxOptions {
  /** Files of modules. */
  readonly modules?: ReadonlyArray<string>
  readonly connectionsMax?: number
  /** Directives of `http`, and the locations of its one server. `directory` is the server's own. */
  readonly http?: string
  readonly locations: (directory: string) => string
}

/** Starts nginx; null where it is not installed. */
export const startNginx = async ({
  modules = [],
  connectionsMax = 1_024,
  http = "",
  locations,
}: NginxOptions): Promise<Nginx | null> => {
  if (spawnSync("nginx", ["-v"]).status !== 0) return null
  const directory = mkdtempSync(join(tmpdir(), "tidewire-nginx-"))
  const port = await freePort()
  writeFileSync(
    join(directory, "nginx.conf"),
    `${modules.map((file) => `load_module ${file};`).join("\n")}
${process.getuid?.() === 0 ? "user root;" : ""}
worker_processes 1; worker_rlimit_nofile ${connectionsMax + 256}; daemon off; error_log stderr crit; pid ${directory}/pid;
events { worker_connections ${connectionsMax}; }
http { access_log off; keepalive_requests 100000000; client_body_temp_path ${directory}; proxy_temp_path ${directory};
fastcgi_temp_path ${directory}; uwsgi_temp_path ${directory}; scgi_temp_path ${directory}; ${http}
server { listen 127.0.0.1:${port};
${locations(directory)} } }\n`,
  )
  const child = spawn("nginx", ["-c", join(directory, "nginx.conf")], { stdio: ["ignore", "ignore", "inherit"] })
  let hasEnded = false
  const ended = new Promise<void>((resolve) =>
    child.once("exit", () => {
      hasEnded = true
      resolve()
    }),
  )
  const stop = async () => {
    child.kill()
    await ended
    await rm(directory, { recursive: true })
  }
  try {
    await eventually("nginx answers", async () => {
      if (hasEnded) throw new Error("nginx has ended")
      const { status } = await fetch(`http://127.0.0.1:${port}/`)
      return status > 0
    })
  } catch (cause) {
    await stop()
    throw cause
  }
  return { port, pid: child.pid ?? 0, stop }
}
