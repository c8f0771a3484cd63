import { expect, it } from "vitest"
import { rounded } from "./number.ts"

it("drops the noise of floating point and keeps the value", () => {
  expect(rounded(2131.528197999999, 2)).toBe(2131.53)
  expect(rounded(-0.5, 2)).toBe(-0.5)
  expect(rounded(50.5, 0)).toBe(51)
  expect(rounded(1e21, 2)).toBe(1e21)
  expect(Object.is(rounded(-1e-9, 2), 0)).toBe(true)
})
