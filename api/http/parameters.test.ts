import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Endpoint } from "../../schemas/contract/endpoint-kinds.ts"
import { air, choices, place, things } from "../testing/api-under-test.ts"
import { makeParameterReader } from "./parameters.ts"

const reader = (endpoint: unknown) => makeParameterReader(endpoint as Endpoint)
const readPlace = reader(place)
const readAir = reader(air)
const readChoices = reader(choices)

const NOT_NUMBERS = [
  "",
  " ",
  "NaN",
  "Infinity",
  "-Infinity",
  "0x10",
  "0b1",
  "1_0",
  "1e999",
  "٣",
  "12abc",
  "--1",
  "+1",
  "1,5",
  "null",
  "true",
  "[]",
  "9".repeat(400),
]

describe("parameters", () => {
  it("gives equal places one key, at two decimals", () => {
    const keys = ["34.05", "34.0500", "34.049", "34.054999", "3.405e1", "0034.05"].map((lat) =>
      readPlace({ lat, lon: "-118.24" }),
    )
    expect(new Set(keys.map((one) => (one._tag === "Accepted" ? one.key : one.error)))).toEqual(
      new Set(["/api/place?lat=34.05&lon=-118.24"]),
    )
  })

  it("never returns -0", () => {
    for (const lat of ["-0", "-0.001", "-0.0000", "0", "-1e-9"])
      expect(readPlace({ lat, lon: "0" })).toMatchObject({ key: "/api/place?lat=0&lon=0" })
  })

  it("refuses what is not a plain number within bounds", () => {
    for (const lat of [...NOT_NUMBERS, "90.004", "-91", "1e3"])
      expect(readPlace({ lat, lon: "0" }), lat).toMatchObject({
        _tag: "Refused",
        error: "invalid_parameter",
        parameter: "lat",
      })
  })

  it("distinguishes a missing parameter from a wrong one", () => {
    expect(readPlace({})).toMatchObject({ error: "missing_parameter", parameter: "lat" })
    expect(readPlace({ lat: "1" })).toMatchObject({ error: "missing_parameter", parameter: "lon" })
    expect(readPlace({ lat: "1", lon: "" })).toMatchObject({ error: "invalid_parameter", parameter: "lon" })
  })

  it("refuses a parameter that was given twice, also twice the same", () => {
    expect(readPlace({ lat: ["1", "1"], lon: "0" })).toMatchObject({ error: "invalid_parameter", parameter: "lat" })
    expect(readChoices({ size: ["small", "large"] })).toMatchObject({ _tag: "Refused", allowed: ["small", "large"] })
  })

  it("ignores names that the endpoint does not know", () => {
    expect(reader(things)({ anything: "x" })).toMatchObject({ key: "/api/things" })
    expect(readChoices({ size: "large", utm_source: "x", __proto__: "y" })).toMatchObject({
      key: "/api/climate/choices?period=day&size=large",
    })
  })

  it("uses a default for what is absent, and none for what is wrong", () => {
    expect(readChoices({})).toMatchObject({ key: "/api/climate/choices?period=day&size=small" })
    for (const size of ["", "SMALL", " small", "toString", "constructor"])
      expect(readChoices({ size }), size).toMatchObject({ _tag: "Refused", parameter: "size" })
  })

  it("applies both defaults when either coordinate is missing or wrong", () => {
    const both = { _tag: "Accepted", key: "/api/air?lat=34.05&lon=-118.24" }
    for (const wrong of NOT_NUMBERS) {
      expect(readAir({ lat: wrong, lon: "10" }), wrong).toMatchObject(both)
      expect(readAir({ lat: "10", lon: wrong }), wrong).toMatchObject(both)
    }
    for (const query of [{}, { lat: "10" }, { lon: "10" }, { lat: ["1", "2"], lon: "10" }])
      expect(readAir(query)).toMatchObject(both)
    expect(readAir({ lat: "10", lon: "20.555" })).toMatchObject({ key: "/api/air?lat=10&lon=20.56" })
  })

  it("reads what it has made canonical as the same again", () => {
    fc.assert(
      fc.property(
        fc.double({ min: -90, max: 90, noNaN: true }),
        fc.double({ min: -180, max: 180, noNaN: true }),
        (lat, lon) => {
          const first = readPlace({ lat: String(lat), lon: String(lon) })
          if (first._tag === "Refused") throw new Error(first.message)
          expect(first.parameters.lat).toMatch(/^(?!-0$)-?\d+(\.\d{1,2})?$/)
          expect(Math.abs(Number(first.parameters.lat) - lat)).toBeLessThanOrEqual(0.005 + 1e-9)
          expect(readPlace(first.parameters)).toEqual(first)
        },
      ),
    )
  })

  it("never throws, and never repeats what it refuses", () => {
    const value = fc.oneof(fc.string(), fc.string({ unit: "binary" }), fc.array(fc.string()), fc.constant(undefined))
    fc.assert(
      fc.property(value, value, (lat, lon) => {
        const marked = typeof lat === "string" ? `<${lat}>` : lat
        const read = readPlace({ lat: marked, lon })
        if (read._tag === "Refused" && typeof marked === "string") expect(read.message).not.toContain(marked)
      }),
    )
  })
})
