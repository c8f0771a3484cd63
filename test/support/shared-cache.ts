import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { eventually } from "./eventually.ts"
import { freePort } from "./service.ts"

/** A shared cache, as operators put it in front of the API. */
export interface SharedCache {
  readonly url: string
  readonly stop: () => Promise<void>
}

const isInstalled = (command: string, flag: string): boolean => spawnSync(command, [flag]).status === 0

const run = async (
  command: string,
  parametersFor: (directory: string, port: number) => Promise<ReadonlyArray<string>>,
): Promise<SharedCache> => {
  const directory = await mkdtemp(join(tmpdir(), "tidewire-cache-"))
  // Started by root, they drop its rights, and must still be able to enter their folder and read what they write there.
  await chmod(directory, 0o755)
  const port = await freePort()
  const words = ["-c", 'umask 022 && exec "$@"', "sh", command, ...(await parametersFor(directory, port))]
  const child = spawn("sh", words, { stdio: "ignore" })
  const ended = once(child, "exit")
  const url = `http://127.0.0.1:${port}`
  const stop = async () => {
    child.kill("SIGTERM")
    await ended
    await rm(directory, { recursive: true, force: true })
  }
  try {
    await eventually(`${command} answers`, () => fetch(`${url}/api/health`).then(({ status }) => status === 200))
  } catch (cause) {
    await stop()
    throw cause
  }
  return { url, stop }
}

/** nginx with its cache; null if it is not installed. */
export const startNginx = isInstalled("nginx", "-v")
  ? (origin: string): Promise<SharedCache> =>
      run("nginx", async (directory, port) => {
        const file = join(directory, "nginx.conf")
        await writeFile(
          file,
          `worker_processes 1; daemon off; error_log stderr crit; pid ${directory}/pid;
events { worker_connections 128; }
http { access_log off; client_body_temp_path ${directory}/body; proxy_temp_path ${directory}/proxy;
fastcgi_temp_path ${directory}/fastcgi; uwsgi_temp_path ${directory}/uwsgi; scgi_temp_path ${directory}/scgi;
proxy_cache_path ${directory}/kept keys_zone=kept:1m;
server { listen 127.0.0.1:${port}; location / { proxy_pass ${origin}; proxy_http_version 1.1; proxy_cache kept;
proxy_cache_key $request_uri; } } }\n`,
        )
        return ["-p", directory, "-c", file]
      })
  : null

/** Varnish with its default rules; null if it is not installed. */
export const startVarnish = isInstalled("varnishd", "-V")
  ? (origin: string): Promise<SharedCache> =>
      run("varnishd", async (directory, port) => [
        ...["-F", "-n", directory, "-a", `127.0.0.1:${port}`],
        ...["-b", new URL(origin).host, "-s", "malloc,16m"],
      ])
  : null
