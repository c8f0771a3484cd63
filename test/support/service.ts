import { type ChildProcess, spawn } from "node:child_process"
import { randomInt } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import packageJson from "../../package.json" with { type: "json" }
import { worldKeys } from "../world/keys.ts"
import { eventually } from "./eventually.ts"
import { allEndpointsBut, preparedPaths, someFeed } from "./some-feed.ts"

/** Below the ephemeral ports, which the system assigns to port 0 and to outgoing connections. */
const PORTS = { from: 10_000, to: 32_000 }
const PORT_TRIES_MAX = 20

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once("error", () => resolve(false))
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)))
  })

/** Parallel test processes use different ports. */
const POOLS = 16
const POOL_PORTS = Math.floor((PORTS.to - PORTS.from) / POOLS)
const firstPort = PORTS.from + (Number(process.env.VITEST_POOL_ID ?? 0) % POOLS) * POOL_PORTS
const given = new Set<number>()

/** A free port of 127.0.0.1 that is neither ephemeral nor given twice by this process. */
export const freePort = async (): Promise<number> => {
  for (let tries = 0; tries < PORT_TRIES_MAX; tries += 1) {
    const port = randomInt(firstPort, firstPort + POOL_PORTS)
    if (given.has(port)) continue
    given.add(port)
    if (await isFree(port)) return port
  }
  throw new Error("no port is free")
}

/** Creates a folder for one test. */
export const temporaryDirectory = (): string => mkdtempSync(join(tmpdir(), "tidewire-test-"))

/** A started process of the service. */
export interface Service {
  readonly url: string
  readonly adminUrl: string
  readonly clickhouseUrl: string
  /** ClickHouse's HTTP interface with the analyst's name and password; queries are posted to it. */
  readonly analystUrl: string
  readonly child: ChildProcess
  /** The output of the process so far. */
  readonly output: () => string
  readonly get: (path: string, init?: RequestInit) => Promise<Response>
  /** The decoded body of a GET that must answer 200. */
  readonly json: (path: string) => Promise<Record<string, unknown>>
  readonly ready: (withinMs?: number) => Promise<void>
  /** Waits until it is ready and has data: until then replies are warming, and premium ones free of charge. */
  readonly filled: () => Promise<void>
  /** Sends the signal and waits for the end; gives the exit code, or the signal that ended it. */
  readonly end: (signal: NodeJS.Signals) => Promise<number | NodeJS.Signals | null>
}

/** The analyst's password of services that tests start. */
export const ANALYST_PASSWORD = "the-analyst-of-the-tests"

/** The endpoint with the verdicts over feeds. */
export const JUDGED = "/api/feed-reliability"

const OUTPUT_MAX_CHARACTERS = 1_000_000

/** The command of `npm start`. */
export const startArguments: ReadonlyArray<string> = packageJson.scripts.start.replace("exec node ", "").split(" ")

/** The same for speed: the settings of `npm start` save memory for a third more processor time. */
export const quickStartArguments = [
  "--min-semi-space-size=16",
  "--max-semi-space-size=32",
  ...startArguments.filter((one) => !one.startsWith("--") || one.startsWith("--disable-warning")),
]

/**
 * Starts the service on free ports, with this environment and none of the caller's: as `npm start` does, but for the settings
 * of V8 unless `asInstalled` is set.
 */
