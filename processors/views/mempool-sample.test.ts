import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { SeriesPoint } from "../view/memory.ts"
import { arrivalsPerMinute, sampleShare } from "./pro-whales.ts"

const MINUTE_MS = 60_000
const points = (values: ReadonlyArray<number>): ReadonlyArray<SeriesPoint> =>
  values.map((value, index) => [index * MINUTE_MS, value])
const flat = (count: number, height = 1) => points(Array.from({ length: count }, () => height))

describe("the rate of arrivals", () => {
  it("is the median growth of a minute, by hand", () => {
    // Growth: 300, 400, 500, 400, 900.
    expect(arrivalsPerMinute(points([1000, 1300, 1700, 2200, 2600, 3500]), flat(6))).toBe(400)
    // Growth: 300, 400, 500, 400, 900, 600.
    expect(arrivalsPerMinute(points([1000, 1300, 1700, 2200, 2600, 3500, 4100]), flat(7))).toBe(450)
  })
  it("leaves out stretches in which a block was found, and those that shrank", () => {
    const counts = points([1000, 1400, 1800, 100, 500, 900, 800, 1300])
    const heights = points([7, 7, 7, 8, 8, 8, 8, 8])
    expect(arrivalsPerMinute(counts, heights)).toBe(400)
  })
  it("takes the time between two looks into account", () => {
    const counts = [0, 2, 4, 6, 8, 10].map((minute): SeriesPoint => [minute * MINUTE_MS, 1_000 + minute * 350])
    expect(
      arrivalsPerMinute(
        counts,
        counts.map(([at]) => [at, 1]),
      ),
    ).toBe(350)
  })
  it("is unknown of fewer than five stretches, and where heights are not known at these times", () => {
    expect(arrivalsPerMinute(points([1, 2, 3, 4, 5]), flat(5))).toBeNull()
    expect(arrivalsPerMinute(points([1, 2, 3, 4, 5, 6, 7, 8]), [])).toBeNull()
    expect(arrivalsPerMinute([], [])).toBeNull()
  })
})

describe("the share of a sample", () => {
  it.each([
    [60, 400, 0.15],
    [60, 30, 1],
    [0, 400, 0],
    [60, null, null],
  ] as const)("of %d shown and %d arriving is %d", (shown, arrivals, share) => {
    expect(sampleShare(shown, arrivals)).toBe(share)
  })
  it("lies in [0, 1]", () => {
    fc.assert(
      fc.property(fc.nat(600), fc.integer({ min: 1, max: 10_000 }), (shown, arrivals) => {
        const share = sampleShare(shown, arrivals) ?? -1
        expect(share).toBeGreaterThanOrEqual(0)
        expect(share).toBeLessThanOrEqual(1)
      }),
    )
  })
})
