import { cpSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { editRow, raise } from "../conformance/ledger/raw-cache.ts"
import { grantNew, ledgerCommand } from "../support/ledger-command.ts"
import { outcomesOf } from "../support/outcomes.ts"
import { removeDirectory, type Service, startService, temporaryDirectory } from "../support/service.ts"
import { startWorld, type WorldServer } from "../world/server.ts"

const PREMIUM = "/api/pro/briefing"
const OPERATOR = ["--operator", "jane", "--reason", "for a test"]

describe("credits in one process, on the embedded log", () => {
  const directory = temporaryDirectory()
  let world: WorldServer
  let service: Service
  let settings: Readonly<Record<string, string>>

  const start = async () => {
    service = await startService({
      dataDirectory: directory,
      offered: [PREMIUM],
      environment: { UPSTREAMS: world.url, LOG_LEVEL: "warn" },
    })
    settings = { DATA_DIR: directory, ADMIN_PORT: new URL(service.adminUrl).port }
    await service.filled()
  }
  const call = (token: string) => service.get(PREMIUM, { headers: { authorization: `Bearer ${token}` } })
  const shown = async (account: string) => {
    const { code, stdout, stderr } = await ledgerCommand(settings, "show", account, "--json")
    if (code !== 0) throw new Error(stderr)
    return JSON.parse(stdout)
  }

  beforeAll(async () => {
    world = await startWorld({ seed: "ledger" })
    await start()
  })
  afterAll(async () => {
    await service?.end("SIGKILL")
    await world?.close()
    removeDirectory(directory)
  })

  let account = ""
  let token = ""

  it("gives a new account credits and a token, through the running service", async () => {
    ;({ account, token } = await grantNew(settings, 45))
    expect(token).toMatch(/^svc_live_[0-9a-f]{64}$/)
    const more = await ledgerCommand(settings, "grant", account, "5", ...OPERATOR)
    expect(more).toMatchObject({ code: 0, stdout: `5 credits given to ${account}; its balance is 50\n` })
    expect(await shown(account)).toMatchObject({ account, balance: 50, shortfall: 0, added: 50, spent: 0 })
  })

  it("opens no account for a misspelt one, and uses a payment up once", async () => {
    const payment = ["--payment", `0x${"ab".repeat(32)}:3`]
    expect(await ledgerCommand(settings, "grant", "nobody", "5", ...OPERATOR)).toMatchObject({ code: 1, stdout: "" })
    const { account: payer } = await grantNew(settings, 1)
    expect((await ledgerCommand(settings, "grant", payer, "9", ...OPERATOR, ...payment)).code).toBe(0)
    const again = await ledgerCommand(settings, "grant", payer, "9", ...OPERATOR, ...payment)
    expect(again).toMatchObject({ code: 1, stderr: "this payment was credited before\n" })
    expect(await shown(payer)).toMatchObject({ balance: 10 })
  })

  it("prints its usage when it is used wrongly", async () => {
    for (const wrong of [[], ["verify", "x"], ["show"], ["grant", "new", "5"], ["grant", "new", "0", ...OPERATOR]])
      expect(await ledgerCommand(settings, ...wrong)).toMatchObject({
        code: 2,
        stdout: "",
        stderr: expect.stringContaining("usage: npm run ledger"),
      })
  })

  it("serves exactly 50 of 200 parallel calls on a balance of 50", async () => {
    const replies = await Promise.all(Array.from({ length: 200 }, () => call(token)))
    expect(await outcomesOf(replies)).toEqual({ charged: 50, "402 insufficient_credits": 150 })
    expect(await shown(account)).toMatchObject({ balance: 0, spent: 50 })
  })

  it("gives a call back, once, by hand", async () => {
    const proof = await ledgerCommand(settings, "verify", "--json")
    expect(JSON.parse(proof.stdout)).toMatchObject({ offence: null, balance: 10, accounts: 2 })
    const debits = [
      ...new Set(
        readLedger()
          .matchAll(/"debit":"([0-9a-z-]{8,64})"/g)
          .map(([, id]) => id),
      ),
    ]
    expect(debits).toHaveLength(50)
    const refund = ["refund", debits[0] ?? "", "--operator", "jane", "--note", "it was of no use"]
    expect(await ledgerCommand(settings, ...refund)).toMatchObject({ code: 0 })
    expect(await ledgerCommand(settings, ...refund)).toMatchObject({
      code: 1,
      stderr: "this debit was refunded before\n",
    })
    expect(await shown(account)).toMatchObject({ balance: 1, spent: 49 })
  })

  it("proves the whole ledger, beside the service and after it, and spends on after a start", async () => {
    const whole = { code: 0, stdout: expect.stringMatching(/the ledger holds[\s\S]*the cached state holds/u) }
    expect(await ledgerCommand(settings, "verify")).toMatchObject(whole)
    await service.end("SIGTERM")
    expect(await ledgerCommand(settings, "verify")).toMatchObject(whole)
    cpSync(join(directory, "log"), join(directory, "earlier log"), { recursive: true })
    // No service runs, so the command claims the log itself.
    expect((await ledgerCommand(settings, "grant", account, "1", ...OPERATOR)).code).toBe(0)
    await start()
    const replies = [await call(token), await call(token), await call(token)]
    expect(await outcomesOf(replies)).toEqual({ charged: 2, "402 insufficient_credits": 1 })
  })

  it("spends nothing of a balance that was raised in its cached state", async () => {
    await service.end("SIGTERM")
    const state = join(directory, "ledger-state")
    await Effect.runPromise(editRow(state, account, (text) => raise(text, "balance", "added")))
    expect(await ledgerCommand(settings, "verify")).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/the ledger holds[\s\S]*THE CACHED STATE DOES NOT HOLD: its content has changed/u),
    })
    await start()
    expect(await outcomesOf([await call(token)])).toEqual({ "402 insufficient_credits": 1 })
    expect(service.output()).toContain("it is folded again from the log")
    expect(await shown(account)).toMatchObject({ balance: 0 })
    expect((await ledgerCommand(settings, "verify")).code).toBe(0)
  })

  it("gives an account a new token by hand, where its owner has no way back to it", async () => {
    const { account: owner, token: lost } = await grantNew(settings, 4)
    const revoke = (body?: string) =>
      service.get("/api/payment/revoke", {
        method: "POST",
        headers: {
          authorization: `Bearer ${lost}`,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(body === undefined ? {} : { body }),
      })
    const unconfirmed = await revoke()
    expect(unconfirmed.status).toBe(409)
    expect(await unconfirmed.json()).toMatchObject({ error: "confirmation_required" })
    const revoked = await revoke('{"confirm": true}')
    expect(await revoked.json()).toMatchObject({ revoked: true, credits: 4, way_back: { by: "operator" } })
    expect(await outcomesOf([await call(lost)])).toEqual({ "402 expired": 1 })
    const reissue = await ledgerCommand(settings, "reissue", owner, ...OPERATOR, "--json")
    expect(reissue).toMatchObject({ code: 0 })
    const { token: next } = JSON.parse(reissue.stdout)
    const reply = await call(next)
    expect(reply.status).toBe(200)
    writeFileSync(join(directory, "reply.json"), await reply.text())
    expect(await ledgerCommand(settings, "reissue", "misspelt", ...OPERATOR)).toMatchObject({ code: 1, stdout: "" })
    const list = await ledgerCommand(settings, "list", "--after", "0", "--json")
    expect(JSON.parse(list.stdout)).toMatchObject({
      accounts: [{ place: 1 }, { place: 2, account: owner, balance: 3, token: "live", opener: { by: "operator" } }],
      next: 2,
    })
    expect((await ledgerCommand(settings, "list", "--limit", "1")).stdout).toContain("--after 0")
  })

  it("stores no token anywhere; only its receiver holds it", async () => {
    await service.end("SIGTERM")
    const secret = token.slice("svc_live_".length)
    expect(service.output()).not.toContain(secret)
    expect(readLedger()).not.toContain(secret)
  })

  it("notices that its log was cut off: by a receipt, by a saved head, and by its own state", async () => {
    const [log, kept] = [join(directory, "log"), join(directory, "whole log")]
    const anchored = (name: string) => ledgerCommand(settings, "verify", "--anchor", join(directory, name))
    expect((await ledgerCommand(settings, "head", "--save", join(directory, "head.json"))).code).toBe(0)
    for (const name of ["reply.json", "head.json"])
      expect(await anchored(name)).toMatchObject({ code: 0, stdout: expect.stringContaining(`is the one of`) })
    renameSync(log, kept)
    cpSync(join(directory, "earlier log"), log, { recursive: true })
    // The shortened log still verifies; it lacks what the cached state was folded from.
    expect(await ledgerCommand(settings, "verify")).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/the ledger holds[\s\S]*THE CACHED STATE DOES NOT HOLD[\s\S]*CUT OFF OR REPLACED/u),
    })
    for (const name of ["reply.json", "head.json"])
      expect(await anchored(name)).toMatchObject({
        code: 1,
        stdout: expect.stringMatching(/entry (of SHA-256 )?\w+ is missing/),
      })
    const CUT = "THE LEDGER'S LOG WAS CUT OFF OR REPLACED"
    const grant = await ledgerCommand(settings, "grant", account, "1", ...OPERATOR)
    expect(grant).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining(CUT) })
    rmSync(log, { recursive: true })
    renameSync(kept, log)
    expect((await ledgerCommand(settings, "grant", account, "1", ...OPERATOR)).code).toBe(0)
  })

  it("names the entry of which one byte was changed by hand", async () => {
    const text = readLedger()
    const file = join(directory, "log", "data.mdb")
    const bytes = readFileSync(file)
    const mark = Buffer.from(`"reason":"for a test"`)
    expect(text).toContain(mark.toString())
    const begun = bytes.indexOf(mark)
    // The page may stand there twice, once as it was before it was written anew.
    for (let at = begun; at >= 0; at = bytes.indexOf(mark, at + 1)) bytes[at + mark.length - 2] = "T".charCodeAt(0)
    writeFileSync(file, bytes)
    const { code, stdout } = await ledgerCommand(settings, "verify")
    expect(code).toBe(1)
    expect(stdout).toContain("THE LEDGER DOES NOT HOLD: entry 1 (offset 0): its bytes are not those that were written")
  })

  const readLedger = (): string => readFileSync(join(directory, "log", "data.mdb"), "latin1")
})
