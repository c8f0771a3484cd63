import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { readdirSync } from "node:fs"
import { createServer } from "node:http"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { eventually } from "../support/eventually.ts"
import { freePort, removeDirectory, temporaryDirectory } from "../support/service.ts"
import { premiumCalls } from "../world/demo-purchase.ts"
import { demoContract } from "./demo-contract.ts"

// The demo: every endpoint of the contract, and the purchase that it prints, pasted into a shell.

const root = fileURLToPath(new URL("../..", import.meta.url))
const hasShell = ["bash", "curl"].every((program) => spawnSync(program, ["--version"]).status === 0)
const directory = temporaryDirectory()
const environment: Record<string, string> = {}

let demo: ChildProcess
let output = ""

const spawnDemo = (settings: Readonly<Record<string, string>>): ChildProcess =>
  spawn(process.execPath, ["test/world/demo.js"], {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      DATA_DIR: directory,
      CHAIN_PORT: "0",
      // A provider that is out at the hour of this run has data of the day before alone.
      WORLD_OUTAGES: "off",
      ...settings,
    },
    stdio: ["ignore", "pipe", "pipe"],
  })
const listenTo = (child: ChildProcess, hear: (text: string) => void): void => {
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk: Buffer) => {
      hear(chunk.toString("utf8"))
    })
}

const startDemo = async (): Promise<void> => {
  output = ""
  demo = spawnDemo(environment)
  listenTo(demo, (text) => {
    output += text
  })
  await eventually(
    "the demo is ready, or has ended",
    () => /^\S+ ready \|/m.test(output) || demo.exitCode !== null,
  ).catch((cause: unknown) => {
    throw new Error(`the demo output: ${output}`, { cause })
  })
  if (demo.exitCode !== null) throw new Error(`the demo ended: ${output}`)
}
const endDemo = (signal: NodeJS.Signals): Promise<number | null> =>
  new Promise((resolve) => {
    demo.once("exit", (code) => resolve(code))
    demo.kill(signal)
  })

interface Refused {
  readonly code: number | null
  readonly output: string
}

/** A demo that is expected to end by itself. `onOutput` gets its whole output so far, at each new piece. */
const refusedDemo = (
  settings: Readonly<Record<string, string>>,
  onOutput: (output: string) => void = () => {},
): Promise<Refused> =>
  new Promise((resolve) => {
    const child = spawnDemo({ ...environment, ...settings })
    let output = ""
    listenTo(child, (text) => {
      output += text
      onOutput(output)
    })
    // `close` instead of `exit`: it follows the end of every process that writes to the output.
    child.once("close", (code) => resolve({ code, output }))
  })

/** A foreign server that answers every request; `requests` counts them. */
const startStranger = (): {
  readonly listen: (port: number) => Promise<number>
  readonly requests: () => number
  readonly end: () => Promise<void>
} => {
  let requests = 0
  const server = createServer((_, response) => {
    requests += 1
    response.end(JSON.stringify({ ready: true, summary: "a stranger's" }))
  })
  return {
    listen: (port) =>
      new Promise((resolve, reject) => {
        server.once("error", reject)
        server.listen(port, "127.0.0.1", () => {
          const address = server.address()
          resolve(typeof address === "object" && address !== null ? address.port : 0)
        })
      }),
    requests: () => requests,
    end: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
/** Endpoints whose past begins a day before the demo. */
const WITH_PAST = [
  "/api/btc-price",
  "/api/fear-greed",
  "/api/earthquake",
  "/api/crypto-movers",
  "/api/space-weather",
  "/api/forex",
  "/api/predictions",
  "/api/service-status",
  "/api/internet-pulse",
  "/api/stocks",
]
interface PastReply {
  readonly _meta?: { readonly as_of?: string; readonly at?: { readonly known_at?: string } }
}

const inUse = (variable: string, port: number | string) =>
  `${variable}: 127.0.0.1:${port} is in use by another process; end that one, or set ${variable} to a free port\n`

demoContract(() => `http://127.0.0.1:${environment.PORT}`)

const answers = (url: string): Promise<boolean> =>
  fetch(url, { signal: AbortSignal.timeout(30_000) }).then(
    () => true,
    () => false,
  )
const chainUrl = () => /the chain +(\S+)/.exec(output)?.[1] ?? "none"

/** The printed commands, each with the comment before it. */
const printed = (): ReadonlyArray<{ readonly title: string; readonly command: string }> =>
  [...output.matchAll(/^# (.+)\n(.+)$/gm)].map(([, title = "", command = ""]) => ({ title, command }))

/** A line of the premium calls. */
const CALLED = /^(\S+): \{"credits_charged":(\d+),"credits_remaining":(\d+).*\} X-Credits-Remaining: (\d+)$/

/** Pastes commands into one shell, and gives the output of each. */
const paste = (commands: ReadonlyArray<string>): ReadonlyArray<string> => {
  const separator = "@@@@"
  const shell = spawnSync("bash", [], {
    cwd: root,
    input: commands.map((command) => `${command}\necho ${separator}\n`).join(""),
    encoding: "utf8",
    env: { PATH: process.env.PATH, HOME: process.env.HOME },
    timeout: 180_000,
  })
  expect(shell.stderr).toBe("")
  return shell.stdout.split(`${separator}\n`).map((output) => output.trim())
}

const freePorts = async (): Promise<Readonly<Record<string, string>>> => {
  const names = ["PORT", "ADMIN_PORT", "CLICKHOUSE_HTTP_PORT", "CLICKHOUSE_TCP_PORT"]
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, String(await freePort())])))
}
let atFirst: Refused

