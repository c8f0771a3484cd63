import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { ChainUnavailable } from "../../ledger/chain.port.ts"
import type { LedgerClock } from "../../ledger/write/clock.ts"
import { HOSTS_MIN, makeDateWitness, witnessChain } from "./witnesses.ts"

const NOW_MS = Date.parse("2026-08-17T12:00:00Z")
const SECOND_MS = 1_000
const DAY_MS = 24 * 3_600 * SECOND_MS
const dateOf = (atMs: number) => new Date(atMs).toUTCString()

describe("the header Date of upstreams", () => {
  const setUp = () => {
    let steadyMs = 0
    return {
      witness: makeDateWitness(() => steadyMs),
      pass: (ms: number) => {
        steadyMs += ms
      },
    }
  }

  it("is believed when several hosts agree, and goes on from there", () => {
    const { witness, pass } = setUp()
    for (let host = 1; host < HOSTS_MIN; host++) witness.note(`host ${host}`, dateOf(NOW_MS), undefined)
    expect(witness.nowMs()).toBeNull()
    witness.note("host 1", dateOf(NOW_MS), undefined)
    expect(witness.nowMs()).toBeNull()
    witness.note("another", dateOf(NOW_MS + SECOND_MS), undefined)
    expect(witness.nowMs()).toBe(NOW_MS)
    pass(60 * SECOND_MS)
    expect(witness.nowMs()).toBe(NOW_MS + 60 * SECOND_MS)
    pass(15 * 60 * SECOND_MS)
    expect(witness.nowMs()).toBeNull()
  })

  it("is not moved by hosts that lie while most do not, and says nothing where they do not agree", () => {
    const { witness } = setUp()
    for (const host of ["a", "b", "c"]) witness.note(host, dateOf(NOW_MS), undefined)
    witness.note("liar 1", dateOf(NOW_MS + 365 * DAY_MS), undefined)
    witness.note("liar 2", dateOf(NOW_MS - 365 * DAY_MS), undefined)
    expect(witness.nowMs()).toBe(NOW_MS)
    witness.note("liar 3", dateOf(NOW_MS + 365 * DAY_MS), undefined)
    expect(witness.nowMs()).toBeNull()
  })

  it("counts from when an answer was made that comes out of a cache, and none that is no date", () => {
    const { witness } = setUp()
    witness.note("a", dateOf(NOW_MS - 600 * SECOND_MS), "600")
    witness.note("b", dateOf(NOW_MS), "0")
    for (const [date, age] of [
      [undefined, undefined],
      ["yesterday", "0"],
      [dateOf(NOW_MS), "x"],
      [dateOf(NOW_MS), "-5"],
    ] as const)
      witness.note("c", date, age)
    expect(witness.nowMs()).toBeNull()
    witness.note("c", dateOf(NOW_MS), undefined)
    expect(witness.nowMs()).toBe(NOW_MS)
  })
})

describe("the chain's newest block", () => {
  /** Runs the witness over heads, one for each look; null where no provider answers. */
  const testimonies = (heads: ReadonlyArray<number | null>) => {
    const said: Array<number> = []
    const heard: Array<boolean> = []
    let at = 0
    const clock: LedgerClock = {
      read: () => ({ _tag: "doubted", reason: "" }),
      testify: (_, atMs) => void said.push(atMs),
      accept: () => undefined,
    }
    const headAtMs = Effect.suspend(() => {
      const head = heads[at++] ?? null
      return head === null
        ? Effect.fail(new ChainUnavailable({ problem: "no provider answers", retryAfterSeconds: 1 }))
        : Effect.succeed(head)
    })
    return Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(
        witnessChain({
          chain: { headAtMs },
          clock,
          wallMs: () => NOW_MS,
          onLook: (isWitness) => Effect.sync(() => void heard.push(isWitness)),
        }),
        { startImmediately: true },
      )
      while (heard.length < heads.length) yield* TestClock.adjust("60 seconds")
      yield* Fiber.interrupt(fiber)
      return { said, heard }
    }).pipe(Effect.provide(TestClock.layer()), Effect.runPromise)
  }

  it("speaks at once where it agrees with the clock", async () => {
    expect(await testimonies([NOW_MS - 4 * SECOND_MS])).toEqual({ said: [NOW_MS - 4 * SECOND_MS], heard: [true] })
  })

  it("contradicts the clock only when a newer block has shown that the chain goes on", async () => {
    const dayBefore = NOW_MS - DAY_MS
    expect((await testimonies([dayBefore, dayBefore, dayBefore])).said).toEqual([])
    expect((await testimonies([dayBefore, dayBefore + 2 * SECOND_MS])).said).toEqual([dayBefore + 2 * SECOND_MS])
  })

  it("is not waited for while no provider answers", async () => {
    expect(await testimonies([null, NOW_MS])).toEqual({ said: [NOW_MS], heard: [false, true] })
  })
})
