import { describe, expect, it } from "vitest"
import { georssPoint, pointOrNull } from "./georss.ts"
import { decimalOrNull } from "./text-numbers.ts"

describe("a decimal in text", () => {
  it.each([
    ["12", 12],
    [" -0.50 ", -0.5],
    ["+3.", 3],
    [".25", 0.25],
    ["-0", 0],
  ])("%j is %d", (text, number) => {
    expect(decimalOrNull(text)).toBe(number)
  })
  it.each(["", " ", "1,000", "1e3", "0x10", "NaN", "Infinity", "12 km", "--1", "1".repeat(40), null, undefined])(
    "%j is none",
    (text) => {
      expect(decimalOrNull(text)).toBeNull()
    },
  )
})

describe("a GeoRSS point", () => {
  it("has its latitude first", () => {
    expect(georssPoint("-16.2500 168.1200")).toEqual({ latitude: -16.25, longitude: 168.12 })
    expect(georssPoint("  52.0760,\n -176.1300 ")).toEqual({ latitude: 52.076, longitude: -176.13 })
  })
  it.each(["", "16.25", "16.25 168.12 300", "91 0", "0 180.5", "north east", null])(
    "%j is none, nor half of one",
    (text) => {
      expect(georssPoint(text)).toBeNull()
    },
  )
  it("is none where one coordinate is missing", () => {
    expect(pointOrNull(null, 3)).toBeNull()
    expect(pointOrNull(0, 0)).toEqual({ latitude: 0, longitude: 0 })
  })
})
