import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { HEAD_REMEMBERED_MS, makeHeadMemory } from "./viem-chain.ts"

const BLOCK_MS = 2_000

describe("the memory of the chain's head", () => {
  it("is what was reached last, for a minute", () => {
    const heads = makeHeadMemory()
    expect(heads.at(0)).toBe(0)
    heads.note(100, 0)
    expect(heads.at(HEAD_REMEMBERED_MS)).toBe(100)
    expect(heads.at(HEAD_REMEMBERED_MS + 1)).toBe(0)
  })

  it("is prolonged by what reaches it, and not by what is behind it", () => {
    const heads = makeHeadMemory()
    heads.note(100, 0)
    heads.note(99, 50_000)
    expect(heads.at(60_001)).toBe(0)
    heads.note(100, 60_001)
    heads.note(100, 100_000)
    expect(heads.at(160_000)).toBe(100)
  })

  it("is near the honest head a minute after any wrong number, and at once where it knew an honest one before", () => {
    const wrong = fc.record({ afterMs: fc.nat(30_000), says: fc.integer({ min: 2 ** 30, max: 2 ** 48 }) })
    fc.assert(
      fc.property(fc.boolean(), fc.array(wrong, { minLength: 1, maxLength: 5 }), (knew, answers) => {
        const heads = makeHeadMemory()
        const honestAt = (ms: number) => 34_000_000 + Math.floor(ms / BLOCK_MS)
        if (knew) heads.note(honestAt(0), 0)
        let nowMs = 0
        for (const { afterMs, says } of answers) {
          nowMs += afterMs
          heads.note(says, nowMs)
          if (knew) expect(heads.at(nowMs)).toBeLessThanOrEqual(honestAt(nowMs) + answers.length)
        }
        nowMs += HEAD_REMEMBERED_MS + 1
        heads.note(honestAt(nowMs), nowMs)
        expect(heads.at(nowMs)).toBe(honestAt(nowMs))
      }),
    )
  })
})
