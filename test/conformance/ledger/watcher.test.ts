import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { TestClock } from "effect/testing"
import { register } from "prom-client"
import {
  ChainUnavailable,
  type Transaction,
  type TransactionLookup,
  type WatchedChain,
} from "../../../ledger/chain.port.ts"
import { BillingUnavailable, type LedgerClient } from "../../../ledger/client.ts"
import type { Observe } from "../../../ledger/command.ts"
import { MISSED_BLOCKS_MIN, MISSED_MS_MIN, MISSES_MIN } from "../../../ledger/rules.ts"
import { verifyLedger } from "../../../ledger/verify/verify.ts"
import { makeWatcher, type Watcher, watchChain } from "../../../ledger/watch/watcher.ts"
import { openLedger } from "../../../ledger/write/writer.ts"
import { makeMemoryLog } from "../../support/memory-log.ts"
import { address, confirm, MINUTE_MS, NOON_MS, SECOND_MS, tokenOf, transaction, transfer, word } from "./given.ts"

const PAYER = address("payer")
const ROUND_MS = 10 * SECOND_MS
const LONG_MS = 3 * 60 * MINUTE_MS

/** Ten dollars, five blocks deep. */
const paid = (more: Partial<Transaction> = {}): Transaction =>
  transaction("paid", [transfer(PAYER, 10_000_000)], { confirmations: 5, depth: "latest", ...more })
const elsewhere = (more: Partial<Transaction> = {}): Transaction =>
  paid({ block: { hash: word("another block"), number: 34_000_007, atMs: NOON_MS }, ...more })
const mined = (found: Transaction): TransactionLookup => ({ _tag: "mined", transaction: found })
const UNKNOWN: TransactionLookup = { _tag: "unknown" }

/** A chain that says what the test wants, and counts how often it was asked. */
const scriptedChain = () => {
  const script = {
    found: mined(paid()) as TransactionLookup | "unavailable",
    head: 34_000_005,
    looks: 0,
    headFails: false,
    held: false,
  }
  const unavailable = Effect.fail(new ChainUnavailable({ problem: "made so by a test", retryAfterSeconds: 1 }))
  const chain: Pick<WatchedChain, "find" | "head" | "holds" | "walletUnits"> = {
    find: () =>
      Effect.suspend(() => {
        script.looks += 1
        return script.found === "unavailable" ? unavailable : Effect.succeed(script.found)
      }),
    head: Effect.suspend(() => (script.headFails ? unavailable : Effect.succeed(script.head))),
    holds: (transaction, { hash }) =>
      Effect.sync(() => script.held && transaction === word("paid") && hash === word("block of paid")),
    walletUnits: Effect.sync(() => 12_000_000n),
  }
  return { script, chain }
}

const scene = Effect.gen(function* () {
  const memory = makeMemoryLog()
  const clock = { nowMs: NOON_MS + 2 * MINUTE_MS }
  const { script, chain } = scriptedChain()
  const open = Effect.map(openLedger({ log: memory.log, nowMs: () => clock.nowMs }), (ledger) => ({
    ledger,
    watcher: makeWatcher({ ledger, chain }),
  }))
  let { ledger, watcher } = yield* open
  /** Another process takes the ledger over: nothing is known but what the log holds. */
  const restart = Effect.map(open, (next) => {
    ledger = next.ledger
    watcher = next.watcher
  })
  const origin = `8453/${word("paid")}`
  const claim = confirm(paid(), {
    signer: PAYER,
    token: { claimant: `payer/${PAYER}`, origin, generation: 1, kid: "k1", hash: tokenOf(PAYER, origin) },
  })
  yield* ledger.submit(claim)
  const isDoubt = ({ type }: { readonly type: string }) => type === "purchase.doubted" || type === "purchase.trusted"
  const doubts = () => memory.events("ledger").filter(isDoubt)
  /** What has happened, but for doubts. */
  const types = () =>
    memory
      .events("ledger")
      .filter((event) => !isDoubt(event))
      .map(({ type }) => type)
  const account = Effect.suspend(() =>
    Effect.map(
      ledger.submit({ _tag: "readAccount", by: { account: "account" } }),
      ({ answer: { balance, shortfall, purchases } }) => ({ balance, shortfall, status: purchases[0]?.status }),
    ),
  )
  /** Rounds for so long; the chain grows by a block every two seconds, unless it stands still. */
  const rounds = (ms: number, grows = true) =>
    Effect.gen(function* () {
      for (let passed = 0; passed < ms; passed += ROUND_MS) {
        clock.nowMs += ROUND_MS
        if (grows) script.head += 5
        yield* TestClock.setTime(clock.nowMs)
        yield* Effect.exit(watcher.round)
      }
    })
  yield* TestClock.setTime(clock.nowMs)
  return { script, watcher, types, doubts, account, rounds, restart, memory }
})

const scenario = (
  name: string,
  run: (given: Effect.Success<typeof scene>) => Effect.Effect<void, unknown, Scope.Scope>,
) => it.effect(name, () => Effect.scoped(Effect.flatMap(scene, run)))

