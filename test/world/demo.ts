import { spawn } from "node:child_process"
import { Result } from "effect"
import { loadSettings } from "../../infra/config/settings.ts"
import { startArguments } from "../support/service.ts"
import { startWorld } from "./server.ts"

/**
 * `npm run demo`: the whole service on the embedded engines, against the simulated world. No network, no key. Settings are
 * those of `npm start`, except that data is kept in ./data/demo and that WORLD_SEED chooses the world.
 */
const environment = { DATA_DIR: "./data/demo", LOG_LEVEL: "warn", ...process.env }
const loaded = loadSettings(environment)
if (Result.isFailure(loaded)) {
  process.stderr.write(`${loaded.failure.map(({ message }) => message).join("\n")}\n`)
  process.exit(2)
}
const settings = loaded.success
const world = await startWorld({
  seed: process.env.WORLD_SEED ?? "tidewire",
  port: Number(process.env.WORLD_PORT ?? 0),
})
const api = `http://${settings.host}:${settings.port}`
const admin = `http://${settings.adminHost}:${settings.adminPort}`

const service = spawn(process.execPath, startArguments, {
  cwd: new URL("../..", import.meta.url),
  env: { ...environment, DATA_DIR: settings.dataDirectory, UPSTREAMS: world.url },
  stdio: ["ignore", "inherit", "inherit"],
})

process.stdout.write(`Tidewire, the whole service against a simulated world (seed "${process.env.WORLD_SEED ?? "tidewire"}")

  API         ${api}/api            try: curl ${api}/api/briefing
  contract    ${api}/openapi.json
  metrics     ${admin}/metrics      ready: ${admin}/readyz
  ClickHouse  http://${settings.host}:${settings.clickhouseHttpPort}   as analyst: npm run sql -- "SELECT count() FROM events"
  the world   ${world.url}/_world/clock   faults: PUT ${world.url}/_world/faults '[{"host":"*","kind":"server-error"}]'
  data        ${settings.dataDirectory}

Ctrl-C ends it.
`)

/** The sum of a metric's samples in Prometheus text, or null when it is not there. */
const sumOf = (text: string, metric: string): number | null => {
  const values = [...text.matchAll(new RegExp(`^${metric}(?:\\{[^}]*\\})? (\\S+)$`, "gm"))].map(([, value]) =>
    Number(value),
  )
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0)
}

const fetchText = async (url: string): Promise<string> =>
  (await fetch(url, { signal: AbortSignal.timeout(2_000) })).text()

const requestsTotal = (): number => [...world.requests.values()].reduce((sum, count) => sum + count, 0)

/** One line of what the service does now. */
const liveLine = async (): Promise<string> => {
  const [metrics, ready, briefing] = await Promise.all([
    fetchText(`${admin}/metrics`),
    fetchText(`${admin}/readyz`),
    fetchText(`${api}/api/briefing`),
  ])
  const summary: unknown = JSON.parse(briefing).summary
  return [
    JSON.parse(ready).ready === true ? "ready" : "warming",
    `${requestsTotal()} upstream requests`,
    `${sumOf(metrics, "tidewire_processors_events_total") ?? 0} events folded`,
    `${sumOf(metrics, "tidewire_history_rows_inserted_total") ?? 0} rows`,
    typeof summary === "string" ? summary : "",
  ].join(" | ")
}

const LIVE_LINE_MS = 1_000
const LINE_CHARACTERS_MAX = 160

let printing = false
const ticker = setInterval(() => {
  if (printing) return
  printing = true
  liveLine()
    .catch(() => "starting")
    .then((line) => {
      const text = `${new Date().toISOString().slice(11, 19)} ${line}`.slice(
        0,
        process.stdout.columns ?? LINE_CHARACTERS_MAX,
      )
      process.stdout.write(process.stdout.isTTY ? `\r\u001b[2K${text}` : `${text}\n`)
      printing = false
    })
}, LIVE_LINE_MS)

// The terminal sends Ctrl-C to the whole group: the service gets its own, and this process waits for it.
let asked = false
const stop = (signal: NodeJS.Signals) => {
  if (asked) return
  asked = true
  clearInterval(ticker)
  process.stdout.write(process.stdout.isTTY ? "\nstopping\n" : "stopping\n")
  service.kill(signal)
}
process.on("SIGINT", () => stop("SIGTERM"))
process.on("SIGTERM", () => stop("SIGTERM"))
service.on("exit", (code) => {
  clearInterval(ticker)
  world.close().then(() => process.exit(asked ? 0 : (code ?? 1)))
})
