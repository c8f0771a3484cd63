import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { contradictionIn } from "../../../ledger/model/balance.ts"
import { lastDayOf } from "../../../ledger/model/claims.ts"
import { decide, evolve } from "../../../ledger/model/decider.ts"
import type { LedgerEvent } from "../../../ledger/model/entry.ts"
import { initialState, type State } from "../../../ledger/model/state.ts"
import { verifyLedger } from "../../../ledger/verify/verify.ts"
import { foldLedger } from "../../../ledger/write/fold-log.ts"
import { openLedger } from "../../../ledger/write/writer.ts"
import { makeMemoryLog } from "../../support/memory-log.ts"
import { confirmed, debit, given, hashOf, NOON_MS, type Outcome, type Scenario } from "./given.ts"
import { commandOf, creditsOfTransaction, type Step, steps } from "./moves.ts"
import { makeNaive, type NaiveOutcome } from "./naive.ts"

const RUNS = Number(process.env.RUNS ?? 3_000)
const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31)
process.stdout.write(`ledger model: SEED=${seed} RUNS=${RUNS}\n`)

/** The part of a real answer that the naive ledger also gives. */
const comparableOf = (outcome: Outcome<never>): NaiveOutcome => {
  if ("refused" in outcome) return (outcome.refused as { readonly _tag: string })._tag
  const answer: Readonly<Record<string, NaiveOutcome>> = outcome.answer
  return answer.balance ?? answer.became ?? answer.refunded ?? "?"
}

/** What an event adds to the sum of an account's entries. */
const deltaOf = ({ type, data }: LedgerEvent): number => {
  switch (type) {
    case "credits.debited":
      return -data.credits
    case "debit.settled":
      return data.returned
    case "purchase.reversed":
      return -data.taken - data.shortfall
    case "credits.refunded":
    case "credits.granted":
    case "purchase.credited":
      return data.credits
    default:
      return 0
  }
}

const checkSums = (scenario: Scenario) => {
  const sums = new Map<string, number>()
  for (const [event] of scenario.history)
    if ("account" in event.data) sums.set(event.data.account, (sums.get(event.data.account) ?? 0) + deltaOf(event))
  for (const [id, { balance, shortfall }] of scenario.state.accounts.entries()) {
    expect(balance).toBeGreaterThanOrEqual(0)
    expect(shortfall).toBeGreaterThanOrEqual(0)
    expect(balance * shortfall).toBe(0)
    expect(sums.get(id)).toBe(balance - shortfall)
  }
}

/** Plays a run on both, and compares every answer. */
const play = (run: ReadonlyArray<Step>): Scenario => {
  const scenario = given()
  const naive = makeNaive()
  const debits: Array<string> = []
  let nowMs = NOON_MS
  const tokenOf = (account: string) => scenario.state.accounts.get(account)?.token?.hash ?? hashOf("none")
  for (const [index, { move, afterMs }] of run.entries()) {
    nowMs += afterMs
    const idOf = (nth: number) => debits[nth % Math.max(1, debits.length)] ?? "none"
    const command = commandOf(move, tokenOf, idOf, `debit ${index}`)
    const outcome =
      command._tag === "confirm"
        ? confirmed(scenario, { ...command, signedUntil: lastDayOf(nowMs) }, nowMs)
        : scenario.when(command, nowMs)
    const answer = "answer" in outcome ? outcome.answer : {}
    const id = "debit" in answer ? String(answer.debit) : "debit" in move ? idOf(Number(move.debit)) : `debit ${index}`
    const makes = move.do === "debit" || move.do === "reserve"
    const made = "answer" in outcome && makes && outcome.events.length > 0
    const token = "account" in move ? tokenOf(move.account) : ""
    if (made) debits.push(id)
    const credits = "transaction" in move ? creditsOfTransaction(move.transaction) : 0
    expect({ index, move, outcome: comparableOf(outcome as Outcome<never>) }).toEqual({
      index,
      move,
      outcome: naive.play(move, id, nowMs, credits, token),
    })
    for (const [account, { balance, shortfall }] of naive.accounts)
      expect(scenario.state.accounts.get(account)).toMatchObject({ balance, shortfall })
    expect({ index, contradiction: contradictionIn(scenario.state) }).toEqual({ index, contradiction: null })
  }
  return scenario
}

