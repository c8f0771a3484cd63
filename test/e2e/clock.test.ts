import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { afterAll, expect, it } from "vitest"
import { eventually } from "../support/eventually.ts"
import { freePort, removeDirectory, temporaryDirectory } from "../support/service.ts"
import { replyDigests } from "./reply-digests.ts"

// The clock of the demo, which stands: two of them say the same, and it is moved on.

const root = fileURLToPath(new URL("../..", import.meta.url))
const START = "2026-11-20T00:00:00.000Z"
const START_MS = Date.parse(START)
const HOUR_MS = 3_600_000

interface Demo {
  readonly url: string
  readonly rpcUrl: () => string
  readonly clock: (body?: object) => Promise<{ readonly status: number; readonly body: Record<string, unknown> }>
  readonly end: () => Promise<void>
}

const spawnDemo = (settings: Readonly<Record<string, string>>, time: string): ChildProcess =>
  spawn(process.execPath, ["test/world/demo.js", "--time", time], {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, CHAIN_PORT: "0", HISTORY: "off", ...settings },
    stdio: ["ignore", "pipe", "pipe"],
  })

const running = new Set<ChildProcess>()
const directories: Array<string> = []
const newDirectory = (): string => {
  const directory = temporaryDirectory()
  directories.push(directory)
  return directory
}
afterAll(() => {
  for (const child of running) child.kill("SIGKILL")
  directories.forEach(removeDirectory)
})

/** Starts a demo whose clock stands, and waits until all of that instant is served. */
const startDemo = async (settings: Readonly<Record<string, string>>): Promise<Demo> => {
  const [port, adminPort, worldPort] = [await freePort(), await freePort(), await freePort()]
  const child = spawnDemo(
    {
      DATA_DIR: newDirectory(),
      PORT: String(port),
      ADMIN_PORT: String(adminPort),
      WORLD_PORT: String(worldPort),
      ...settings,
    },
    START,
  )
  running.add(child)
  let output = ""
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk: Buffer) => {
      output += chunk.toString("utf8")
    })
  const clock: Demo["clock"] = async (body) => {
    const address = `http://127.0.0.1:${worldPort}/_world/clock`
    const sent = body === undefined ? {} : { method: "PUT", body: JSON.stringify(body) }
    const response = await fetch(address, { ...sent, signal: AbortSignal.timeout(300_000) })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }
  await eventually(
    "the demo has begun, or has ended",
    () => output.includes("Ctrl-C ends it.") || child.exitCode !== null,
  )
  // On a busy machine the first polls may take longer than a step may.
  await eventually("the start is served", async () => (await clock({ frozen: true })).status === 200, 300_000)
  expect(await clock()).toEqual({ status: 200, body: { now: START, frozen: true } })
  return {
    url: `http://127.0.0.1:${port}`,
    rpcUrl: () => /the chain +(\S+)/.exec(output)?.[1] ?? "none",
    clock,
    end: () =>
      new Promise((resolve) => {
        child.once("exit", () => {
          running.delete(child)
          resolve()
        })
        child.kill("SIGTERM")
      }),
  }
}

const hoursLater = (hours: number) => new Date(START_MS + hours * HOUR_MS).toISOString()

it("gives the same replies at each start with one seed and one frozen clock", async () => {
  const digests: Array<Readonly<Record<string, string>>> = []
  for (const _ of ["one", "other"]) {
    const demo = await startDemo({})
    digests.push(await replyDigests(demo.url))
    await demo.end()
  }
  expect(digests[1]).toEqual(digests[0])
  // Where replies are meant to change: npm test -- test/e2e/clock.test.ts -u
  await expect(`${JSON.stringify(digests[0], null, 2)}\n`).toMatchFileSnapshot("clock.replies.json")
})

/** Lists, values that wander, a feed that is not polled at each mark, one on demand, and the verdicts over all of them. */
const SOME = [
  "/api/earthquake",
  "/api/btc-price",
  "/api/forex",
  "/api/tech-news",
  "/api/weather",
  "/api/feed-reliability",
  "/api/pro/briefing",
]
const some = { WORLD_OFFERED: SOME.join(","), WORLD_PAST: "off" }
const post = async (address: string, body: object): Promise<Record<string, unknown>> =>
  (await (
    await fetch(address, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    })
  ).json()) as Record<string, unknown>