const credited = ["purchase.credited", "token.issued"]

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

  scenario("takes back what left the chain, but not hastily, and credits it again where it comes back", (given) =>
    Effect.gen(function* () {
      given.script.found = UNKNOWN
      yield* given.rounds(MISSED_MS_MIN - MINUTE_MS)
      expect(yield* given.account).toEqual({ balance: 500, shortfall: 0, status: "credited" })
      yield* given.rounds(3 * MINUTE_MS)
      expect(yield* given.account).toEqual({ balance: 0, shortfall: 0, status: "reversed" })
      given.script.found = mined(elsewhere({ confirmations: 4 }))
      yield* given.rounds(LONG_MS / 3)
      expect((yield* given.account).balance).toBe(0)
      given.script.found = mined(elsewhere({ confirmations: 5 }))
      yield* given.rounds(2 * MINUTE_MS)
      expect(yield* given.account).toEqual({ balance: 500, shortfall: 0, status: "credited" })
      expect(given.types()).toEqual([...credited, "purchase.reversed", "purchase.credited"])
    }),
  )

  scenario(
    "does not forget its doubts when it is started again, and again, before it has waited for long enough",
    (given) =>
      Effect.gen(function* () {
        given.script.found = UNKNOWN
        for (let minute = 0; minute < MISSED_MS_MIN / MINUTE_MS; minute++) {
          expect(yield* given.account).toEqual({ balance: 500, shortfall: 0, status: "credited" })
          yield* given.rounds(MINUTE_MS)
          yield* given.restart
        }
        yield* given.rounds(MINUTE_MS)
        expect(yield* given.account).toEqual({ balance: 0, shortfall: 0, status: "reversed" })
        expect(given.doubts().map(({ data }) => data)).toMatchObject([1, 2, 3, 4, 5, 6].map((misses) => ({ misses })))
        expect(yield* verifyLedger(given.memory.log)).toMatchObject({ offence: null })
      }),
  )

  scenario("takes back what left the chain also where the first look was given a wrong, huge head", (given) =>
    Effect.gen(function* () {
      given.script.found = UNKNOWN
      const honest = given.script.head
      given.script.head = 2 ** 40
      yield* given.rounds(ROUND_MS)
      expect(given.doubts()).toMatchObject([{ data: { head: 2 ** 40 + 5 } }])
      given.script.head = honest
      yield* given.rounds(MISSED_MS_MIN + MINUTE_MS)
      expect(yield* given.account).toEqual({ balance: 0, shortfall: 0, status: "reversed" })
    }),
  )

  scenario("writes a doubt for each look that misses, no more than are needed, and one end of them", (given) =>
    Effect.gen(function* () {
      given.script.found = UNKNOWN
      yield* given.rounds(LONG_MS, false)
      expect(given.doubts()).toHaveLength(MISSES_MIN)
      yield* given.restart
      given.script.found = mined(paid())
      yield* given.rounds(LONG_MS)
      expect(given.doubts().map(({ type }) => type)).toEqual([
        ...Array<string>(MISSES_MIN).fill("purchase.doubted"),
        "purchase.trusted",
      ])
      given.script.found = UNKNOWN
      yield* given.restart
      yield* given.rounds(2 * MISSES_MIN * ROUND_MS)
      expect(given.types()).toEqual(credited)
      expect(yield* verifyLedger(given.memory.log)).toMatchObject({ offence: null })
    }),
  )

  scenario("does not take back what providers do not show that stand still themselves", (given) =>
    Effect.gen(function* () {
      given.script.found = UNKNOWN
      yield* given.rounds(LONG_MS, false)
      expect(given.types()).toEqual(credited)
      given.script.head += MISSED_BLOCKS_MIN
      yield* given.rounds(6 * MINUTE_MS, false)
      expect(given.types()).toEqual([...credited, "purchase.reversed"])
    }),
  )

  scenario("does not take back what stands in its block, though nodes have dropped the receipt", (given) =>
    Effect.gen(function* () {
      given.script.found = UNKNOWN
      given.script.held = true
      yield* given.rounds(LONG_MS)
      expect(given.types()).toEqual(credited)
      given.script.held = false
      yield* given.rounds(LONG_MS)
      expect(given.types()).toEqual([...credited, "purchase.reversed"])
    }),
  )

  scenario("forgets its doubts when the payment is seen again", (given) =>
    Effect.gen(function* () {
      for (let times = 0; times < 4; times++) {
        given.script.found = UNKNOWN
        yield* given.rounds(MISSED_MS_MIN - MINUTE_MS)
        given.script.found = mined(paid())
        yield* given.rounds(MINUTE_MS)
      }
      expect(given.types()).toEqual(credited)
    }),
  )

  scenario("takes a transaction that is said to have failed for a missing one", (given) =>
    Effect.gen(function* () {
      given.script.found = { _tag: "failed" }
      yield* given.rounds(MINUTE_MS)
      expect(given.types()).toEqual(credited)
      yield* given.rounds(MISSED_MS_MIN + MINUTE_MS)
      expect(given.types()).toEqual([...credited, "purchase.reversed"])
    }),
  )

  scenario("lets a chain that cannot say change nothing, and does not count it as a miss", (given) =>
    Effect.gen(function* () {
      given.script.found = "unavailable"
      yield* given.rounds(LONG_MS)
      given.script.headFails = true
      yield* given.rounds(LONG_MS)
      given.script.headFails = false
      given.script.found = UNKNOWN
      yield* given.rounds((MISSES_MIN - 1) * ROUND_MS)
      expect(given.types()).toEqual(credited)
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
