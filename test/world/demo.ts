import { spawn, spawnSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { existsSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { readArguments, WRONG_USAGE } from "../../infra/commands/arguments.ts"
import { localUrl } from "../../infra/config/address.ts"
import { settingTable } from "../../infra/config/setting-table.ts"
import { ANALYST, DATABASE } from "../../infra/history/users.ts"
import { lmdbPath, openLog } from "../../infra/log/open.ts"
import { offeringOf, sourcesFor } from "../../infra/roles/offering.ts"
import { analystPassword } from "../../infra/roles/start-history.ts"
import { holdDirectory } from "../../infra/system/data-directory.ts"
import { restore } from "../../ingestors/poll/ingest-log.ts"
import { sources } from "../../ingestors/registry.ts"
import type { EventLog } from "../../schemas/ports/event-log.ts"
import { DIGEST_PATH, startSister } from "../sister/sister.ts"
import { COMMANDS } from "../support/command.ts"
import { freePort, quickStartArguments } from "../support/service.ts"
import { anvilProgram } from "./chain/anvil.ts"
import { startKeptChain } from "./chain/kept.ts"
import { type Begin, CLOCK_VARIABLE } from "./clock/messages.ts"
import { clockOfService } from "./clock/service-clock.ts"
import { makeWorldClock } from "./clock/world-clock.ts"
import { purchaseSteps, purchaseText } from "./demo-purchase.ts"
import { demoHelp, problemAtStart, readDemoSettings } from "./demo-settings.ts"
import { forwardPorts } from "./forwarded-ports.ts"
import { worldKeys } from "./keys.ts"
import { writePast } from "./past.ts"
import { startWorld } from "./server.ts"

/**
 * `npm run demo`: the whole service on the embedded engines, against the simulated world and a local chain. No network, no
 * key. The chain is kept beside the ledger that remembers its payments.
 */
const refuse = (problems: ReadonlyArray<string>, code: number): never => {
  process.stderr.write(`${problems.join("\n")}\n`)
  process.exit(code)
}

const { values } = readArguments(demoHelp, { time: { type: "string" } })

const environment: Readonly<Record<string, string | undefined>> = {
  ...worldKeys(false),
  ...process.env,
  DATA_DIR: process.env.DATA_DIR || "./data/demo",
  LOG_LEVEL: process.env.LOG_LEVEL || "warn",
  INTERNAL_PORT: process.env.INTERNAL_PORT || String(await freePort()),
  SISTER_SECRET: process.env.SISTER_SECRET || randomBytes(32).toString("hex"),
  WORLD_TIME: values.time ?? process.env.WORLD_TIME,
}
const read = readDemoSettings(environment)
const demo = Result.isSuccess(read) ? read.success : refuse(read.failure, WRONG_USAGE)
const { settings, seed } = demo
const problem = await problemAtStart(demo)
if (problem !== null) refuse([problem], 1)

/** Refuses, where a part of the demo does not start. */
const orRefuse =
  (what: string) =>
  (cause: unknown): never =>
    refuse([`${what}${cause instanceof Error ? cause.message : String(cause)}`], 1)

// A data folder that is new begins with what a backup holds, where one is named.
if (demo.backup !== null && !existsSync(lmdbPath(settings))) {
  const words = ["--disable-warning=TimeoutNegativeWarning", COMMANDS, "restore", demo.backup]
  const restored = spawnSync(process.execPath, words, {
    cwd: new URL("../..", import.meta.url),
    env: { ...environment, DATA_DIR: settings.dataDirectory },
    encoding: "utf8",
  })
  if (restored.status !== 0) refuse([`WORLD_BACKUP: ${restored.stderr.trim()}`], 1)
}

/** Uses the log of the data folder, before the service has it. */
const withLog = <A>(use: (log: EventLog) => Effect.Effect<A, { readonly message: string }>): Promise<A> =>
  Effect.runPromise(
    Effect.scoped(holdDirectory(settings.dataDirectory).pipe(Effect.andThen(openLog(settings)), Effect.flatMap(use))),
  ).catch(orRefuse(""))

// Time never goes back in a log: a demo that was moved on goes on from there.
const hasLog = settings.kafkaBrokers !== null || existsSync(lmdbPath(settings))
const saidUntilMs = hasLog && settings.kafkaBrokers === null ? (await withLog(restore)).lastTimeMs : 0
if (values.time !== undefined && demo.frozenAtMs !== null && saidUntilMs > demo.frozenAtMs)
  refuse(
    [
      `--time: the log holds what was said until ${new Date(saidUntilMs).toISOString()}, and time never goes back in it: begin then or later, or choose another DATA_DIR`,
    ],
    1,
  )
const clock = makeWorldClock(demo.frozenAtMs, saidUntilMs)

const BLOCK_SECONDS = 1
const program = anvilProgram()
const [world, kept] = await Promise.all([
  startWorld({ seed, port: demo.worldPort, hasOutages: demo.hasOutages, clock }).catch(
    orRefuse("the simulated world does not start: "),
  ),
  "problem" in program
    ? null
    : startKeptChain({
        file: join(settings.dataDirectory, "chain.state"),
        everySeconds: BLOCK_SECONDS,
        port: demo.chainPort,
        clock: clock.isMachines() ? null : { atMs: clock.nowMs(), stands: clock.state().frozen },
      }).catch(orRefuse("")),
])
world.setFaults(demo.faults)

const keepsHistory = settings.history === "on"
const analystSecret = await Effect.runPromise(
  settings.clickhouseUrl === null && keepsHistory
    ? analystPassword(settings)
    : Effect.succeed(settings.clickhouseAnalystPassword ?? ""),
).catch(orRefuse(""))

const sister = await startSister({
  railUrl: localUrl(settings.internalHost, settings.internalPort ?? 0),
  secret: settings.sisterSecret?.[0] ?? "",
  port: demo.sisterPort,
}).catch(orRefuse("the sister service does not start: "))

const forwarded =
  demo.outsideHost === null
    ? null
    : await forwardPorts(
        demo.outsideHost,
        [world.url, sister.url, ...(kept === null ? [] : [kept.chain.rpcUrl])]
          .map((url) => Number(new URL(url).port))
          .concat(keepsHistory && settings.clickhouseUrl === null ? [settings.clickhouseHttpPort] : []),
      ).catch(orRefuse("WORLD_HOST: "))

/** The command of `npm start`, in half its processor time, with the entry point whose clock is that of the world. */
const serviceArguments = quickStartArguments.map((one) =>
  one === "infra/main.js" ? "test/world/clock/service.js" : one,
)
const api = localUrl(settings.host, settings.port)
const admin = localUrl(settings.adminHost, settings.adminPort)

const service = spawn(process.execPath, serviceArguments, {
  cwd: new URL("../..", import.meta.url),
  env: {
    ...environment,
    DATA_DIR: settings.dataDirectory,
    UPSTREAMS: world.url,
    [CLOCK_VARIABLE]: JSON.stringify(clock.state()),
    ENDPOINTS_OFF: demo.endpointsOff,
    // Simulated data has no terms of use.
    RESTRICTED_SOURCES: process.env.RESTRICTED_SOURCES || "all,fred",
    RESALE_SOURCES: process.env.RESALE_SOURCES || "all",
    ...(kept === null ? {} : { WALLET_ADDRESS: kept.chain.wallet, BASE_RPC_URLS: kept.chain.rpcUrl }),
  },
  stdio: ["ignore", "inherit", "inherit", "ipc"],
})
// Before the service reports that it listens, a reply on its ports comes from another process.
let listening = false
service.on("message", ({ type }: { readonly type: string }) => {
  if (type === "started") listening = true
})
clock.follow({
  service: clockOfService(service),
  chain: async (state, nowMs) => kept?.chain.setClock(nowMs, state.frozen),
})

// The service gets no signal when this process is killed. A shell, whose input ends with this process, then kills it, so that
// the demo can be started again at once. The shell has its own process group, which Ctrl-C does not reach.
const guard = spawn("/bin/sh", ["-c", 'cat >/dev/null; kill -9 "$1"', "sh", String(service.pid)], {
  detached: true,
  stdio: ["pipe", "ignore", "ignore"],
})

const clickhouse = new URL(settings.clickhouseUrl ?? localUrl("127.0.0.1", settings.clickhouseHttpPort))
clickhouse.username = ANALYST
clickhouse.password = analystSecret
clickhouse.searchParams.set("database", DATABASE)
const DEFAULT_HTTP_PORT = Number(settingTable.clickhouseHttpPort.default)
const sqlCommand = [
  ...(settings.clickhouseHttpPort === DEFAULT_HTTP_PORT ? [] : [`CLICKHOUSE_HTTP_PORT=${settings.clickhouseHttpPort}`]),
  `DATA_DIR='${settings.dataDirectory}'`,
  "npm run sql",
].join(" ")

const sqlText = `${sqlCommand} -- "SELECT count() FROM events"
              or: curl '${clickhouse}' --data 'SELECT count() FROM events'`

process.stdout.write(`${api}/

Tidewire, the whole service against a simulated world (seed "${seed}"): the address above shows it in a browser

  API         ${api}/api            try: curl ${api}/api/briefing
  contract    ${api}/openapi.json
  metrics     ${admin}/metrics      ready: ${admin}/readyz
  ClickHouse  ${keepsHistory ? sqlText : "none, as HISTORY=off: what reads the past answers not_configured"}
  the world   ${world.url}/_world/clock   ${demo.frozenAtMs === null ? "" : `frozen at ${new Date(clock.nowMs()).toISOString()}   `}faults: PUT ${world.url}/_world/faults '[{"host":"*","kind":"server-error"}]'
  the chain   ${kept === null ? `none: ${"problem" in program ? program.problem : ""}` : `${kept.chain.rpcUrl}   id 8453, a block a second, dollars of no worth at the address of USDC`}
  a sister    ${sister.url}${DIGEST_PATH}?text=hello   another data service, which takes the same tokens
  data        ${settings.dataDirectory}
${kept === null ? "" : `\nBuy credits from another shell in this folder, by pasting these one by one:\n\n${purchaseText(purchaseSteps({ api, sister: `${sister.url}${DIGEST_PATH}`, rpcUrl: kept.chain.rpcUrl, dataDirectory: settings.dataDirectory }))}`}
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

/** One line of the service's current state. */
const liveLine = async (): Promise<string> => {
  if (!listening) return "starting"
  // Read from the admin port and the chain, so that it does not count against the free requests.
  const [metrics, ready, block] = await Promise.all([
    fetchText(`${admin}/metrics`),
    fetchText(`${admin}/readyz`),
    kept?.chain.client.getBlockNumber({ cacheTime: 0 }),
  ])
  return [
    JSON.parse(ready).ready === true ? "ready" : "warming",
    `${requestsTotal()} upstream requests`,
    `${sumOf(metrics, "tidewire_processors_events_total") ?? 0} events folded`,
    ...(keepsHistory ? [`${sumOf(metrics, "tidewire_history_rows_inserted_total") ?? 0} rows`] : []),
    ...(block === undefined ? [] : [`block ${block}`]),
    `${sumOf(metrics, "tidewire_api_requests_total") ?? 0} requests answered`,
  ].join(" | ")
}

const LIVE_LINE_MS = 1_000
const LINE_MAX_CHARACTERS = 160

let printing = false
let ended = false
const ticker = setInterval(() => {
  if (printing) return
  printing = true
  liveLine()
    .catch(() => "starting")
    .then((line) => {
      if (ended) return
      const text = `${new Date(clock.nowMs()).toISOString().slice(11, 19)} ${line}`.slice(
        0,
        process.stdout.columns ?? LINE_MAX_CHARACTERS,
      )
      process.stdout.write(process.stdout.isTTY ? `\r\u001b[2K${text}` : `${text}\n`)
      printing = false
    })
}, LIVE_LINE_MS)

// The terminal sends Ctrl-C to the whole group: the service gets its own, and this process waits for it.
let interrupted = false
const stop = (signal: NodeJS.Signals) => {
  if (interrupted) return
  interrupted = true
  clearInterval(ticker)
  process.stdout.write(process.stdout.isTTY ? "\nstopping\n" : "stopping\n")
  service.kill(signal)
}
process.on("SIGINT", () => stop("SIGTERM"))
process.on("SIGTERM", () => stop("SIGTERM"))
// The reader of the output may close it early, as `head` does.
process.stdout.on("error", () => stop("SIGTERM"))
service.on("exit", (code) => {
  ended = true
  clearInterval(ticker)
  guard.kill()
  // The chain ends after the service, which reads it.
  Promise.all([world.close(), kept?.stop(), sister.close(), forwarded?.close()]).then(() =>
    process.exit(interrupted ? 0 : (code ?? 1)),
  )
})

// A world that begins now would have nothing to plot, and no past to ask for: it is written while the service loads its code.
if (demo.hasPast && !hasLog)
  await withLog((log) =>
    writePast(log, {
      seed,
      sources: sourcesFor(offeringOf(settings), sources),
      keys: (setting) => environment[setting] ?? null,
      nowMs: clock.nowMs(),
    }),
  )
service.send({ type: "begin" } satisfies Begin)