it("is moved on, by steps that make no difference; what is bought stays; and it runs again", async () => {
  const [once, twice] = [await startDemo(some), await startDemo(some)]
  const before = await replyDigests(once.url, SOME)
  expect(await replyDigests(twice.url, SOME)).toEqual(before)

  // A purchase while the clock stands: on the chain, and at the ledger.
  const quote = await post(`${once.url}/api/payment/buy-credits`, { amount_usd: 1 })
  const units = String((quote.quote as { readonly amount_units: number }).amount_units)
  const words = ["--rpc", once.rpcUrl(), "--to", String(quote.wallet), "--units", units]
  const paid = spawnSync(process.execPath, ["test/world/pay.ts", ...words], {
    cwd: root,
    encoding: "utf8",
    timeout: 60_000,
  })
  const { tx_hash } = JSON.parse(paid.stdout)
  const { token } = await post(`${once.url}/api/payment/confirm`, { tx_hash, nonce: quote.memo })
  const briefing = async () => {
    const response = await fetch(`${once.url}/api/pro/briefing`, { headers: { authorization: `Bearer ${token}` } })
    return { status: response.status, body: (await response.json()) as { readonly billing?: unknown } }
  }
  expect(await briefing()).toMatchObject({
    status: 200,
    body: { billing: { credits_charged: 1, credits_remaining: 49 } },
  })

  expect(await once.clock({ advance: "4h" })).toEqual({ status: 200, body: { now: hoursLater(4), frozen: true } })
  for (const hours of [2, 4])
    expect(await twice.clock({ advance: "2h" })).toEqual({
      status: 200,
      body: { now: hoursLater(hours), frozen: true },
    })
  const after = await replyDigests(once.url, SOME)
  expect(await replyDigests(twice.url, SOME)).toEqual(after)
  expect(Object.keys(after).filter((path) => after[path] === before[path])).toEqual([])
  const quakes = (await (await fetch(`${once.url}/api/earthquake`)).json()) as {
    readonly _meta: { readonly as_of: string; readonly stale: boolean }
  }
  expect(quakes._meta).toMatchObject({ as_of: hoursLater(4), stale: false })
  expect(await briefing()).toMatchObject({ status: 200, body: { billing: { credits_remaining: 48 } } })

  expect(await once.clock({ time: START })).toMatchObject({ status: 400 })
  expect(await once.clock({ frozen: false })).toMatchObject({ status: 200, body: { frozen: false } })
  const runsOn = await post(`${once.rpcUrl()}`, {
    jsonrpc: "2.0",
    id: 1,
    method: "eth_getBlockByNumber",
    params: ["latest", false],
  })
  expect(Number((runsOn.result as { readonly timestamp: string }).timestamp) * 1000).toBeGreaterThanOrEqual(
    START_MS + 4 * HOUR_MS,
  )
  await eventually("it is polled by itself", async () => {
    const { body } = await once.clock()
    return Date.parse(String(body.now)) > START_MS + 4 * HOUR_MS
  })
  await Promise.all([once.end(), twice.end()])
})

it("does not begin before the end of its log, and names what is wrong", async () => {
  const refused = (settings: Readonly<Record<string, string>>, time: string): Promise<unknown> =>
    new Promise((resolve) => {
      const child = spawnDemo(settings, time)
      let output = ""
      child.stderr?.on("data", (chunk: Buffer) => {
        output += chunk.toString("utf8")
      })
      child.once("close", (code) => resolve({ code, output }))
    })
  const DATA_DIR = directories.at(-1) ?? ""
  const ports = { PORT: String(await freePort()), ADMIN_PORT: String(await freePort()) }
  expect(await refused({ ...some, ...ports, DATA_DIR }, START)).toEqual({
    code: 1,
    output: expect.stringMatching(
      /^--time: the log holds what was said until 2026-11-20T04:00:00.000Z, and time never goes back in it: .*\n$/,
    ),
  })
  expect(await refused({ ...some, ...ports, DATA_DIR }, "yesterday")).toEqual({
    code: 2,
    output: "WORLD_TIME (--time): must be an instant with its zone, such as 2026-11-20T00:00Z\n",
  })
})
