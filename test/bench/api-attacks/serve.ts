import { createWriteStream } from "node:fs"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { AccessLog, Traffic } from "../../../api/http/traffic.ts"
import type { Billing } from "../../../api/routes/route.ts"
import { buildApi } from "../../../api/server.ts"
import { ViewStore } from "../../../api/views/store.ts"
import { openReceipts } from "../../../ledger/client.ts"
import { newReceiptKey, readReceiptKey, receiptKeysOf } from "../../../ledger/receipts/keys.ts"
import { instant } from "../../../schemas/event.ts"
import { endpoints } from "../../../schemas/registry.ts"
import type { Health } from "./target.ts"

// The attacked API in its own process, with its default limits. Answers each message with its figures since the message
// before.

const PATH = "/api/earthquake"
const WATCH_EVERY_MS = 20
const nowMs = Date.now
const startedAtMs = nowMs()

const store = new ViewStore({ endpoints, nowMs })
store.update(PATH, {
  body: { v: 2, changedAt: instant(startedAtMs), data: { count: 0, earthquakes: [] } },
  freshness: { v: 1, asOf: instant(startedAtMs), staleAfter: instant(startedAtMs + 3_600_000), sources: [] },
})
await store.settled()

const signing = readReceiptKey(newReceiptKey())
const keys = signing === null ? null : receiptKeysOf([signing])
if (keys === null) throw new Error("a new key cannot be read")
const receipts = await openReceipts(keys)
// Only receipts are requested.
const billing = { receipts, buying: { facts: null } } as unknown as Billing

const sink = createWriteStream("/dev/null")
const app = await buildApi({
  endpoints,
  store,
  demand: null,
  billing,
  traffic: new Traffic(),
  version: "0.0.0",
  startedAtMs,
  nowMs,
  trustedProxies: [],
  baseUrl: null,
  attribution: new Map(),
  logger: { error: () => undefined },
  accessLog: new AccessLog((lines) => sink.write(lines)),
})
const address = await app.listen({ host: "127.0.0.1", port: 0 })
const { jws } = await receipts.sign({
  endpoint: "/api/pro/briefing",
  requestHash: "00".repeat(32),
  responseHash: "00".repeat(32),
  credits: 1,
  reason: null,
  atMs: startedAtMs,
  entry: null,
})

const delay = monitorEventLoopDelay({ resolution: 1 })
delay.enable()
let memoryPeakBytes = 0
setInterval(() => {
  memoryPeakBytes = Math.max(memoryPeakBytes, process.memoryUsage.rss())
}, WATCH_EVERY_MS).unref()

process.on("message", () => {
  const { user, system } = process.cpuUsage()
  const health: Health = {
    delayP99Ms: delay.percentile(99) / 1e6,
    delayMaxMs: delay.max / 1e6,
    memoryPeakBytes,
    cpuMs: (user + system) / 1e3,
  }
  delay.reset()
  memoryPeakBytes = process.memoryUsage.rss()
  process.send?.(health)
})
process.on("disconnect", () => process.exit(0))
process.send?.({ address, path: PATH, jws })
