import { describe, expect, it } from "vitest"
import { launchTimeText, readableText } from "./times.ts"

describe("times in words", () => {
  it("name the day of the week in UTC", () => {
    expect(readableText(Date.parse("2026-11-20T12:35:00.000Z"))).toBe("Friday, 20 November 2026, 12:35 UTC")
    expect(readableText(0)).toBe("Thursday, 1 January 1970, 00:00 UTC")
  })
  it.each([
    ["2026-11-20T12:35:10.000Z", "second", "2026-11-20 12:35 UTC"],
    ["2026-11-20T12:35:10.000Z", "minute", "2026-11-20 12:35 UTC"],
    ["2026-11-20T12:00:00.000Z", "hour", "about 2026-11-20 12:00 UTC"],
    ["2026-11-20T00:00:00.000Z", "day", "2026-11-20"],
    ["2026-11-20T00:00:00.000Z", "week", "in the week of 2026-11-20"],
    ["2026-11-30T00:00:00.000Z", "month", "in 2026-11"],
    ["2026-12-31T00:00:00.000Z", "quarter", "in Q4 2026"],
    ["2026-03-31T00:00:00.000Z", "quarter", "in Q1 2026"],
    ["2026-06-30T00:00:00.000Z", "half", "in H1 2026"],
    ["2026-07-01T00:00:00.000Z", "half", "in H2 2026"],
    ["2027-12-31T00:00:00.000Z", "year", "in 2027"],
    ["2026-11-20T12:35:10.000Z", null, "not before 2026-11-20"],
    [null, "minute", "at an unknown time"],
  ] as const)("say of a launch at %s, exact to the %s: %s", (net, precision, text) => {
    expect(launchTimeText(net, precision)).toBe(text)
  })
})
