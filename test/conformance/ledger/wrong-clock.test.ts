import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import { register } from "prom-client"
import { describe, expect, it, onTestFinished } from "vitest"
import type { Command } from "../../../ledger/command.ts"
import { verifyLedger } from "../../../ledger/verify/verify.ts"
import { makeLedgerClock } from "../../../ledger/write/clock.ts"
import { openLedger } from "../../../ledger/write/writer.ts"
import { makeMemoryLog } from "../../support/memory-log.ts"
import { complaintsAboutAlerts, promtoolMissing } from "../../support/promtool.ts"
import { clientOf, DAY_MS, hashOf, MINUTE_MS, NOON_MS, word } from "./given.ts"

const YEARS_MS = 5 * 365 * DAY_MS
const TOKEN = hashOf("token")

/** A ledger on a machine whose clocks move only when they are moved; it may be started again on the same log. */
const ledgerOnMachine = async () => {
  const memory = makeMemoryLog()
  let [wallMs, steadyMs] = [NOON_MS, 0]
  const clocks = { wallMs: () => wallMs, steadyMs: () => steadyMs, sinceBootMs: () => steadyMs }
  const start = async () => {
    const scope = Scope.makeUnsafe()
    const end = () => Effect.runPromise(Scope.close(scope, Exit.void))
    onTestFinished(end)
    const clock = makeLedgerClock({ clocks })
    const ledger = await Effect.runPromise(
      openLedger({ log: memory.log, clock, lookEveryMs: 10 }).pipe(Scope.provide(scope)),
    )
    const submit = async (command: Command) =>
      Result.merge(await Effect.runPromise(Effect.result(ledger.submit(command))))
    return { clock, submit, end }
  }
  return {
    memory,
    start,
    pass: (ms: number) => {
      wallMs += ms
      steadyMs += ms
    },
    jump: (ms: number) => {
      wallMs += ms
    },
    written: () => memory.records("ledger").length,
    verified: () => Effect.runPromise(Effect.map(verifyLedger(memory.log), ({ offence }) => offence)),
  }
}

const grant: Command = {
  _tag: "grant",
  account: "a",
  credits: 50,
  operator: "jane",
  reason: "for a test",
  payment: null,
  token: { claimant: "grant/a", origin: "a", generation: 1, kid: "k1", hash: TOKEN },
}
const quote = (name: string): Command => ({
  _tag: "issueQuote",
  askedCents: 100,
  memoHash: word(name),
  tail: 417,
  client: clientOf("192.0.2.1"),
})
const debit: Command = {
  _tag: "debit",
  token: TOKEN,
  credits: 1,
  purpose: "/api/pro/briefing",
  debit: "d1",
  mayEndFree: false,
  idempotency: null,
}
const read: Command = { _tag: "readAccount", by: { account: "a" } }
const unbelieved = { _tag: "billing_unavailable", reason: "clock" }
const ofReading = { answer: { balance: 50 } }

describe("a clock that jumps while the ledger runs", () => {
  it.each([
    ["ahead", YEARS_MS],
    ["back", -YEARS_MS],
  ])("%s writes nothing, and nothing stands still after it jumped back", async (_, ms) => {
    const machine = await ledgerOnMachine()
    const { submit } = await machine.start()
    await submit(grant)
    await submit(debit)
    const written = machine.written()
    machine.jump(ms)
    for (const command of [quote("q1"), { ...debit, debit: "d2" }, read])
      expect(await submit(command)).toMatchObject(unbelieved)
    // The timer that gives debits back does not believe it either.
    machine.pass(6 * MINUTE_MS)
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(machine.written()).toBe(written)
    machine.jump(-ms)
    // Time has gone on by six minutes: the debit that was not settled is given back.
    expect(await submit(read)).toMatchObject(ofReading)
    expect(await submit(quote("q2"))).toHaveProperty("answer.totalUnits")
    expect(await machine.verified()).toBeNull()
  })

  it.skipIf(promtoolMissing() !== undefined)("fires its alert", async () => {
    const machine = await ledgerOnMachine()
    const { submit } = await machine.start()
    const scrape = () => register.getSingleMetricAsString("tidewire_ledger_clock_doubted")
    await submit(grant)
    const before = await scrape()
    machine.jump(YEARS_MS)
    expect(await submit(read)).toMatchObject(unbelieved)
    const rule = ["TidewireLedgerClockDoubted"]
    const scrapes = { before, during: await scrape() }
    expect(complaintsAboutAlerts(scrapes, { fire: rule, silentBefore: rule })).toBe("")
    machine.jump(-YEARS_MS)
    expect(await submit(read)).toMatchObject(ofReading)
    expect(await scrape()).toBe(before)
  })

  it("is believed once a witness agrees with it", async () => {
    const machine = await ledgerOnMachine()
    const { submit, clock } = await machine.start()
    await submit(grant)
    machine.jump(YEARS_MS)
    expect(await submit(read)).toMatchObject(unbelieved)
    clock.testify("a witness", NOON_MS + YEARS_MS)
    expect(await submit(read)).toMatchObject(ofReading)
  })

  it("is believed when an operator has decided, which stands in the ledger", async () => {
    const machine = await ledgerOnMachine()
    const { submit } = await machine.start()
    await submit(grant)
    machine.jump(DAY_MS)
    expect(await submit(read)).toMatchObject(unbelieved)
    const decided = { _tag: "acceptClock", operator: "jane", reason: "the clock was a day late until now" } as const
    expect(await submit(decided)).toMatchObject({ answer: { atMs: NOON_MS + DAY_MS } })
    expect(await submit(read)).toMatchObject(ofReading)
    expect(machine.memory.events("ledger").at(-1)).toMatchObject({
      type: "clock.accepted",
      data: { operator: "jane", reason: "the clock was a day late until now" },
    })
    expect(await machine.verified()).toBeNull()
  })
})

describe("a clock that is wrong at a start", () => {
  it("writes nothing without a witness where it is years ahead of the last entry, and goes on when it is right", async () => {
    const machine = await ledgerOnMachine()
    const first = await machine.start()
    await first.submit(grant)
    await first.submit(debit)
    const written = machine.written()
    await first.end()
    machine.jump(YEARS_MS)
    const second = await machine.start()
    expect(await second.submit(quote("q1"))).toMatchObject(unbelieved)
    expect(machine.written()).toBe(written)
    machine.jump(-YEARS_MS)
    expect(await second.submit(quote("q2"))).toHaveProperty("answer.totalUnits")
  })

  it("writes nothing where a witness contradicts it, also where that is by some minutes", async () => {
    const machine = await ledgerOnMachine()
    const first = await machine.start()
    await first.submit(grant)
    await first.end()
    machine.jump(6 * MINUTE_MS)
    const { submit, clock } = await machine.start()
    clock.testify("a witness", NOON_MS)
    expect(await submit(read)).toMatchObject(unbelieved)
    machine.jump(-6 * MINUTE_MS)
    expect(await submit(read)).toMatchObject(ofReading)
  })

  it("starts without a witness after some weeks, and behind its last entry, whose time it keeps", async () => {
    const machine = await ledgerOnMachine()
    const first = await machine.start()
    await first.submit(grant)
    await first.end()
    machine.pass(30 * DAY_MS)
    const second = await machine.start()
    expect(await second.submit(quote("q1"))).toMatchObject({ atMs: NOON_MS + 30 * DAY_MS })
    await second.end()
    machine.jump(-DAY_MS)
    const third = await machine.start()
    expect(await third.submit(quote("q2"))).toMatchObject({ atMs: NOON_MS + 30 * DAY_MS })
  })
})
