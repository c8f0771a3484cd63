import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { encodeEvent, Instant, instant, isInstant, makeEventReader } from "./event.ts"
import { clockTicked } from "./events/observations.ts"

const isOfSchema = Schema.is(Instant)

const digits = (count: number) => fc.nat(10 ** count - 1).map((value) => String(value).padStart(count, "0"))
/** Texts in the form of an instant; few of them are one. */
const formed = fc
  .tuple(digits(4), digits(2), digits(2), digits(2), digits(2), digits(2), digits(3))
  .map(([year, month, day, hour, minute, second, ms]) => `${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`)
/** The same near the ends of months, days, hours and minutes. */
const nearEnds = fc
  .tuple(
    fc.constantFrom("1900", "2000", "2023", "2024", "2100"),
    fc.constantFrom("00", "01", "02", "04", "12", "13"),
    fc.constantFrom("00", "01", "28", "29", "30", "31", "32"),
    fc.constantFrom("00", "23", "24"),
    fc.constantFrom("00", "59", "60"),
    fc.constantFrom("00", "59", "60"),
  )
  .map(([year, month, day, hour, minute, second]) => `${year}-${month}-${day}T${hour}:${minute}:${second}.000Z`)

/** `Date` moves what does not exist to another instant, or reads none. */
const staysAsItIs = (text: string): boolean => {
  const ms = Date.parse(text)
  return !Number.isNaN(ms) && instant(ms) === text
}

describe("an instant", () => {
  it("is what Date writes", () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date(0), max: new Date("9999-12-31T23:59:59.999Z"), noInvalidDate: true }),
        (date) => {
          expect([isInstant(date.toISOString()), isOfSchema(date.toISOString())]).toEqual([true, true])
        },
      ),
    )
  })

  it("exists: no 30 February, no 13th month, no 24 o'clock, no leap second", () => {
    fc.assert(
      fc.property(fc.oneof(formed, nearEnds), (text) => {
        expect([text, isInstant(text), isOfSchema(text)]).toEqual([text, staysAsItIs(text), staysAsItIs(text)])
      }),
      { numRuns: 2_000 },
    )
  })

  it.each([
    "",
    "now",
    "2026-08-17",
    "2026-08-17T20:35:00Z",
    "2026-08-17T20:35:00.000+00:00",
    "2026-08-17T20:35:00.000Z\n",
  ])("has one form: %j has not", (text) => {
    expect([isInstant(text), isOfSchema(text)]).toEqual([false, false])
  })

  it("is the time of an event that is checked, whatever the type", () => {
    const reader = makeEventReader([clockTicked as never])
    const stored = (time: string) =>
      encodeEvent({
        specversion: "1.0",
        id: "x",
        source: "test",
        type: clockTicked.type,
        subject: "clock",
        time,
        datacontenttype: "application/json",
        v: clockTicked.version,
        data: {},
      })
    expect(Result.isSuccess(reader.decodeEvent(stored("2024-02-29T00:00:00.000Z")))).toBe(true)
    for (const time of ["2026-02-29T00:00:00.000Z", "2026-02-28T24:00:00.000Z", "yesterday"])
      expect(Result.getOrThrow(Result.flip(reader.decodeEvent(stored(time)))).message, time).toBe(
        "not an event: its time is no instant",
      )
  })
})
