import { connect } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { isPremium } from "../../../schemas/contract/endpoint-kinds.ts"
import { endpoints } from "../../../schemas/registry.ts"
import { grantNew } from "../../support/ledger-command.ts"
import { removeDirectory, type Service, startService, temporaryDirectory } from "../../support/service.ts"
import { startWorld } from "../../world/server.ts"
import { worldAt } from "../../world/world.ts"
import { benchmark } from "../benchmark.ts"
import { HOSTILE_UPSTREAMS } from "../hostile-upstreams.ts"
import { childrenOf, forgetPeak, memoryOf } from "../process-memory.ts"

/** How long everything is used. Memory that a minute does not show, caches that fill and heaps that grow, shows in this time. */
const MINUTES = Number(process.env.MINUTES ?? 30)
const CALLERS = 8
/** Pause of a caller between two requests. */
const PAUSE_MS = 50
const SILENT_CLIENTS = 100
const CREDITS = 100_000_000
const MEGABYTE = 1_000_000
const SAMPLED_EVERY_MS = 500
const ANONYMOUS = "of it anonymous at its peak: heaps, buffers, stacks"

const PAGES = ["/", "/feeds", "/docs", "/docs/reference", "/status", "/changelog", "/developers/agent-payments"]
const FORMATS = ["", "csv", "geojson"]
const ENCODINGS = ["br", "gzip", "zstd", "identity"]

/** A request: any endpoint or page, in any format and coding; those on demand for a new place each time. */
const requestAt = (random: (name: string, at: number) => number, at: number, token: string) => {
  const pick = <A>(name: string, all: ReadonlyArray<A>): A => all[Math.floor(random(name, at) * all.length)] as A
  const headers: Record<string, string> = { "accept-encoding": pick("coding", ENCODINGS) }
  const kind = random("kind", at)
  if (kind < 0.15) return { path: pick("page", PAGES), headers }
  const endpoint = pick(
    "endpoint",
    endpoints.filter(({ method, kind: of }) => method === "GET" && of !== "command" && of !== "changes"),
  )
  const query = new URLSearchParams()
  for (const [name, { example }] of Object.entries(endpoint.parameters))
    if (random(name, at) < 0.7) query.set(name, example)
  if (endpoint.kind === "on-demand" && query.has("lat")) {
    query.set("lat", (random("lat", at) * 170 - 85).toFixed(2))
    query.set("lon", (random("lon", at) * 360 - 180).toFixed(2))
  }
  const format = pick("format", FORMATS)
  if (format !== "" && endpoint.tier === "free") query.set("format", format)
  if (isPremium(endpoint)) headers.authorization = `Bearer ${token}`
  return { path: `${endpoint.path}?${query}`, headers }
}

const called = (at: number) => {
  const tools = endpoints.filter(({ method, tier }) => method === "GET" && tier === "free").map(({ name }) => name)
  return { jsonrpc: "2.0", id: at, method: "tools/call", params: { name: tools[at % tools.length], arguments: {} } }
}

/** Connections that begin a request, and then say nothing. */
const silentClients = (service: Service) => {
  const { port } = new URL(service.url)
  const sockets = new Set(
    Array.from({ length: SILENT_CLIENTS }, () => {
      const socket = connect(Number(port), "127.0.0.1")
      socket.write(
        "POST /api/mcp HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9000\r\n\r\n{",
      )
      return socket.on("error", () => undefined)
    }),
  )
  return () => {
    for (const socket of sockets) socket.destroy()
  }
}

/** The sum of a gauge over its labels. */
const sumOf = (metrics: string, name: string): number =>
  [...metrics.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? ([\\d.e+]+)$`, "gmu"))].reduce(
    (sum, [, value]) => sum + Number(value),
    0,
  )

export default benchmark({
  name: "service-used",
  title: `memory of the service, all roles in one process, after ${MINUTES} minutes in which every endpoint, format, page and tool is used, and upstreams and clients are hostile`,
  // Pages of files are not counted: Node's own program (64 MB) and the pages of the log that were read last are the system's to
  // take back, and it does so before anything is short. What is anonymous stays until the process gives it back.
  budget: [{ label: ANONYMOUS, of: "value", atMost: 400 }],
  run: async () => {
    const directory = temporaryDirectory()
    const { random } = worldAt("used", 0)
    const world = await startWorld({ seed: "used" })
    const service = await startService({
      asInstalled: true,
      dataDirectory: directory,
      environment: {
        UPSTREAMS: world.url,
        POLL_SECONDS_MAX: "10",
        LOG_LEVEL: "error",
        REQUESTS_PER_DAY: "1000000000",
      },
    })
    let silence = (): void => undefined
    try {
      await service.filled()
      const { token } = await grantNew({ DATA_DIR: directory, ADMIN_PORT: new URL(service.adminUrl).port }, CREDITS)
      const pid = service.child.pid ?? 0
      forgetPeak(pid)
      silence = silentClients(service)
      world.setFaults(HOSTILE_UPSTREAMS)
      const endsMs = Date.now() + MINUTES * 60_000
      const statuses = new Map<number, number>()
      let anonymous = 0
      const watch = async (): Promise<void> => {
        for (; Date.now() < endsMs; await sleep(SAMPLED_EVERY_MS))
          anonymous = Math.max(anonymous, memoryOf(pid, "RssAnon"))
      }
      const use = async (caller: number): Promise<void> => {
        for (let turn = 0; Date.now() < endsMs; turn += 1) {
          const at = turn * CALLERS + caller
          const { path, headers } = requestAt(random, at, token)
          const response =
            turn % 5 === 0
              ? await fetch(`${service.url}/api/mcp/all`, {
                  method: "POST",
                  headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
                  body: JSON.stringify(called(at)),
                })
              : await fetch(`${service.url}${path}`, { headers })
          await response.arrayBuffer()
          statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
          await sleep(PAUSE_MS)
        }
      }
      await Promise.all([watch(), ...Array.from({ length: CALLERS }, (_, caller) => use(caller))])
      const metrics = await (await fetch(`${service.adminUrl}/metrics`)).text()
      const engines = childrenOf(pid)
      const megabytes = (label: string, bytes: number) => ({ label, value: bytes / MEGABYTE, unit: "MB" })
      return [
        { label: "replies", value: [...statuses.values()].reduce((sum, count) => sum + count, 0), unit: "" },
        {
          label: "replies of status 5xx",
          value: [...statuses].reduce((sum, [status, count]) => sum + (status >= 500 ? count : 0), 0),
          unit: "",
        },
        megabytes("memory at its peak", memoryOf(pid, "VmHWM")),
        megabytes(ANONYMOUS, anonymous),
        megabytes("pages of files at the end, which the system can reclaim", memoryOf(pid, "RssFile")),
        megabytes("heaps of JavaScript, all threads", sumOf(metrics, "nodejs_heap_size_total_bytes")),
        megabytes("buffers outside of them", sumOf(metrics, "nodejs_external_memory_bytes")),
        megabytes(
          "memory of the engine at its peak",
          engines.reduce((sum, one) => sum + memoryOf(one, "VmHWM"), 0),
        ),
      ]
    } finally {
      silence()
      await service.end("SIGKILL")
      await world.close()
      removeDirectory(directory)
    }
  },
})
