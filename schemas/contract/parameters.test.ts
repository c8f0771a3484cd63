import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { instant } from "../event.ts"
import { instantText } from "./parameters.ts"

const decode = Schema.decodeUnknownResult(instantText)

describe("an instant as a parameter", () => {
  it.each([
    ["2026-11-20T12:34:56.789Z", "2026-11-20T12:34:56.789Z"],
    ["2026-11-20T12:34:56Z", "2026-11-20T12:34:56.000Z"],
    ["2026-11-20T12:34Z", "2026-11-20T12:34:00.000Z"],
    ["2026-11-20t12:34:56.7z", "2026-11-20T12:34:56.700Z"],
    ["2026-11-20T12:34:56,7Z", "2026-11-20T12:34:56.700Z"],
    // Cut off, never rounded up: what is later than the given instant stays later.
    ["2026-11-20T12:34:56.789999Z", "2026-11-20T12:34:56.789Z"],
    ["2026-11-20T12:34:56+01:00", "2026-11-20T11:34:56.000Z"],
    ["2026-11-20T12:34:56-0330", "2026-11-20T16:04:56.000Z"],
    ["2026-11-20T12:34:56+14", "2026-11-19T22:34:56.000Z"],
    // A plus that was sent unencoded.
    ["2026-11-20T12:34:56 01:00", "2026-11-20T11:34:56.000Z"],
    ["2028-02-29T00:00:00Z", "2028-02-29T00:00:00.000Z"],
    ["2027-12-31T23:30:00-01:00", "2028-01-01T00:30:00.000Z"],
    ["1970-01-01T00:00:00Z", "1970-01-01T00:00:00.000Z"],
  ])("%s is %s", (text, expected) => {
    expect(decode(text)).toEqual(Result.succeed(expected))
    expect(Result.flatMap(decode(text), Schema.encodeUnknownResult(instantText))).toEqual(Result.succeed(expected))
  })

  it.each([
    "",
    "now",
    "1763640896",
    "2026-11-20",
    "2026-11-20T12:34:56",
    "2026-11-20T12:34:56.789",
    "2026-11-20 12:34:56Z",
    "2026-11-20T12Z",
    "2027-02-29T00:00:00Z",
    "2026-02-30T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-11-20T24:00:00Z",
    "2026-11-20T12:60:00Z",
    "2026-11-20T12:34:60Z",
    "2026-11-20T12:34:56+24:00",
    "2026-11-20T12:34:56+01:60",
    "2026-11-20T12:34:56+1",
    "2026-11-20T12:34:56+",
    "2026-11-20T12:34:56Z ",
    "2026-11-20T12:34:56ZZ",
    "2026-11-20T12:34:56.Z",
    "2026-11-20T12:34:56.1234567890Z",
    "+002026-11-20T12:34:56Z",
    "-2026-11-20T12:34:56Z",
    "1969-12-31T23:59:59Z",
    "1970-01-01T00:00:00+01:00",
    "9999-12-31T23:59:59-01:00",
    "20261120T123456Z",
    "2026-W47-5T12:34:56Z",
    "２026-11-20T12:34:56Z",
  ])("%j is none", (text) => {
    expect(Result.isFailure(decode(text))).toBe(true)
  })

  it("is the same in every zone", () => {
    const LAST_MS = Date.parse("9999-12-30T00:00:00.000Z")
    fc.assert(
      fc.property(
        fc.integer({ min: 86_400_000, max: LAST_MS }),
        fc.integer({ min: -1_439, max: 1_439 }),
        (ms, east) => {
          const [hours, minutes] = [Math.floor(Math.abs(east) / 60), Math.abs(east) % 60]
          const offset = `${east < 0 ? "-" : "+"}${String(hours).padStart(2, "0")}:${String(minutes).padStart(2, "0")}`
          expect(decode(instant(ms + east * 60_000).replace("Z", offset))).toEqual(Result.succeed(instant(ms)))
        },
      ),
    )
  })
})
