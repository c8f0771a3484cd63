import * as fc from "fast-check"
import { expect, it } from "vitest"
import { asSingle, rounded } from "./number.ts"

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
