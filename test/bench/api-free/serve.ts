import { createWriteStream } from "node:fs"
import Fastify from "fastify"
import { AccessLog, Traffic } from "../../../api/http/traffic.ts"
import { buildApi } from "../../../api/server.ts"
import { ViewStore } from "../../../api/views/store.ts"
import { instant } from "../../../schemas/event.ts"
import { endpoints } from "../../../schemas/registry.ts"

// One server of the comparison, in its own process: `node serve.ts tidewire|bare`. Sends its port to its parent.

const PATH = "/api/earthquake"
const QUAKES = 150
const nowMs = Date.now
const startedAtMs = nowMs()

/** The reply of an ordinary day: the earthquakes of a day. */
const quakes = Array.from({ length: QUAKES }, (_, index) => ({
  magnitude: 2.5 + ((index * 7) % 30) / 10,
  location: `${(index * 13) % 150} km S of ${["Kodiak, Alaska", "Iquique, Chile", "Honshu, Japan"][index % 3]}`,
  time: instant(startedAtMs - index * 600_000),
  depth_km: ((index * 31) % 800) / 10,
}))

const tidewire = async () => {
  const store = new ViewStore({ endpoints, nowMs })
  const source = {
    name: "USGS.earthquakes",
    status: "live" as const,
    fetched_at: instant(startedAtMs),
    latency_ms: 120,
  }
  const staleAfter = instant(startedAtMs + 3_600_000)
  store.update(PATH, {
    body: { v: 2, changedAt: instant(startedAtMs), data: { count: QUAKES, earthquakes: quakes } },
    freshness: { v: 1, asOf: instant(startedAtMs), staleAfter, sources: [{ ...source, staleAfter }] },
  })
  await store.settled()
  const accessLog = new AccessLog((lines) => sink.write(lines))
  const app = await buildApi({
    endpoints,
    store,
    demand: null,
    billing: null,
    traffic: new Traffic(),
    version: "0.0.0",
    startedAtMs,
    nowMs,
    limits: { requestsPerDay: 1_000_000_000, serviceRequestsPerMinute: 1_000_000_000 },
    trustedProxies: ["192.0.2.0/24"],
    baseUrl: null,
    attribution: new Map(),
    logger: { error: () => undefined },
    accessLog,
  })
  return app
}

/** The minimal Fastify server that sends these bytes and headers. */
const bare = (headers: Record<string, string>, bytes: Buffer) => {
  const app = Fastify()
  app.get(PATH, (_, reply) => reply.headers(headers).send(bytes))
  return app
}

const sink = createWriteStream("/dev/null")

/** The headers of Tidewire, for the bare route, except those that Node adds. */
const recorded = async (api: Awaited<ReturnType<typeof tidewire>>) => {
  const reply = await api.inject({ url: PATH, headers: { "accept-encoding": "br" } })
  const { date: _, connection: __, ...headers } = reply.headers
  return { headers: headers as Record<string, string>, bytes: reply.rawPayload }
}

const api = await tidewire()
const reply = await recorded(api)
const app = process.argv[2] === "bare" ? bare(reply.headers, reply.bytes) : api
const address = await app.listen({ host: "127.0.0.1", port: 0 })
process.send?.({ address, headers: reply.headers, bytes: reply.bytes.toString("base64") })
// Answers each message with its processor time in microseconds.
process.on("message", () => {
  const { user, system } = process.cpuUsage()
  process.send?.({ cpuMicros: user + system })
})
process.on("disconnect", () => process.exit(0))
