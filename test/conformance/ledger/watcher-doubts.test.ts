import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { MISSED_BLOCKS_MIN, MISSED_MIN_MS, MISSES_MIN } from "../../../ledger/rules.ts"
import { verifyLedger } from "../../../ledger/verify/verify.ts"
import { MINUTE_MS } from "./given.ts"
import { credited, elsewhere, LONG_MS, mined, paid, ROUND_MS, scenario, UNKNOWN } from "./watched.ts"

describe("a payment that the watcher does not find", () => {
  scenario("takes back what left the chain, but not hastily, and credits it again where it comes back", (given) =>
    Effect.gen(function* () {
      given.script.found = UNKNOWN
      yield* given.rounds(MISSED_MIN_MS - MINUTE_MS)
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
        for (let minute = 0; minute < MISSED_MIN_MS / MINUTE_MS; minute++) {
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
      yield* given.rounds(MISSED_MIN_MS + MINUTE_MS)
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
        yield* given.rounds(MISSED_MIN_MS - MINUTE_MS)
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
      yield* given.rounds(MISSED_MIN_MS + MINUTE_MS)
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
})
