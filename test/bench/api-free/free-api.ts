import { createWriteStream } from "node:fs"
import { AccessLog, Traffic } from "../../../api/http/traffic.ts"
import type { ApiOptions } from "../../../api/routes/route.ts"
import { buildApi } from "../../../api/server.ts"
import { ViewStore } from "../../../api/views/store.ts"
import { instant } from "../../../schemas/event.ts"
import { endpoints } from "../../../schemas/registry.ts"

/** The path of the free reply. */
export const FREE_PATH = "/api/earthquake"
const QUAKES = 150
const UNLIMITED = 1_000_000_000
const nowMs = Date.now

/** The reply of an ordinary day: the earthquakes of a day. */
const quakesUntil = (endMs: number) =>
  Array.from({ length: QUAKES }, (_, index) => ({
    magnitude: 2.5 + ((index * 7) % 30) / 10,
    location: `${(index * 13) % 150} km S of ${["Kodiak, Alaska", "Iquique, Chile", "Honshu, Japan"][index % 3]}`,
    time: instant(endMs - index * 600_000),
    depth_km: ((index * 31) % 800) / 10,
  }))

/** The API with every feature on, whose free reply has data. */
export const openFreeApi = async ({ limits, ...options }: Partial<ApiOptions> = {}) => {
  const startedAtMs = nowMs()
  const store = new ViewStore({ endpoints, nowMs })
  const source = {
    name: "USGS.earthquakes",
    status: "live" as const,
    fetched_at: instant(startedAtMs),
    latency_ms: 120,
  }
  const staleAfter = instant(startedAtMs + 3_600_000)
  store.update(FREE_PATH, {
    body: { v: 2, changedAt: instant(startedAtMs), data: { count: QUAKES, earthquakes: quakesUntil(startedAtMs) } },
    freshness: { v: 1, asOf: instant(startedAtMs), staleAfter, sources: [{ ...source, staleAfter }] },
  })
  await store.settled()
  const sink = createWriteStream("/dev/null")
  return buildApi({
    endpoints,
    store,
    demand: null,
    billing: null,
    traffic: new Traffic(),
    version: "0.0.0",
    startedAtMs,
    nowMs,
    limits: { requestsPerDay: UNLIMITED, serviceRequestsPerMinute: UNLIMITED, ...limits },
    trustedProxies: ["192.0.2.0/24"],
    baseUrl: null,
    attribution: new Map(),
    logger: { error: () => undefined },
    accessLog: new AccessLog((lines) => sink.write(lines)),
    ...options,
  })
}
