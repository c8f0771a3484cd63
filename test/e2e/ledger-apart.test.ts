import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest"
import { DEBIT_LIFE_MS } from "../../ledger/rules.ts"
import { describeUnless } from "../support/describe-unless.ts"
import { dockerMissing } from "../support/docker.ts"
import { eventually } from "../support/eventually.ts"
import { grantNew, ledgerCommand } from "../support/ledger-command.ts"
import { outcomesOf } from "../support/outcomes.ts"
import { type RolesApart, startRolesApart } from "../support/roles-apart.ts"
import { readiness } from "../support/service.ts"
import { someFeed } from "../support/some-feed.ts"

const PREMIUM = "/api/pro/briefing"
/** After a refusal, until the standby takes over. */
const PAUSE_MS = 200
const replicas = ["api-1", "api-2"] as const

describeUnless(await dockerMissing(), "the ledger and its standby, on Kafka, behind two api replicas", () => {
  let apart: RolesApart

  const call = (name: string, token: string) =>
    apart
      .named(name)
      .get(PREMIUM, { headers: { authorization: `Bearer ${token}` }, signal: AbortSignal.timeout(30_000) })
  /** The active ledger and the standby, once both answer and one of them is active. */
  const roles = (): Promise<readonly [string, string]> =>
    eventually("one of two ledgers is active", async () => {
      const [first, second] = await Promise.all([apart.isActive("ledger-1"), apart.isActive("ledger-2")])
      if (first === second) return undefined
      return first ? ["ledger-1", "ledger-2"] : ["ledger-2", "ledger-1"]
    })
  /** The outcomes of 200 parallel calls through both replicas. */
  const callsOf = async (token: string) =>
    outcomesOf(await Promise.all(Array.from({ length: 200 }, (_, n) => call(replicas[n % 2 === 0 ? 0 : 1], token))))
  /** A new account with credits. While a ledger takes over, the reply of a grant may be lost: then another account is opened. */
  const newAccount = (credits: number) => eventually("an account is opened", () => grantNew(apart.environment, credits))
  const balanceOf = async (account: string): Promise<number> => {
    const { code, stdout, stderr } = await ledgerCommand(apart.environment, "show", account, "--json")
    if (code !== 0) throw new Error(stderr)
    return JSON.parse(stdout).balance
  }
  const expectVerified = async () =>
    expect(await ledgerCommand(apart.environment, "verify")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("the ledger holds"),
    })
  /** Waits until premium is served through both replicas again; gives the duration, for information only. */
  const servesAgain = async (token: string, since: string) => {
    const begun = performance.now()
    for (const name of replicas)
      await eventually(`${name} serves premium after ${since}`, async () => (await call(name, token)).status === 200)
    process.stdout.write(`premium is served ${Math.round(performance.now() - begun)} ms after ${since}\n`)
  }

  beforeAll(async () => {
    apart = await startRolesApart({
      seed: "ledger-apart",
      offered: [PREMIUM, someFeed.path],
      addressed: ["ledger-1", "ledger-2"],
      settings: ({ addresses, directory }) => ({
        LEDGER_URLS: addresses,
        // However long a takeover takes, no call is refused for too many of them.
        TOKEN_REQUESTS_PER_MINUTE: "100000",
        TOKEN_KEYS: `k1:${"0f".repeat(32)}`,
        RECEIPT_KEYS: Buffer.alloc(32, 7).toString("base64url"),
        CLIENT_HASH_KEY: "1e".repeat(32),
        // One folder for both ledgers: the first keeps its state there, the other in memory alone.
        DATA_DIR: directory,
      }),
    })
    await apart.start("ingest", "ingest")
    await apart.start("process", "process")
    await apart.start("ledger-1", "ledger")
    await apart.ready("ingest", "process", "ledger-1")
    await apart.start("ledger-2", "ledger")
    await Promise.all(replicas.map((name) => apart.start(name, "api")))
    await apart.ready(...replicas)
    const { token } = await newAccount(replicas.length)
    for (const name of replicas)
      await eventually(
        `${name} has what premium is made of`,
        async () => "charged" in (await outcomesOf([await call(name, token)])),
      )
  })

  afterAll(() => apart?.close())

  it("serves exactly 50 of 200 parallel calls on a balance of 50, through both replicas", async () => {
    const { account, token } = await newAccount(50)
    expect(await callsOf(token)).toEqual({ charged: 50, "402 insufficient_credits": 150 })
    expect(await balanceOf(account)).toBe(0)
    await expectVerified()
  })

  it("goes on with the standby when the active ledger is killed, and charges every served call once", async () => {
    const { account, token } = await newAccount(100)
    const [active, standby] = await roles()
    let served = 0
    let stop = false
    const callers = Array.from({ length: 8 }, async (_, n) => {
      while (!stop)
        if ((await call(replicas[n % 2 === 0 ? 0 : 1], token).catch(() => null))?.status === 200) served += 1
        else await sleep(PAUSE_MS)
    })
    await eventually("some calls are served", () => served > 5)
    await apart.takeOver(active, standby)
    onTestFinished(() => apart.start(active, "ledger").then(() => {}))
    const before = served
    await eventually("calls are served again", () => served > before)
    await eventually("all credits are spent", async () => (await balanceOf(account)) === 0)
    stop = true
    await Promise.all(callers)
    // What was debited for calls that the kill has cut off is given back, and not served twice.
    expect(served).toBeLessThanOrEqual(100)
    expect(served).toBeGreaterThan(80)
    await expectVerified()
  })

  it("has every key usable before its debit is overdue when the active ledger is killed, charged exactly once", async () => {
    const granted = 5_000
    const { account, token } = await newAccount(granted)
    const [active, standby] = await roles()
    const keys: Array<string> = []
    const keyed = async (key: string, name: string) => {
      const headers = { authorization: `Bearer ${token}`, "idempotency-key": key }
      const sent = { headers, signal: AbortSignal.timeout(30_000) }
      return (
        await apart
          .named(name)
          .get(PREMIUM, sent)
          .catch(() => null)
      )?.status
    }
    let stop = false
    let served = 0
    const callers = Array.from({ length: 16 }, async (_, n) => {
      for (let turn = 0; !stop; turn++) {
        const key = `${n}/${turn}`
        keys.push(key)
        if ((await keyed(key, replicas[n % 2 === 0 ? 0 : 1])) === 200) served += 1
        else await sleep(PAUSE_MS)
      }
    })
    await eventually("some calls are served", () => served > 16)
    await apart.takeOver(active, standby)
    onTestFinished(() => apart.start(active, "ledger").then(() => {}))
    stop = true
    await Promise.all(callers)
    await Promise.all(
      keys.map((key, n) =>
        eventually(
          `key ${key} is usable`,
          async () => (await keyed(key, replicas[n % 2 === 0 ? 1 : 0])) === 200,
          DEBIT_LIFE_MS - 5_000,
        ),
      ),
    )
    expect(await balanceOf(account)).toBe(granted - keys.length)
    await expectVerified()
  })

  it("fences an active ledger that stood still while the standby took over", async () => {
    const { account, token } = await newAccount(60)
    await servesAgain(token, "the start")
    const [stopped, standby] = await roles()
    apart.named(stopped).child.kill("SIGSTOP")
    await eventually("the standby takes over", () => apart.isActive(standby))
    await servesAgain(token, `${standby} took over`)
    apart.named(stopped).child.kill("SIGCONT")
    await eventually("the stopped one has noticed that it is fenced", async () => !(await apart.isActive(stopped)))
    await servesAgain(token, "the other one woke up")
    const before = await balanceOf(account)
    for (const name of replicas) expect((await call(name, token)).status).toBe(200)
    expect(await balanceOf(account)).toBe(before - 2)
    await expectVerified()
    expect(await callsOf((await newAccount(50)).token)).toEqual({
      charged: 50,
      "402 insufficient_credits": 150,
    })
  })

  it("reports itself as waiting in every moment in which premium calls are refused, while the broker is away", async () => {
    const { token } = await newAccount(50)
    await servesAgain(token, "the start")
    const ledgers = ["ledger-1", "ledger-2"]
    const readyOf = async () =>
      (await Promise.all(ledgers.map((name) => readiness(apart.named(name))))).filter(({ parts }) =>
        parts.some(({ state }) => state === "active"),
      ).length
    expect(await readyOf()).toBe(1)
    await apart.broker.kill()
    await eventually("no ledger reports itself as active", async () => (await readyOf()) === 0)
    for (const name of replicas) {
      // The reports are read before and after the calls, so that they enclose them.
      expect(await readyOf()).toBe(0)
      const reply = await call(name, token)
      expect([reply.status, ((await reply.json()) as { readonly error?: string }).error]).toEqual([
        503,
        "billing_unavailable",
      ])
      expect(await readyOf()).toBe(0)
      expect((await apart.named(name).get(someFeed.path)).status).toBe(200)
      const { ready, degraded } = await readiness(apart.named(name))
      expect(ready).toBe(true)
      expect(degraded).toContain("api billing: waiting: a ledger process of LEDGER_URLS that is active")
      expect(degraded.some((one) => one.startsWith("api views: waiting: the log"))).toBe(true)
    }
    for (const name of ledgers)
      expect((await readiness(apart.named(name))).reasons.join()).toMatch(/^ledger writer: (waiting|stopped): .*log/)
    await apart.broker.start()
    await servesAgain(token, "the broker came back")
    await eventually("one ledger is active, and both are ready", async () => {
      const both = await Promise.all(ledgers.map((name) => readiness(apart.named(name))))
      return (await readyOf()) === 1 && both.every(({ ready }) => ready)
    })
  })

  it("leaves free replies alone and refuses premium ones for the moment while no ledger runs", async () => {
    const { account, token } = await newAccount(10)
    await Promise.all(["ledger-1", "ledger-2"].map((name) => apart.named(name).end("SIGTERM")))
    for (const name of replicas) {
      expect((await apart.named(name).get(someFeed.path)).status).toBe(200)
      const reply = await call(name, token)
      expect(reply.status).toBe(503)
      expect(reply.headers.get("retry-after")).toMatch(/^[1-9]\d*$/)
      expect(await reply.json()).toMatchObject({ error: "billing_unavailable" })
      await eventually(`${name} reports it, and is ready`, async () => {
        const { ready, degraded } = await readiness(apart.named(name))
        return ready && degraded.includes("api billing: waiting: a ledger process of LEDGER_URLS that is active")
      })
    }
    // No ledger answers, so the command claims the log itself.
    await eventually("the log is claimed", async () => (await balanceOf(account)) === 10)
    await apart.start("ledger-1", "ledger")
    await servesAgain(token, "the ledger was started again")
    await expectVerified()
  })
})