describe("any sequence of commands", () => {
  it(`is answered as a naive ledger answers it, keeps every sum, and replays to the same state (${RUNS} runs)`, () => {
    fc.assert(
      fc.property(steps, (run) => {
        const scenario = play(run)
        checkSums(scenario)
        const replayed = initialState()
        for (const [event, atMs] of scenario.history) evolve(replayed, event, atMs)
        expect(replayed).toEqual(scenario.state)
      }),
      { numRuns: RUNS, seed },
    )
  })

  it("ends in the same ledger however its commands are grouped into appends", async () => {
    const spending = fc.array(
      fc.record({
        kind: fc.constantFrom("debit" as const, "settle" as const, "read" as const),
        id: fc.nat(15),
        together: fc.boolean(),
      }),
      { maxLength: 40, size: "max" },
    )
    await fc.assert(
      fc.asyncProperty(spending, async (run) => {
        const memory = makeMemoryLog()
        const alone = given()
        const token = hashOf("token")
        const grant = {
          _tag: "grant",
          account: "a",
          credits: 9,
          operator: "jane",
          reason: "a run",
          payment: null,
          token: { claimant: "grant/a", origin: "a", generation: 1, kid: "k1", hash: token },
        } as const
        const commands = run.map(({ kind, id }) =>
          kind === "debit"
            ? debit(token, `d${id}`)
            : kind === "settle"
              ? ({ _tag: "settle", debit: `d${id}`, noChargeReason: id % 3 === 0 ? "empty_range" : null } as const)
              : ({ _tag: "readAccount", by: { account: "a" } } as const),
        )
        alone.accepted(grant)
        for (const command of commands) alone.when(command)
        const state = await Effect.runPromise(
          Effect.scoped(
            Effect.gen(function* () {
              const ledger = yield* openLedger({ log: memory.log, nowMs: () => NOON_MS })
              yield* ledger.submit(grant)
              let group: Array<Effect.Effect<unknown>> = []
              for (const [index, command] of commands.entries()) {
                group.push(Effect.exit(ledger.submit(command)))
                if (run[index]?.together === true) continue
                yield* Effect.all(group, { concurrency: "unbounded" })
                group = []
              }
              yield* Effect.all(group, { concurrency: "unbounded" })
              expect(yield* verifyLedger(memory.log)).toMatchObject({ offence: null })
              return (yield* foldLedger(memory.log, Number.MAX_SAFE_INTEGER)).state
            }),
          ),
        )
        expect<State>(state).toEqual(alone.state)
      }),
      { numRuns: Math.ceil(RUNS / 30), seed },
    )
  })

  it("never takes back time: a clock that jumps changes when things happen, not what they add up to", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -600_000, max: 600_000 }), { maxLength: 20 }), (jumps) => {
        const scenario = given()
        const token = hashOf("a")
        scenario.accepted(commandOf({ do: "grant", account: "a", credits: 9 }, String, String, ""))
        let [clockMs, lastMs] = [NOON_MS, 0]
        for (const [n, jump] of jumps.entries()) {
          clockMs += jump
          scenario.when(debit(token, `d${n}`), clockMs)
          const orphans = decide(scenario.state, { _tag: "refundOrphans" }, clockMs)
          expect(orphans._tag).toBe("Success")
          expect(scenario.state.nowMs).toBeGreaterThanOrEqual(lastMs)
          lastMs = scenario.state.nowMs
        }
        checkSums(scenario)
      }),
      { numRuns: 200, seed },
    )
  })
})
