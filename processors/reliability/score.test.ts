import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Verdict } from "../../schemas/events/deltas.ts"
import { countsOf, scoreOf, WINDOW_CHECKS, withCheck } from "./score.ts"

describe("scores", () => {
  it.each([
    [
      { ok: 0, stale: 0, dark: 0 },
      { score: 0, uptime: 0, checks: 0, trust: "low", low_coverage: true },
    ],
    [
      { ok: 11, stale: 0, dark: 0 },
      { score: 100, uptime: 1, checks: 11, trust: "low", low_coverage: true },
    ],
    [
      { ok: 6, stale: 3, dark: 3 },
      { score: 63, uptime: 0.5, availability: 0.75, staleness_rate: 0.25, dark_rate: 0.25 },
    ],
    [
      { ok: 287, stale: 0, dark: 0 },
      { trust: "medium", low_coverage: false },
    ],
    [
      { ok: 288, stale: 0, dark: 0 },
      { trust: "high", low_coverage: false },
    ],
  ])("of %j", (counts, expected) => {
    expect(scoreOf(counts)).toMatchObject(expected)
  })

  it("count exactly the verdicts of the last seven days, whatever gaps there are", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.tuple(
            fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1000, max: 5000 })),
            fc.constantFrom<Verdict>("ok", "stale", "dark"),
          ),
          { minLength: 1, maxLength: 60 },
        ),
        (steps) => {
          let slot = 100
          let checks: ReturnType<typeof withCheck> | undefined
          const all: Array<readonly [number, Verdict]> = []
          for (const [gap, verdict] of steps) {
            slot += gap
            checks = withCheck(checks, slot, verdict)
            all.push([slot, verdict])
            const within = all.filter(([at]) => at > slot - WINDOW_CHECKS)
            const having = (kind: Verdict) => within.filter(([, one]) => one === kind).length
            expect(countsOf(checks)).toEqual({ ok: having("ok"), stale: having("stale"), dark: having("dark") })
            expect(checks.letters.length).toBeLessThanOrEqual(WINDOW_CHECKS)
          }
        },
      ),
      { numRuns: 100 },
    )
  })
})
