import { type ChildProcess, execFile, fork, spawn, spawnSync } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { freePort } from "../../support/service.ts"
import { benchmark, interleaved, median } from "../benchmark.ts"

const ROUNDS = 9
const SECONDS = 2
const CONNECTIONS = 64
const PATH = "/api/earthquake"

const TIDEWIRE = "Tidewire, all features on"
const BARE = "bare Fastify route, same bytes and headers"
const NGINX = "nginx, same bytes and headers"

interface Served {
  readonly address: string
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: string
}

const serve = (which: "tidewire" | "bare"): Promise<{ readonly child: ChildProcess; readonly served: Served }> =>
  new Promise((resolve, reject) => {
    const child = fork(new URL("../api-free/serve.ts", import.meta.url), [which])
    child.once("message", (served) => resolve({ child, served: served as Served }))
    child.once("exit", (code) => reject(new Error(`the ${which} server ended with ${code}`)))
  })

const run = promisify(execFile)
const autocannon = new URL("../../../node_modules/autocannon/autocannon.js", import.meta.url).pathname

/** Requests a second, sent by a separate process. Any status but 200 fails the run. */
const rate = async (address: string): Promise<{ readonly perSecond: number; readonly total: number }> => {
  const { stdout } = await run(process.execPath, [
    autocannon,
    ...["-j", "-n", "-c", String(CONNECTIONS), "-d", String(SECONDS)],
    ...["-H", "accept-encoding=br", "-H", "user-agent=bench/1"],
    `${address}${PATH}`,
  ])
  const { requests, non2xx, errors } = JSON.parse(stdout)
  if (non2xx > 0 || errors > 0) throw new Error(`${non2xx} answers were not 200, ${errors} connections failed`)
  return { perSecond: requests.average, total: requests.total }
}

const cpuMicros = (child: ChildProcess): Promise<number> =>
  new Promise((resolve) => {
    child.once("message", (message: { readonly cpuMicros: number }) => resolve(message.cpuMicros))
    child.send("cpu")
  })

/** Headers that nginx adds, or takes from the file. */
const OF_NGINX = new Set(["content-length", "content-type", "etag", "last-modified"])

/** nginx with one worker, serving the same bytes as a file; null where it is not installed. */
const serveByNginx = async ({ headers, bytes }: Served) => {
  if (spawnSync("nginx", ["-v"]).status !== 0) return null
  const directory = await mkdtemp(join(tmpdir(), "tidewire-nginx-"))
  const port = await freePort()
  const added = Object.entries(headers).filter(([name]) => !OF_NGINX.has(name))
  await writeFile(join(directory, "reply"), Buffer.from(bytes, "base64"))
  await writeFile(
    join(directory, "nginx.conf"),
    `worker_processes 1; daemon off; error_log stderr crit; pid ${directory}/pid;
events { worker_connections 1024; }
http { access_log off; keepalive_requests 100000000; client_body_temp_path ${directory}; proxy_temp_path ${directory};
fastcgi_temp_path ${directory}; uwsgi_temp_path ${directory}; scgi_temp_path ${directory};
server { listen 127.0.0.1:${port};
location = ${PATH} { alias ${directory}/reply; default_type "application/json; charset=utf-8";
${added.map(([name, value]) => `add_header ${name} '${value.replaceAll("'", "\\'")}';`).join("\n")} } } }\n`,
  )
  const child = spawn("nginx", ["-p", directory, "-c", join(directory, "nginx.conf")], { stdio: "inherit" })
  return {
    address: `http://127.0.0.1:${port}`,
    stop: async () => {
      child.kill("SIGTERM")
      await new Promise((resolve) => child.once("exit", resolve))
      await rm(directory, { recursive: true })
    },
  }
}

export default benchmark({
  name: "api-free",
  title: `a free reply, ${CONNECTIONS} connections, brotli`,
  budget: [{ label: TIDEWIRE, of: "ratio", atLeast: 0.9 }],
  run: async () => {
    const [tidewire, bare] = await Promise.all([serve("tidewire"), serve("bare")])
    const nginx = await serveByNginx(tidewire.served)
    try {
      // Processor time is reported too: unlike the rate, it hardly depends on the load of the machine.
      const cpu = new Map<string, Array<number>>([TIDEWIRE, BARE].map((label) => [label, []]))
      const measured =
        (label: string, { child, served }: Awaited<ReturnType<typeof serve>>) =>
        async () => {
          const before = await cpuMicros(child)
          const { perSecond, total } = await rate(served.address)
          cpu.get(label)?.push(((await cpuMicros(child)) - before) / total)
          return perSecond
        }
      const contenders: Readonly<Record<string, () => Promise<number>>> = {
        [TIDEWIRE]: measured(TIDEWIRE, tidewire),
        [BARE]: measured(BARE, bare),
        ...(nginx === null ? {} : { [NGINX]: async () => (await rate(nginx.address)).perSecond }),
      }
      // A warm-up round of all contenders.
      for (const contender of Object.values(contenders)) await contender()
      for (const figures of cpu.values()) figures.length = 0
      const figures = await interleaved(ROUNDS, contenders)
      return [
        ...Object.entries(figures).map(([label, value]) => ({
          label,
          value,
          unit: "requests/s",
          ...(label === BARE ? {} : { ratioTo: BARE }),
        })),
        ...[...cpu].map(([label, values]) => ({
          label: `processor time: ${label}`,
          value: median(values),
          unit: "us/request",
          ...(label === BARE ? {} : { ratioTo: `processor time: ${BARE}` }),
        })),
      ]
    } finally {
      await nginx?.stop()
      for (const { child } of [tidewire, bare]) {
        child.removeAllListeners("exit")
        child.disconnect()
      }
    }
  },
})
