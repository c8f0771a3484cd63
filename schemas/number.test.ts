import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { asSingle, percentChange, rounded } from "./number.ts"

it("drops the noise of floating point and keeps the value", () => {
  expect(rounded(2131.528197999999, 2)).toBe(2131.53)
  expect(rounded(-0.5, 2)).toBe(-0.5)
  expect(rounded(50.5, 0)).toBe(51)
  expect(rounded(1e21, 2)).toBe(1e21)
  expect(Object.is(rounded(-1e-9, 2), 0)).toBe(true)
})

it("gives a 32-bit float in the fewest digits that identify it", () => {
  expect(asSingle(1.348631826658675e-6)).toBe(1.3486318e-6)
  expect(asSingle(4.854724622305184e-8)).toBe(4.8547246e-8)
  expect(asSingle(Math.fround(0.1))).toBe(0.1)
  expect(asSingle(0)).toBe(0)
  fc.assert(
    fc.property(fc.float({ noNaN: true, noDefaultInfinity: true }), (measured) => {
      const said = asSingle(measured)
      expect(Math.fround(said)).toBe(Math.fround(measured) + 0)
      expect(
        said
          .toString()
          .replace(/e.*|[-.]/g, "")
          .replace(/^0+|0+$/g, "").length,
      ).toBeLessThanOrEqual(9)
    }),
  )
})

describe("the change of a price in percent", () => {
  it.each([
    // By hand: (69624 - 72292.68) / 72292.68 = -0.036914...
    [72_292.68, 69_624, 3, -3.691],
    [6_872.64, 6_705.82, 3, -2.427],
    [50, 75, 4, 50],
    [75, 50, 4, -33.3333],
    [8, 8, 3, 0],
    [1e-8, 2e-8, 3, 100],
    [3, 3.000001, 3, 0],
  ])("from %d to %d is, to %i places, %d", (from, to, places, percent) => {
    expect(percentChange(from, to, places)).toBe(percent)
  })
  it.each([
    [null, 1],
    [1, null],
    [0, 1],
    [1, 0],
    [-1, 1],
    [1, -1],
    [Number.NaN, 1],
  ])("from %s to %s is unknown", (from, to) => {
    expect(percentChange(from, to, 3)).toBeNull()
  })

  it("leads back to the price that it was made of, never falls below -100, and never is -0", () => {
    const price = fc.double({ min: 1, max: 1e6, noNaN: true })
    fc.assert(
      fc.property(price, price, (from, to) => {
        const change = percentChange(from, to, 9) ?? Number.NaN
        expect(Math.abs(from * (1 + change / 100) - to)).toBeLessThanOrEqual(from * 1e-9 + to * 1e-9)
        expect(change).toBeGreaterThanOrEqual(-100)
        expect(Object.is(change, -0)).toBe(false)
      }),
    )
  })
})