beforeAll(async () => {
  Object.assign(environment, await freePorts(), { REQUESTS_PER_DAY: "1000000" })
  // The first start is refused; the next one must succeed in the same folder.
  const stranger = startStranger()
  atFirst = await refusedDemo({ PORT: String(await stranger.listen(0)) })
  await stranger.end()
  await startDemo()
})
afterAll(async () => {
  if (demo !== undefined && demo.exitCode === null && demo.signalCode === null) await endDemo("SIGKILL")
  removeDirectory(directory)
})

describe.skipIf(!hasShell)("the demo (needs bash and curl)", () => {
  let token = ""
  let claim = ""
  let balanceLeft = 0

  it("prints a purchase that works when pasted", async () => {
    // While the service is warming, calls are free.
    await eventually("there is a verdict on the feeds", async () => {
      const confirmed = await fetch(`http://127.0.0.1:${environment.PORT}/api/feed-reliability`)
      return !/"warming":true/.test(await confirmed.text())
    })
    const commands = printed().map(({ command }) => command)
    expect(commands).toHaveLength(13)
    const [, quote, paid, confirmed, balance, calls, sister, history, receipt, again, memo, signature, proof] =
      paste(commands)
    const { memo: secret, quote: quoted } = JSON.parse(quote ?? "")
    const { tx_hash } = JSON.parse(paid ?? "")
    const credited = JSON.parse(confirmed ?? "")
    expect(credited).toMatchObject({ credits: 50, balance: 50, purchases: [{ tx_hash }] })
    token = credited.token
    claim = JSON.stringify({ tx_hash, nonce: secret })
    expect(JSON.parse(balance ?? "")).toMatchObject({ credits: 50 })
    const charges = (calls?.split("\n") ?? []).map((line) => {
      const [, call = "", charged = "", left = "", header = ""] = CALLED.exec(line) ?? expect.fail(line)
      // By the header and the body alike; a call without data to charge for says why.
      expect(header).toBe(left)
      expect(charged === "0", line).toBe(line.includes("no_charge_reason"))
      return { call, charged: Number(charged), left: Number(left) }
    })
    expect(charges.map(({ call }) => call)).toEqual(premiumCalls)
    const spent = charges.reduce((sum, { charged }) => sum + charged, 0)
    const left = 50 - spent
    expect(charges.at(-1)?.left).toBe(left)
    // Empty deltas of the world, and a day without checks, cost nothing.
    expect(charges.filter(({ charged }) => charged === 0).length).toBeLessThanOrEqual(2)
    expect(JSON.parse(sister ?? "")).toMatchObject({
      // SHA-256 of "hello".
      digest: "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824",
      credits_charged: 3,
      credits_remaining: left - 3,
    })
    expect(JSON.parse(history ?? "")).toMatchObject({
      purchases: [{ tx_hash, amount_usd: quoted.amount_usd }],
      current_balance: left - 3,
      totals: { total_credits_spent: spent + 3 },
    })
    const verified = receipt?.match(/^valid\nreply +is the one that was signed$/gm) ?? []
    expect(verified, receipt).toHaveLength(premiumCalls.length)
    expect(again).toBe("the same token")
    for (const refused of [memo, signature])
      expect(JSON.parse(refused ?? "")).toMatchObject({ status: 409, error: "payer_proof_required" })
    balanceLeft = left - 3
    expect(proof).toMatch(
      new RegExp(
        `^the ledger holds: [1-9]\\d* entries, 1 accounts, 1 purchases; balances ${balanceLeft}, shortfalls 0 credits`,
      ),
    )
  })

  it("has a past: it answers as it would have hours before its start", async () => {
    const ask = async (path: string, hoursAgo: number) => {
      const at = new Date(Date.now() - hoursAgo * 3_600_000).toISOString()
      const reply = await fetch(`http://127.0.0.1:${environment.PORT}${path}?at=${at}`)
      return { status: reply.status, body: (await reply.json()) as PastReply, at }
    }
    await eventually(
      "what was known an hour ago is settled",
      async () => (await ask("/api/btc-price", 1)).status === 200,
    )
    for (const path of WITH_PAST) {
      const [then, earlier] = [await ask(path, 1), await ask(path, 23)]
      for (const { status, body, at } of [then, earlier]) {
        expect([path, status, body._meta?.at?.known_at]).toEqual([path, 200, at])
        // The last version before the instant: an hour old, of a large list four, and what it took to be known.
        const ageMs = Date.parse(at) - Date.parse(body._meta?.as_of ?? "")
        expect(ageMs, path).toBeGreaterThan(0)
        expect(ageMs, path).toBeLessThan(5 * 3_600_000)
      }
      expect(then.body._meta?.as_of).not.toBe(earlier.body._meta?.as_of)
    }
  })

  it("prints its settings, and refuses unknown arguments", () => {
    const runDemo = (argument: string) =>
      spawnSync(process.execPath, ["test/world/demo.js", argument], { cwd: root, encoding: "utf8" })
    expect(runDemo("--help")).toMatchObject({ status: 0, stdout: expect.stringContaining("WORLD_SEED") })
    expect(runDemo("--port=1")).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/^Unknown option '--port'\n/),
    })
  })

  it("does not start where a port is taken, and names it in one sentence", async () => {
    expect(atFirst).toEqual({
      code: 1,
      output: expect.stringMatching(/^PORT: 127\.0\.0\.1:\d+ is in use by another process; .*\n$/),
    })
    const stranger = startStranger()
    const port = await stranger.listen(0)
    const variables = ["CHAIN_PORT", "WORLD_PORT", "SISTER_PORT"]
    const homes = variables.map(temporaryDirectory)
    const refused = await Promise.all(
      variables.map(async (name, index) =>
        refusedDemo({ ...(await freePorts()), DATA_DIR: homes[index] ?? "", [name]: String(port) }),
      ),
    )
    expect(refused).toEqual(variables.map((name) => ({ code: 1, output: inUse(name, port) })))
    // Nothing was started.
    expect(homes.map((home) => readdirSync(home))).toEqual(variables.map(() => ["lock"]))
    expect(stranger.requests()).toBe(0)
    await stranger.end()
    homes.forEach(removeDirectory)
  })

  it("does not start in the folder of another one, which goes on", async () => {
    const { code, output } = await refusedDemo(await freePorts())
    expect(output).toMatch(/ is in use by process \d+, started \S+; stop it first, or choose another DATA_DIR\n$/)
    expect(code).toBe(1)
    expect(await answers(chainUrl())).toBe(true)
  })

  it("shows no reply of a foreign server that takes a port first, and ends every process that it started", async () => {
    const home = temporaryDirectory()
    const ports = await freePorts()
    const stranger = startStranger()
    const port = Number(ports.PORT)
    let came: Promise<number> | null = null
    const { code, output } = await refusedDemo({ ...ports, DATA_DIR: home }, (heard) => {
      // The service has been started, and takes a while until it listens.
      if (heard.includes("Ctrl-C ends it.")) came ??= stranger.listen(port)
    })
    expect(await came).toBe(port)
    expect(output).toContain(inUse("PORT", port))
    expect(code).toBe(1)
    expect(output).not.toContain(" ready |")
    expect(stranger.requests()).toBe(0)
    expect(await answers(/the chain +(\S+)/.exec(output)?.[1] ?? "")).toBe(false)
    await stranger.end()
    removeDirectory(home)
  })

  it("goes on after it was killed, with the chain and the credits that were", async () => {
    const chain = chainUrl()
    expect(await answers(chain)).toBe(true)
    await endDemo("SIGKILL")
    await eventually("the chain has ended as well", async () => !(await answers(chain)))
    await startDemo()
    const [, confirmed] = paste([
      `API=http://127.0.0.1:${environment.PORT}`,
      `curl -sS $API/api/payment/confirm -H 'content-type: application/json' -d '${claim}'`,
    ])
    expect(JSON.parse(confirmed ?? "")).toMatchObject({ token, credits: 50, balance: balanceLeft })
  })

  it("ends on SIGINT, and leaves nothing running", async () => {
    const [api, chain] = [`http://127.0.0.1:${environment.PORT}/api`, chainUrl()]
    expect([await answers(api), await answers(chain)]).toEqual([true, true])
    expect(await endDemo("SIGINT")).toBe(0)
    expect([await answers(api), await answers(chain)]).toEqual([false, false])
  })
})
