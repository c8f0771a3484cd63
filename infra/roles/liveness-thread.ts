import { createServer } from "node:http"
import { parentPort, workerData } from "node:worker_threads"
import type { LivenessData, LivenessMessage } from "./admin.ts"

// The entry point of the thread. It imports nothing but Node, so that it takes little memory and starts at once.

const TIMEOUT_MS = 5_000
const CONNECTIONS_MAX = 64

const { host, port, beats, silentMsMax }: LivenessData = workerData
const send = (message: LivenessMessage) => parentPort?.postMessage(message)

const server = createServer(
  { headersTimeout: TIMEOUT_MS, requestTimeout: TIMEOUT_MS, keepAliveTimeout: TIMEOUT_MS },
  (request, response) => {
    response.setHeader("cache-control", "no-store")
    response.setHeader("content-type", "application/json; charset=utf-8")
    const isKnown = request.url === "/livez" && (request.method === "GET" || request.method === "HEAD")
    if (!isKnown) {
      response.writeHead(404).end('{"error":"not_found"}')
      return
    }
    const silentMs = Math.max(0, Number(process.hrtime.bigint() - Atomics.load(beats, 0)) / 1_000_000)
    const live = silentMs <= silentMsMax
    response.writeHead(live ? 200 : 503).end(JSON.stringify({ live, silent_ms: Math.round(silentMs) }))
  },
)
server.maxConnections = CONNECTIONS_MAX
server.on("error", (cause) =>
  send({ type: "failed", code: "code" in cause ? String(cause.code) : "", problem: cause.message }),
)
server.listen({ host, port }, () => send({ type: "listening" }))