export const startService = async (options: {
  readonly dataDirectory: string
  readonly role?: string
  readonly asInstalled?: boolean
  /** The paths of the endpoints of data that it offers beside `JUDGED`, by default all: the feeds of others are not polled. */
  readonly offered?: ReadonlyArray<string>
  readonly environment?: Readonly<Record<string, string>>
  /** The keys of providers; by default those without which sources rest. */
  readonly keys?: Readonly<Record<string, string>>
}): Promise<Service> => {
  const [port, adminPort, httpPort, tcpPort] = await Promise.all([freePort(), freePort(), freePort(), freePort()])
  const { offered } = options
  const flags = options.asInstalled === true ? startArguments : quickStartArguments
  const child = spawn(process.execPath, [...flags, `--role=${options.role ?? "all"}`], {
    cwd: new URL("../..", import.meta.url),
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      DATA_DIR: options.dataDirectory,
      PORT: String(port),
      ADMIN_PORT: String(adminPort),
      CLICKHOUSE_HTTP_PORT: String(httpPort),
      CLICKHOUSE_TCP_PORT: String(tcpPort),
      CLICKHOUSE_ANALYST_PASSWORD: ANALYST_PASSWORD,
      ...(options.keys ?? worldKeys(false)),
      ...(offered === undefined ? {} : { ENDPOINTS_OFF: allEndpointsBut([JUDGED, ...offered]) }),
      ...options.environment,
    },
    stdio: ["ignore", "pipe", "pipe"],
  })
  let output = ""
  const collect = (chunk: Buffer) => {
    output = (output + chunk.toString("utf8")).slice(-OUTPUT_MAX_CHARACTERS)
  }
  child.stdout?.on("data", collect)
  child.stderr?.on("data", collect)
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) =>
    child.once("exit", (code, signal) => resolve(code ?? signal)),
  )

  const url = `http://127.0.0.1:${options.environment?.PORT ?? port}`
  const clickhouseUrl = `http://127.0.0.1:${options.environment?.CLICKHOUSE_HTTP_PORT ?? httpPort}`
  const adminUrl = `http://127.0.0.1:${options.environment?.ADMIN_PORT ?? adminPort}`
  const get: Service["get"] = (path, init) =>
    fetch(new URL(path, url), { signal: AbortSignal.timeout(30_000), ...init })
  const json: Service["json"] = async (path) => {
    const response = await get(path)
    const text = await response.text()
    if (response.status !== 200) throw new Error(`${path} answered ${response.status}: ${text}`)
    return JSON.parse(text)
  }
  const ready: Service["ready"] = async (withinMs) => {
    const isReady = eventually(
      `${options.role ?? "all"} is ready`,
      async () => {
        const response = await fetch(`${adminUrl}/readyz`, { signal: AbortSignal.timeout(10_000) })
        if (response.status !== 200) throw new Error(`${await response.text()}\n${output}`)
        return true
      },
      withinMs,
    )
    const fails = ended.then((code) => {
      throw new Error(`it has ended with ${code}: ${output}`)
    })
    await Promise.race([isReady, fails])
  }
  return {
    url,
    adminUrl,
    clickhouseUrl,
    analystUrl: `${clickhouseUrl}/?user=analyst&password=${ANALYST_PASSWORD}&database=tidewire`,
    child,
    output: () => output,
    get,
    json,
    ready,
    filled: async () => {
      await ready()
      // The first verdict follows the first poll of every feed; the other processor may be a step behind.
      const pathOf = (address: string) => address.split("?")[0]
      const isOffered = (path: string) => offered?.some((one) => pathOf(one) === pathOf(path)) ?? true
      for (const path of [JUDGED, ...preparedPaths.filter(isOffered)])
        await eventually(`${path} is filled`, async () => (await json(path)).data !== null)
    },
    end: (signal) => {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal)
      return ended
    },
  }
}

/** The body of `/readyz`. */
export interface ReadinessReply {
  readonly ready: boolean
  readonly reasons: ReadonlyArray<string>
  readonly degraded: ReadonlyArray<string>
  readonly warnings: ReadonlyArray<string>
  readonly parts: ReadonlyArray<{
    readonly role: string
    readonly part: string
    readonly state: string
    readonly reason: string | null
    readonly since: string
  }>
}

/** Reads `/readyz` of a process. Fails if status and body disagree. */
export const readiness = async (service: Pick<Service, "adminUrl">): Promise<ReadinessReply> => {
  const response = await fetch(`${service.adminUrl}/readyz`, { signal: AbortSignal.timeout(30_000) })
  const reply = (await response.json()) as ReadinessReply
  if ((response.status === 200) !== reply.ready)
    throw new Error(`readyz answered ${response.status}, and its body disagrees`)
  return reply
}

/** The time of the last fetch of some feed. Throws before the first one. */
export const asOf = async (service: Service): Promise<string> => {
  const { _meta } = (await service.json(someFeed.path)) as { readonly _meta: { readonly as_of: string | null } }
  if (_meta.as_of === null) throw new Error("nothing yet")
  return _meta.as_of
}

/** Removes a test's folder. */
export const removeDirectory = (directory: string): void =>
  // A process that was just killed may still write there.
  rmSync(directory, { recursive: true, force: true, maxRetries: 40, retryDelay: 250 })
