import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { exahashesPerSecond } from "./mempool-space.ts"

describe("exahashes a second", () => {
  it.each([
    [1e18, 1],
    // Beyond 64 bits: 2^63 is 9.22e18.
    [252033247355212300000, 252.0332473552123],
    [907782986431433900000, 907.782986431434],
    [1.5e21, 1_500],
    [1e15, 0.001],
  ])("of %d hashes a second are %d", (hashes, exahashes) => {
    expect(exahashesPerSecond(hashes)).toBe(exahashes)
  })
  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])("of %d are unknown", (hashes) => {
    expect(exahashesPerSecond(hashes)).toBeNull()
  })
  it("grow with the hashes", () => {
    const hashes = fc.double({ min: 1, max: 1e24, noNaN: true })
    fc.assert(
      fc.property(hashes, hashes, (one, other) => {
        const [less, more] = one <= other ? [one, other] : [other, one]
        expect(exahashesPerSecond(less) ?? Number.NaN).toBeLessThanOrEqual(exahashesPerSecond(more) ?? Number.NaN)
      }),
    )
  })
})
