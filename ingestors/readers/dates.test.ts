import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { dayMs, dayOf, isDay } from "../../schemas/day.ts"
import { type CivilTime, civilMs, monthOf } from "./civil-time.ts"
import { instantOrNull } from "./instants.ts"
import { asctimeMs, rfc822Ms } from "./text-dates.ts"
import { easternMs, warsawMs } from "./zone-time.ts"

const at = (iso: string): number => Date.parse(iso)
/** Any second from the second day of 1970 to 2099. */
const seconds = fc.integer({ min: 86_400, max: Math.floor(Date.UTC(2099, 11, 31) / 1000) }).map((s) => s * 1000)
const civil = (iso: string): CivilTime => {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = iso.split(/[-T:]/).map(Number)
  return { year, month, day, hour, minute, second }
}

describe("a day", () => {
  it.each(["2026-02-28", "2024-02-29", "2000-02-29", "1970-01-01", "2026-12-31"])("%s exists", (text) => {
    expect(dayMs(text)).toBe(at(`${text}T00:00:00Z`))
  })
  it.each([
    "2026-02-30",
    "2026-02-29",
    "2100-02-29",
    "2026-04-31",
    "2026-13-01",
    "2026-00-10",
    "2026-01-00",
    "1969-12-31",
    "2026-1-1",
    "+02026-01-01",
    "2026-01-01T00:00:00Z",
    "",
  ])("%s does not", (text) => expect(dayMs(text)).toBeNull())
  it("is every day of the calendar, and no other", () => {
    fc.assert(
      fc.property(seconds, (ms) => {
        expect(dayMs(dayOf(ms))).toBe(ms - (ms % 86_400_000))
      }),
    )
    fc.assert(
      fc.property(
        fc.integer({ min: 1970, max: 2200 }),
        fc.integer({ min: 0, max: 14 }),
        fc.integer({ min: 0, max: 33 }),
        (year, month, day) => {
          const date = new Date(Date.UTC(year, month - 1, day))
          expect(isDay(year, month, day)).toBe(
            date.getUTCMonth() === month - 1 && date.getUTCDate() === day && month >= 1,
          )
        },
      ),
    )
  })
})

describe("a date as RSS writes it", () => {
  it.each([
    ["Thu, 24 Sep 2026 16:00:00 -0400", "2026-09-24T20:00:00Z"],
    ["24 Sep 2026 16:00 GMT", "2026-09-24T16:00:00Z"],
    ["Fri, 25 Sep 2026 10:32:11 GMT", "2026-09-25T10:32:11Z"],
    ["Fri, 1 Jan 99 00:00:00 EST", "1999-01-01T05:00:00Z"],
    ["Sat, 21 Nov 26 10:00:00 pdt", "2026-11-21T17:00:00Z"],
    ["  Sat, 21 November 2026 10:00:00 +05:30 ", "2026-11-21T04:30:00Z"],
  ])("%s is read", (text, iso) => expect(rfc822Ms(text)).toBe(at(iso)))
  it.each([
    "Mon, 30 Feb 2026 00:00:00 GMT",
    "24 Sep 2026 16:00:00",
    "24 Sep 2026 25:00:00 GMT",
    "24 Sep 2026 16:00:00 XYZ",
    "24 Sep 2026 16:00:00 +9900",
    "24 Foo 2026 16:00:00 GMT",
    "2026-09-24T16:00:00Z",
    "",
    null,
    undefined,
  ])("%s is none", (text) => expect(rfc822Ms(text)).toBeNull())
  it("is what Date writes, for any second", () => {
    fc.assert(
      fc.property(seconds, (ms) => {
        expect(rfc822Ms(new Date(ms).toUTCString())).toBe(ms)
      }),
    )
  })
})

describe("a date as asctime writes it", () => {
  it("is read, in UTC, its day padded or not", () => {
    expect(asctimeMs("Wed Jul 29 14:41:01 2026 GMT")).toBe(at("2026-07-29T14:41:01Z"))
    expect(asctimeMs("Thu Jan  1 00:00:00 1970")).toBe(0)
    for (const text of ["Mon Feb 30 00:00:00 2026", "Wed Jul 29 14:41:01 2026 EST", "Jul 29 2026", "", null])
      expect(asctimeMs(text)).toBeNull()
  })
})

