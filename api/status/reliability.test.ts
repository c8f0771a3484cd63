import { describe, expect, it } from "vitest"
import { STATUS_DAYS } from "../../schemas/endpoints/status.ts"
import { DAY_CHECKS, dayLetters, type FeedDays } from "./reliability.ts"

const TODAY = STATUS_DAYS - 1

/** A feed with these checks, and ok ones among them, by day. */
const feed = (days: Readonly<Record<number, readonly [checks: number, oks: number]>>): FeedDays => ({
  days: Object.keys(days).map(Number),
  checks: Object.values(days).map(([checks]) => checks),
  oks: Object.values(days).map(([, oks]) => oks),
})

const whole: readonly [number, number] = [DAY_CHECKS, DAY_CHECKS]

const lettersOf = (feeds: Readonly<Record<string, FeedDays>>, elapsedToday = DAY_CHECKS) =>
  dayLetters(new Map(Object.entries(feeds)), elapsedToday)

/** The letters from day `from` on. */
const since = (letters: string | undefined, from: number): string => {
  expect(letters).toHaveLength(STATUS_DAYS)
  return letters?.slice(from) ?? ""
}

describe("the letters of days", () => {
  it("are good from 99 % of the checks on, down below half of them, else degraded", () => {
    const days = { 84: [100, 100], 85: [100, 99], 86: [100, 98], 87: [100, 50], 88: [100, 49], 89: [100, 0] } as const
    const other = feed(Object.fromEntries([84, 85, 86, 87, 88, 89].map((day) => [day, whole])))
    expect(since(lettersOf({ one: feed(days), other }).get("one"), 84)).toBe("ggddxx")
  })

  it("are unrecorded before the first check", () => {
    expect(lettersOf({ one: feed({ [TODAY]: whole }) }).get("one")).toBe(`${"n".repeat(TODAY)}g`)
  })

  it("are missed where this service was away, and unrecorded where one feed alone was not checked", () => {
    const one = feed({ 85: whole, 86: whole, 88: whole, 89: whole })
    const other = feed({ 85: whole, 86: whole, 89: whole })
    // Day 87: nothing was checked. Day 88: only `one` was.
    expect(since(lettersOf({ one, other }).get("one"), 85)).toBe("ggmgg")
    expect(since(lettersOf({ one, other }).get("other"), 85)).toBe("ggmng")
  })

  it("are missed where less than half of the day was checked, whatever the checks found", () => {
    const days = { 86: whole, 87: [DAY_CHECKS / 2 - 1, 0], 88: [DAY_CHECKS / 2, DAY_CHECKS / 2], 89: whole } as const
    expect(since(lettersOf({ one: feed(days) }).get("one"), 86)).toBe("gmgg")
  })

  it("judge the first day of the service by the checks that it has", () => {
    expect(since(lettersOf({ one: feed({ 88: [3, 3], 89: whole }) }).get("one"), 88)).toBe("gg")
  })

  it("judge the current day by the time that has passed", () => {
    const one = feed({ 88: whole, 89: [20, 20] })
    expect(since(lettersOf({ one }, 24).get("one"), 89)).toBe("g")
    expect(since(lettersOf({ one }, 200).get("one"), 89)).toBe("m")
    // Just past midnight, before the first check: nothing is known of the day, and nothing was missed.
    expect(since(lettersOf({ one: feed({ 88: whole }) }, 1).get("one"), 88)).toBe("gn")
  })
})
