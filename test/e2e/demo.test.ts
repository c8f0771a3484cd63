import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { eventually } from "../support/eventually.ts"
import { freePort, removeDirectory, temporaryDirectory } from "../support/service.ts"

// What everyone sees first: the demo, and the purchase that it prints, pasted into a shell.

const root = fileURLToPath(new URL("../..", import.meta.url))
const hasShell = ["bash", "curl"].every((program) => spawnSync(program, ["--version"]).status === 0)
const directory = temporaryDirectory()
const environment: Record<string, string> = {}

let demo: ChildProcess
let output = ""

const startDemo = async (): Promise<void> => {
  output = ""
  demo = spawn(process.execPath, ["test/world/demo.ts"], {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, DATA_DIR: directory, CHAIN_PORT: "0", ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  })
  for (const stream of [demo.stdout, demo.stderr])
    stream?.on("data", (chunk: Buffer) => {
      output += chunk.toString("utf8")
    })
  await eventually("the demo is ready", () => (/^\S+ ready \|/m.test(output) ? true : undefined), 60_000)
}
const endDemo = (signal: NodeJS.Signals): Promise<number | null> =>
  new Promise((resolve) => {
    demo.once("exit", (code) => resolve(code))
    demo.kill(signal)
  })
const answers = (url: string): Promise<boolean> =>
  fetch(url, { signal: AbortSignal.timeout(2_000) }).then(
    () => true,
    () => false,
  )
const chainUrl = () => /the chain +(\S+)/.exec(output)?.[1] ?? "none"

/** The printed commands, each with the comment before it. */
const printed = (): ReadonlyArray<{ readonly title: string; readonly command: string }> =>
  [...output.matchAll(/^# (.+)\n(.+)$/gm)].map(([, title = "", command = ""]) => ({ title, command }))

/** Pastes commands into one shell, and gives what each has said. */
const paste = (commands: ReadonlyArray<string>): ReadonlyArray<string> => {
  const separator = "@@@@"
  const shell = spawnSync("bash", [], {
    cwd: root,
    input: commands.map((command) => `${command}\necho ${separator}\n`).join(""),
    encoding: "utf8",
    env: { PATH: process.env.PATH, HOME: process.env.HOME },
    timeout: 60_000,
  })
  expect(shell.stderr).toBe("")
  return shell.stdout.split(`${separator}\n`).map((said) => said.trim())
}

beforeAll(async () => {
  const names = ["PORT", "ADMIN_PORT", "CLICKHOUSE_HTTP_PORT", "CLICKHOUSE_TCP_PORT"]
  for (const name of names) environment[name] = String(await freePort())
  await startDemo()
})
afterAll(async () => {
  if (demo !== undefined && demo.exitCode === null && demo.signalCode === null) await endDemo("SIGKILL")
  removeDirectory(directory)
})

describe.skipIf(!hasShell)("the demo (needs bash and curl)", () => {
  let token = ""
  let claim = ""

  it("prints a purchase that works when pasted", async () => {
    // While the service is warming, calls are free.
    await eventually("there is a verdict on the feeds", async () => {
      const told = await fetch(`http://127.0.0.1:${environment.PORT}/api/feed-reliability`)
      return /"warming":true/.test(await told.text()) ? undefined : true
    })
    const commands = printed().map(({ command }) => command)
    expect(commands).toHaveLength(12)
    const [, quote, paid, confirmed, balance, calls, history, receipt, again, memo, signature, proof] = paste(commands)
    const { memo: secret, quote: quoted } = JSON.parse(quote ?? "")
    const { tx_hash } = JSON.parse(paid ?? "")
    const credited = JSON.parse(confirmed ?? "")
    expect(credited).toMatchObject({ credits: 50, balance: 50, purchases: [{ tx_hash }] })
    token = credited.token
    claim = JSON.stringify({ tx_hash, nonce: secret })
    expect(JSON.parse(balance ?? "")).toMatchObject({ credits: 50 })
    expect(calls?.split("\n")).toEqual([
      "briefing: { credits_charged: 1, credits_remaining: 49 }",
      "feed-reliability: { credits_charged: 2, credits_remaining: 47 }",
      "briefing?include=earthquakes&history=24h: { credits_charged: 1, credits_remaining: 46 }",
    ])
    expect(JSON.parse(history ?? "")).toMatchObject({
      purchases: [{ tx_hash, amount_usd: quoted.amount_usd }],
      current_balance: 46,
      totals: { total_credits_spent: 4 },
    })
    expect(receipt).toMatch(/^valid\nreply +is the one that was signed\n/)
    expect(again).toBe("the same token")
    for (const refused of [memo, signature])
      expect(JSON.parse(refused ?? "")).toMatchObject({ status: 409, error: "payer_proof_required" })
    expect(proof).toMatch(
      /^the ledger holds: [1-9]\d* entries, 1 accounts, 1 purchases; balances 46, shortfalls 0 credits/,
    )
  })

  it("goes on after it was killed, with the chain and the credits that were", async () => {
    const chain = chainUrl()
    expect(await answers(chain)).toBe(true)
    await endDemo("SIGKILL")
    await eventually("the chain has ended as well", async () => ((await answers(chain)) ? undefined : true))
    await startDemo()
    const [, told] = paste([
      `API=http://127.0.0.1:${environment.PORT}`,
      `curl -sS $API/api/payment/confirm -H 'content-type: application/json' -d '${claim}'`,
    ])
    expect(JSON.parse(told ?? "")).toMatchObject({ token, credits: 50, balance: 46 })
  })

  it("ends when it is told to, and leaves nothing running", async () => {
    const [api, chain] = [`http://127.0.0.1:${environment.PORT}/api`, chainUrl()]
    expect([await answers(api), await answers(chain)]).toEqual([true, true])
    expect(await endDemo("SIGINT")).toBe(0)
    expect([await answers(api), await answers(chain)]).toEqual([false, false])
  })
})