describe("US Eastern time", () => {
  it.each([
    ["2026-01-15T09:30:00", "2026-01-15T14:30:00Z"],
    ["2026-07-15T09:30:00", "2026-07-15T13:30:00Z"],
    // Clocks go back at 2:00: half past one comes twice, and the earlier one counts.
    ["2026-11-01T00:59:59", "2026-11-01T04:59:59Z"],
    ["2026-11-01T01:30:00", "2026-11-01T05:30:00Z"],
    ["2026-11-01T02:00:00", "2026-11-01T07:00:00Z"],
    // Clocks go forward at 2:00.
    ["2026-03-08T01:59:59", "2026-03-08T06:59:59Z"],
    ["2026-03-08T03:00:00", "2026-03-08T07:00:00Z"],
    // Before 2007 summer began in April.
    ["2006-03-20T12:00:00", "2006-03-20T17:00:00Z"],
    ["2019-02-22T23:59:59", "2019-02-23T04:59:59Z"],
  ])("%s is %s", (text, iso) => expect(easternMs(civil(text))).toBe(at(iso)))
  it.each(["2026-03-08T02:30:00", "2026-02-30T12:00:00", "2026-01-01T24:00:00"])("%s is no time", (text) =>
    expect(easternMs(civil(text))).toBeNull(),
  )
  it("of any instant is that instant, or the earlier one that shows the same", () => {
    const wall = new Intl.DateTimeFormat("sv-SE", {
      timeZone: "America/New_York",
      dateStyle: "short",
      timeStyle: "medium",
    })
    fc.assert(
      fc.property(seconds, (ms) => {
        const read = easternMs(civil(wall.format(ms).replace(" ", "T")))
        expect(read === ms || read === ms - 3_600_000).toBe(true)
        expect(wall.format(read ?? 0)).toBe(wall.format(ms))
      }),
    )
  })
})

describe("time in Warsaw", () => {
  it.each([
    ["2021-12-31T22:00:37", "2021-12-31T21:00:37Z"],
    ["2026-07-15T22:00:00", "2026-07-15T20:00:00Z"],
    // Clocks go back at 3:00: half past two comes twice, and the earlier one counts.
    ["2026-10-25T02:30:00", "2026-10-25T00:30:00Z"],
    ["2026-10-25T03:00:00", "2026-10-25T02:00:00Z"],
    // Clocks go forward at 2:00.
    ["2026-03-29T01:59:59", "2026-03-29T00:59:59Z"],
    ["2026-03-29T03:00:00", "2026-03-29T01:00:00Z"],
  ])("%s is %s", (text, iso) => expect(warsawMs(civil(text))).toBe(at(iso)))
  it("has no time in the hour that is skipped", () => expect(warsawMs(civil("2026-03-29T02:30:00"))).toBeNull())
})

it("a civil time that does not exist is none", () => {
  const noon: CivilTime = { year: 2026, month: 11, day: 21, hour: 12, minute: 0, second: 0 }
  expect(civilMs(noon)).toBe(at("2026-11-21T12:00:00Z"))
  for (const wrong of [
    { month: 13 },
    { day: 31 },
    { hour: 24 },
    { minute: 60 },
    { second: 60 },
    { year: 1969 },
    { day: Number.NaN },
    { millisecond: 1000 },
  ])
    expect(civilMs({ ...noon, ...wrong })).toBeNull()
  expect([monthOf("Sept"), monthOf("december"), monthOf("x")]).toEqual([9, 12, 0])
})

it("an instant that is served lies between 1970 and 2099", () => {
  expect(instantOrNull(0)).toBe("1970-01-01T00:00:00.000Z")
  expect(instantOrNull(at("2099-12-31T23:59:59.999Z"))).toBe("2099-12-31T23:59:59.999Z")
  for (const ms of [at("2100-01-01T00:00:00Z"), at("9999-12-31T00:00:00Z"), -1, Number.NaN, null, undefined])
    expect(instantOrNull(ms)).toBeNull()
})
