import { spawn } from "node:child_process"
import { mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { freePort, quickStartArguments, removeDirectory, startService, temporaryDirectory } from "../support/service.ts"

// A mistyped setting: one sentence that names it, an exit code, and nothing started.

const home = temporaryDirectory()
const data = join(home, "data")
const file = join(home, "file")
const stranger = createServer()
let taken = 0

beforeAll(async () => {
  writeFileSync(file, "")
  await new Promise<void>((resolve) => stranger.listen(0, "127.0.0.1", resolve))
  const address = stranger.address()
  taken = typeof address === "object" && address !== null ? address.port : 0
})
afterAll(() => {
  stranger.close()
  removeDirectory(home)
})

const start = async (environment: Readonly<Record<string, string>>) => {
  const [port, adminPort, httpPort, tcpPort] = await Promise.all([freePort(), freePort(), freePort(), freePort()])
  const child = spawn(process.execPath, quickStartArguments, {
    cwd: fileURLToPath(new URL("../..", import.meta.url)),
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      DATA_DIR: data,
      PORT: String(port),
      ADMIN_PORT: String(adminPort),
      CLICKHOUSE_HTTP_PORT: String(httpPort),
      CLICKHOUSE_TCP_PORT: String(tcpPort),
      UPSTREAMS: "http://127.0.0.1:9",
      ...environment,
    },
    stdio: ["ignore", "pipe", "pipe"],
  })
  let output = ""
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => {
      output += chunk.toString("utf8")
    })
  // `close` follows the end of every process that can write: the process itself and its children.
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve))
  return { code, output }
}
const inUse = (variable: string) =>
  `${variable}: 127.0.0.1:${taken} is in use by another process; end that one, or set ${variable} to a free port\n`

describe("a start is refused in one sentence", () => {
  it.each(["PORT", "ADMIN_PORT", "CLICKHOUSE_HTTP_PORT", "CLICKHOUSE_TCP_PORT"])(
    "where %s is taken",
    async (variable) => {
      expect(await start({ [variable]: String(taken) })).toEqual({ code: 1, output: inUse(variable) })
      expect(readdirSync(data)).toEqual(["lock"])
    },
  )

  it("for each wrong value, at once", async () => {
    expect(await start({ PORT: "abc", KAFKA_BROKERS: ",", LOG_LEVEL: "loud" })).toEqual({
      code: 2,
      output: `PORT: must be a whole number from 1 to 65535
KAFKA_BROKERS: must name at least one
LOG_LEVEL: must be one of trace, debug, info, warn, error
See npm start -- --help
`,
    })
  })

  it("for each name of an endpoint that is to be off and does not exist, with the nearest one", async () => {
    expect(await start({ ENDPOINTS_OFF: "/api/stock, /api/briefing, /openapi.json" })).toEqual({
      code: 2,
      output: `ENDPOINTS_OFF: there is no endpoint /api/stock; the nearest is /api/stocks
ENDPOINTS_OFF: /openapi.json belongs to the service itself, which always serves it: only endpoints of data can be off
See npm start -- --help
`,
    })
  })

  it("with a history that is kept for less than the service needs, or of what is not there", async () => {
    expect(await start({ KEEP_HISTORY: "90,quakes=40,view_versions=30" })).toEqual({
      code: 2,
      output: `KEEP_HISTORY: there is no table and no feed quakes; the nearest is fires
KEEP_HISTORY: feed_probes needs 366 days at least: /api/pro/feed-reliability/history reads a year; name it beside the number (feed_probes=366)
See npm start -- --help
`,
    })
  })

  it("for each name of a source that does not exist, with the nearest one", async () => {
    expect(await start({ SOURCES_OFF: "okx,krakn", RESTRICTED_SOURCES: "all,fredd" })).toEqual({
      code: 2,
      output: `RESTRICTED_SOURCES: there is no source fredd; the nearest is fred
SOURCES_OFF: there is no source krakn; the nearest is kraken
See npm start -- --help
`,
    })
  })

  const ofChain = "WALLET_ADDRESS, BASE_RPC_URLS, RPC_AGREEMENT"
  const wallet = `0x${"22".repeat(20)}`
  it.each<[Readonly<Record<string, string>>, number, string]>([
    [{ DATA_DIR: file }, 1, `DATA_DIR: ${file} cannot be used: a file has its name`],
    [{ HOST: "nobody.invalid" }, 1, "HOST: the name nobody.invalid has no address"],
    [{ ADMIN_HOST: "192.0.2.1" }, 1, "ADMIN_HOST: 192.0.2.1 is no address of this machine"],
    [{ WALLET_ADDRESS: wallet }, 2, `${ofChain}: 1 to 16 RPC URLs are needed`],
    [
      { WALLET_ADDRESS: wallet, BASE_RPC_URLS: "http://127.0.0.1:9", RPC_AGREEMENT: "2" },
      2,
      `${ofChain}: the agreement must be a whole number from 1 to 1, the number of RPC URLs`,
    ],
    [{ TOKEN_KEYS: "hunter2" }, 2, "secret TOKEN_KEYS: a key is written as 64 to 128 hex digits (32 to 64 bytes)"],
  ])("for %j", async (environment, code, sentence) => {
    expect(await start(environment)).toEqual({ code, output: `${sentence}\n` })
  })

  it("for each variable that is a setting with a typing error, with the one that is meant", async () => {
    expect(await start({ KAFKA_BROKER: "127.0.0.1:9092", WALLET_ADRESS: wallet, KAFKA_HEAP_OPTS: "-Xmx1g" })).toEqual({
      code: 2,
      output: `KAFKA_BROKER: there is no such setting; KAFKA_BROKERS is meant
WALLET_ADRESS: there is no such setting; WALLET_ADDRESS is meant
See npm start -- --help
`,
    })
  })

  const secret = "hunter2-".repeat(4)
  it.each<[Readonly<Record<string, string>>, string]>([
    [{ INTERNAL_PORT: "9900" }, "INTERNAL_PORT: wants SISTER_SECRET beside it"],
    [
      { INTERNAL_PORT: "9900", SISTER_SECRET: secret, LEDGER_OPERATOR_SECRET: secret },
      "DEMAND_SECRET, LEDGER_API_SECRET, LEDGER_OPERATOR_SECRET and SISTER_SECRET must not be the same",
    ],
  ])("for the rail of a sister with %j, without repeating the secret", async (environment, sentence) => {
    expect(await start(environment)).toEqual({ code: 2, output: `${sentence}\nSee npm start -- --help\n` })
  })

  it("where the engine of the history cannot have its folder", async () => {
    const withoutHistory = join(home, "without-history")
    mkdirSync(withoutHistory)
    writeFileSync(join(withoutHistory, "clickhouse"), "")
    const { code, output } = await start({ DATA_DIR: withoutHistory })
    expect(output.trim().split("\n").at(-1)).toMatch(/^the embedded ClickHouse cannot run: .*clickhouse/)
    expect(output).not.toMatch(/\n {4}at /)
    expect(code).toBe(1)
  })

  it("and what was refused starts in the same folder when it is right", async () => {
    const service = await startService({ dataDirectory: data, environment: { UPSTREAMS: "http://127.0.0.1:9" } })
    await service.ready()
    expect(await service.end("SIGTERM")).toBe(0)
  })
})
