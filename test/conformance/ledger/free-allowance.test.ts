import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { evolve } from "../../../ledger/model/decider.ts"
import { initialState } from "../../../ledger/model/state.ts"
import { FREE_ENDS_PER_DAY } from "../../../schemas/contract/refusal.ts"
import { DAY_MS, debit, funded, given, hashOf, MINUTE_MS, NOON_MS, type Scenario } from "./given.ts"

const RUNS = Number(process.env.RUNS ?? 300)
const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31)
process.stdout.write(`free allowance: SEED=${seed} RUNS=${RUNS}\n`)

const MIDNIGHT_MS = Math.ceil(NOON_MS / DAY_MS) * DAY_MS
const mayEndFree = true

type End = "empty_range" | "client_gone" | "internal_error" | null

const settle = (id: string, noChargeReason: End) => ({ _tag: "settle", debit: id, noChargeReason }) as const

let calls = 0
/** A call from its debit to its end. */
const call = (scenario: Scenario, token: string, end: End, atMs?: number) => {
  calls += 1
  scenario.accepted(debit(token, `d${calls}`, { mayEndFree }), atMs)
  return scenario.accepted(settle(`d${calls}`, end))
}
const spent = (scenario: Scenario, token: string, times: number = FREE_ENDS_PER_DAY): void => {
  for (let n = 0; n < times; n++) call(scenario, token, n % 2 === 0 ? "empty_range" : "client_gone", NOON_MS)
}

describe("calls that end uncharged", () => {
  it("are served a hundred times a day, then refused until midnight UTC where they may end so again", () => {
    const scenario = given()
    const token = funded(scenario, "a", 50)
    spent(scenario, token)
    expect(scenario.refused(debit(token, "more", { mayEndFree }), NOON_MS + MINUTE_MS)).toEqual({
      _tag: "free_allowance_spent",
      retryAfterMs: MIDNIGHT_MS - NOON_MS - MINUTE_MS,
    })
    expect(scenario.accepted(debit(token, "other"))).toMatchObject({ balance: 49 })
    expect(scenario.refused(debit(token, "late", { mayEndFree }), MIDNIGHT_MS - 1)._tag).toBe("free_allowance_spent")
    expect(scenario.accepted(debit(token, "next", { mayEndFree }), MIDNIGHT_MS)).toMatchObject({ balance: 48 })
  })

  it("count for their own account alone, and our own failures for none", () => {
    const scenario = given()
    const [one, other] = [funded(scenario, "a", 50), funded(scenario, "b", 50)]
    for (let n = 0; n < 2 * FREE_ENDS_PER_DAY; n++) call(scenario, other, "internal_error")
    spent(scenario, one)
    expect(call(scenario, other, "empty_range")).toMatchObject({ charged: 0 })
    expect(scenario.refused(debit(one, "more", { mayEndFree }))._tag).toBe("free_allowance_spent")
  })

  it("are charged beyond it where the client has gone, so that no entry is written for nothing", () => {
    const scenario = given()
    const token = funded(scenario, "a", 50)
    spent(scenario, token)
    scenario.accepted(debit(token, "gone"))
    expect(scenario.when(settle("gone", "client_gone"))).toMatchObject({
      answer: { charged: 1, returned: 0, balance: 49 },
      events: [{ data: { charged: 1, returned: 0, noChargeReason: null } }],
    })
    expect(scenario.accepted(settle("gone", "client_gone"))).toMatchObject({ charged: 1, balance: 49 })
  })

  it("keep what was promised: an empty range that was debited before is free of charge after the last one as well", () => {
    const scenario = given()
    const token = funded(scenario, "a", 50)
    spent(scenario, token, FREE_ENDS_PER_DAY - 1)
    for (const id of ["x", "y"]) scenario.accepted(debit(token, id, { mayEndFree }))
    for (const id of ["x", "y"]) expect(scenario.accepted(settle(id, "empty_range"))).toMatchObject({ charged: 0 })
    expect(scenario.refused(debit(token, "z", { mayEndFree }))._tag).toBe("free_allowance_spent")
  })

  const step = fc.record({
    account: fc.constantFrom("a", "b"),
    end: fc.constantFrom<End>("empty_range", "empty_range", "client_gone", "internal_error", null),
    mayEndFree: fc.boolean(),
    afterMs: fc.constantFrom(0, 0, MINUTE_MS, 5 * 60 * MINUTE_MS, DAY_MS, -DAY_MS),
  })

  it(`are counted as a list of them counts, whatever the clock does, and the same in a replay (${RUNS} runs)`, () => {
    fc.assert(
      fc.property(
        fc.integer({ min: FREE_ENDS_PER_DAY - 4, max: FREE_ENDS_PER_DAY }),
        fc.array(step, { maxLength: 40, size: "max" }),
        (already, run) => {
          const scenario = given()
          const tokens = { a: funded(scenario, "a", 999), b: funded(scenario, "b", 999) }
          spent(scenario, tokens.a, already)
          const ends = Array.from({ length: already }, () => ({ account: "a", day: Math.floor(NOON_MS / DAY_MS) }))
          let [clockMs, nowMs] = [NOON_MS, NOON_MS]
          for (const [n, { account, end, mayEndFree, afterMs }] of run.entries()) {
            clockMs += afterMs
            nowMs = Math.max(nowMs, clockMs)
            const day = Math.floor(nowMs / DAY_MS)
            const isSpent = ends.filter((one) => one.account === account && one.day === day).length >= FREE_ENDS_PER_DAY
            const made = scenario.when(debit(tokens[account as "a" | "b"], `r${n}`, { mayEndFree }), clockMs)
            expect("refused" in made, JSON.stringify({ n, isSpent })).toBe(mayEndFree && isSpent)
            if ("refused" in made) continue
            const free = end !== null && !(end === "client_gone" && isSpent)
            expect(scenario.accepted(settle(`r${n}`, end), clockMs)).toMatchObject({ charged: free ? 0 : 1 })
            if (free && end !== "internal_error") ends.push({ account, day })
          }
          const replayed = initialState()
          for (const [event, atMs] of scenario.history) evolve(replayed, event, atMs)
          expect(replayed).toEqual(scenario.state)
        },
      ),
      { numRuns: RUNS, seed },
    )
  })

  it("of a stranger's token count nowhere", () => {
    expect(given().refused(debit(hashOf("guess"), "d", { mayEndFree }))._tag).toBe("invalid_token")
  })
})
