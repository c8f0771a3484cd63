import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { TestClock } from "effect/testing"
import { register } from "prom-client"
import { BillingUnavailable, type LedgerClient } from "../../../ledger/client.ts"
import type { Observe } from "../../../ledger/command.ts"
import { makeWatcher, type Watcher, watchChain } from "../../../ledger/watch/watcher.ts"
import { address, MINUTE_MS, transfer, word } from "./given.ts"
import { credited, elsewhere, LONG_MS, mined, PAYER, paid, ROUND_MS, scenario, scriptedChain } from "./watched.ts"

describe("the watcher of the chain", () => {
  scenario("says nothing of a payment that stays where it was, and that it is final when it is", (given) =>
    Effect.gen(function* () {
      yield* given.rounds(MINUTE_MS)
      expect(given.types()).toEqual(credited)
      given.script.found = mined(paid({ depth: "safe", confirmations: 400 }))
      yield* given.rounds(MINUTE_MS)
      expect(given.types()).toEqual(credited)
      given.script.found = mined(paid({ depth: "finalized", confirmations: 700 }))
      yield* given.rounds(MINUTE_MS)
      expect(given.types()).toEqual([...credited, "purchase.finalised"])
      const { looks } = given.script
      yield* given.rounds(LONG_MS)
      expect(given.script.looks).toBe(looks)
    }),
  )

  scenario("moves a payment at once to another block that is deep enough, and waits for one that is not", (given) =>
    Effect.gen(function* () {
      given.script.found = mined(elsewhere({ confirmations: 1 }))
      yield* given.rounds(MINUTE_MS)
      expect(given.types()).toEqual(credited)
      given.script.found = mined(elsewhere({ confirmations: 5 }))
      yield* given.rounds(MINUTE_MS)
      expect(given.types()).toEqual([...credited, "purchase.reversed", "purchase.credited"])
      expect(yield* given.account).toEqual({ balance: 500, shortfall: 0, status: "credited" })
    }),
  )

  scenario("takes back a payment in whose place another payer's stands, once", (given) =>
    Effect.gen(function* () {
      given.script.found = mined({ ...elsewhere(), transfers: [transfer(address("another"), 10_000_000)] })
      yield* given.rounds(MINUTE_MS)
      expect(given.types()).toEqual([...credited, "purchase.reversed"])
      given.script.found = mined({ ...elsewhere(), transfers: [] })
      yield* given.rounds(MINUTE_MS)
      expect(given.types()).toEqual([...credited, "purchase.reversed"])
    }),
  )

  scenario(
    "takes back a payment whose transaction pays nothing in its new block, and has it again in the next",
    (given) =>
      Effect.gen(function* () {
        given.script.found = mined({ ...elsewhere(), transfers: [] })
        yield* given.rounds(MINUTE_MS)
        expect(given.types()).toEqual([...credited, "purchase.reversed"])
        expect(yield* given.account).toEqual({ balance: 0, shortfall: 0, status: "reversed" })
        given.script.found = mined(elsewhere())
        yield* given.rounds(MINUTE_MS)
        expect(yield* given.account).toEqual({ balance: 500, shortfall: 0, status: "credited" })
      }),
  )

  scenario("looks less often the older a payment is", (given) =>
    Effect.gen(function* () {
      const looksIn = (ms: number) =>
        Effect.gen(function* () {
          const before = given.script.looks
          yield* given.rounds(ms)
          return given.script.looks - before
        })
      const first = yield* looksIn(2 * MINUTE_MS)
      yield* looksIn(60 * MINUTE_MS)
      const later = yield* looksIn(20 * MINUTE_MS)
      expect(first).toBeGreaterThan(10)
      expect(later).toBeLessThan(6)
      expect(later).toBeGreaterThan(2)
    }),
  )

  scenario("shows how things stand", (given) =>
    Effect.gen(function* () {
      yield* given.rounds(ROUND_MS)
      expect(given.script.looks).toBe(1)
      yield* given.watcher.wallet
      const metrics = yield* Effect.promise(() => register.metrics())
      expect(metrics).toContain('tidewire_ledger_purchases_unfinal{status="credited"} 1')
      expect(metrics).toContain("tidewire_ledger_credited_units 10000000")
      expect(metrics).toContain("tidewire_ledger_wallet_units 12000000")
    }),
  )

  it.effect("reports that the chain is unavailable, and that it answers again", () =>
    Effect.gen(function* () {
      const { script, chain } = scriptedChain()
      const reports: Array<string | null> = []
      const ledger = answering([], Effect.fail({ _tag: "final_purchase" }))
      const watched = { ...chain, walletUnits: Effect.andThen(chain.head, chain.walletUnits) }
      script.headFails = true
      yield* Effect.forkScoped(watchChain({ ledger, chain: watched, report: (problem) => reports.push(problem) }))
      yield* TestClock.adjust(MINUTE_MS)
      expect(new Set(reports)).toEqual(new Set(["the chain is unavailable: made so by a test"]))
      script.headFails = false
      yield* TestClock.adjust(MINUTE_MS)
      expect(reports.at(-1)).toBe(null)
    }).pipe(Effect.scoped),
  )

  /** A ledger that answers observations as the test wants. */
  const answering = (
    submitted: Array<Observe>,
    observed: ReturnType<LedgerClient["submit"]> extends Effect.Effect<unknown, infer E>
      ? Effect.Effect<never, E>
      : never,
  ): LedgerClient => {
    const key = `8453/${word("paid")}/0`
    const purchase = {
      key,
      payment: { chainId: 8453, transaction: word("paid"), position: 0 },
      payer: PAYER,
      units: 10_000_000,
      blockHash: word("block of paid"),
      blockNumber: 34_000_000,
      creditedAtMs: 0,
      doubted: false,
      status: "credited",
    }
    const listed = { answer: { purchases: [purchase], more: false, creditedUnits: 10_000_000 }, entries: [], atMs: 0 }
    return {
      submit: (command) => {
        if (command._tag === "observe") submitted.push(command)
        // The test answers two commands of the eleven, each with its own kind of answer.
        return command._tag === "observe" ? observed : Effect.succeed(listed as never)
      },
    }
  }

  const twoRounds = (watcher: Watcher) =>
    Effect.gen(function* () {
      yield* Effect.exit(watcher.round)
      yield* TestClock.adjust(MINUTE_MS)
      yield* Effect.exit(watcher.round)
    })

  it.effect("submits again what the ledger could not accept", () =>
    Effect.gen(function* () {
      const { script, chain } = scriptedChain()
      script.found = mined(elsewhere())
      const submitted: Array<Observe> = []
      const refused = Effect.fail(new BillingUnavailable({ reason: "overloaded", retryAfterSeconds: 1 }))
      yield* twoRounds(makeWatcher({ ledger: answering(submitted, refused), chain }))
      expect(submitted).toHaveLength(2)
      expect(submitted[0]?.seen?.block.hash).toBe(word("another block"))
    }),
  )

  it.effect("counts and logs when the chain denies a payment that was final", () =>
    Effect.gen(function* () {
      const { script, chain } = scriptedChain()
      script.found = mined(elsewhere())
      const broken = async () =>
        (await register.getSingleMetric("tidewire_ledger_final_purchases_broken_total")?.get())?.values[0]?.value ?? 0
      const before = yield* Effect.promise(broken)
      const ledger = answering([], Effect.fail({ _tag: "final_purchase" }))
      yield* Effect.exit(makeWatcher({ ledger, chain }).round)
      expect(yield* Effect.promise(broken)).toBe(before + 1)
    }),
  )
})
