import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { dayOf } from "../../schemas/day.ts"
import { correlate, directionOf, relationshipOf } from "./correlation.ts"

const DAY_MS = 86_400_000
const BEGIN_MS = Date.parse("2026-01-01T00:00:00Z")
const dateAt = (at: number): string => dayOf(BEGIN_MS + at * DAY_MS)

/** The numbers of consecutive days, the newest first as in the feed; null is a day without a number. */
const course = (values: ReadonlyArray<number | null>) =>
  values.flatMap((value, at) => (value === null ? [] : [{ date: dateAt(at), value }])).toReversed()

/** A course that doubles at `+` and is halved at `-`: returns of 1 and of -0.5, exactly. */
const doubling = (signs: string, first = 1): ReadonlyArray<number> => {
  const values = [first]
  for (const sign of signs) values.push((values.at(-1) ?? 0) * (sign === "+" ? 2 : 0.5))
  return values
}

describe("the correlation of two series", () => {
  // Of two returns with two values each, r = (agreeing - disagreeing) / returns where both rise as often as they fall.
  it.each([
    ["together", "+-+-+-+-+-", "+-+-+-+-+-", 1, 10],
    ["against each other", "+-+-+-+-+-", "-+-+-+-+-+", -1, 10],
    ["as often together as not", "+-+-+-+-+-+-", "++--++--++--", 0, 12],
    ["together eight times of ten", "+++++-----", "++++-+----", 0.6, 10],
    ["against each other ten times of twelve, rounded", "+++---+++---", "---+++--+++-", -0.6667, 12],
  ])("that move %s", (_, one, other, r, returns) => {
    expect(correlate(course(doubling(one)), course(doubling(other, 64)))).toEqual({
      r,
      returns,
      firstDay: "2026-01-01",
      lastDay: dateAt(returns),
    })
  })

  it("takes the returns of common days alone, over the same days on both sides", () => {
    // Without the days on which one side has no number these are the courses of 0.6 above.
    const [one, other] = [doubling("+++++-----"), doubling("++++-+----")]
    const holidays = (values: ReadonlyArray<number>, fill: number | null, own: number | null) => [
      ...values.slice(0, 3),
      fill,
      ...values.slice(3, 8),
      own,
      ...values.slice(8),
    ]
    expect(correlate(course(holidays(one, 77, null)), course(holidays(other, null, 99)))).toEqual({
      r: 0.6,
      returns: 10,
      firstDay: "2026-01-01",
      lastDay: dateAt(12),
    })
  })

  it("takes the newest thirty returns", () => {
    const newest = "+-".repeat(15)
    // The five before would lower the correlation.
    expect(correlate(course(doubling(`+++++${newest}`)), course(doubling(`+-+-+${newest}`)))).toEqual({
      r: 1,
      returns: 30,
      firstDay: dateAt(5),
      lastDay: dateAt(35),
    })
  })

  it("leaves out a return on a number that is not above zero, on both sides", () => {
    const values = doubling("+-+-+-+-+-+-")
    const negative = values.map((value, at) => (at === 4 ? -37 : at === 8 ? 0 : value))
    const { returns } = correlate(course(negative), course(values))
    expect(returns).toBe(10)
    expect(correlate(course(values), course(negative)).returns).toBe(10)
    // Into the number itself there is a return: -38 and -1.
    expect(correlate(course(negative.slice(0, 11)), course(values.slice(0, 11)))).toMatchObject({ r: null, returns: 8 })
  })

  it.each([
    ["nine returns", doubling("+-+-+-+-+"), doubling("+-+-+-+-+"), 9],
    ["a side that stands still", Array(12).fill(4.25), doubling("+-+-+-+-+-+"), 11],
    ["the other side standing still", doubling("+-+-+-+-+-+"), Array(12).fill(4.25), 11],
    [
      "a side that grows by one factor, within rounding",
      Array.from({ length: 12 }, (_, at) => 1.001 ** at),
      doubling("+-+-+-+-+-+"),
      11,
    ],
    ["no common day", Array(12).fill(null), doubling("+-+-+-+-+-+"), 0],
  ])("has none of %s", (_, one, other, returns) => {
    expect(correlate(course(one), course(other))).toMatchObject({ r: null, returns })
  })

  it("has none of returns that are beyond any number", () => {
    const tiny = doubling("+-+-+-+-+-+").map((value, at) => (at % 2 === 0 ? Number.MIN_VALUE : value * 1e9))
    expect(correlate(course(tiny), course(doubling("+-+-+-+-+-+")))).toMatchObject({ r: null, returns: 5 })
  })

  it("does not depend on the order of the numbers, the sides, or the unit of a side", () => {
    const values = fc.array(fc.option(fc.double({ min: -5, max: 200, noNaN: true })), { minLength: 2, maxLength: 70 })
    fc.assert(
      fc.property(values, values, (first, second) => {
        const [one, other] = [course(first), course(second)]
        const found = correlate(one, other)
        expect(correlate(other, one)).toEqual(found)
        expect(correlate(one.toReversed(), other)).toEqual(found)
        expect(correlate(course(first.map((value) => (value === null ? null : value * 1024))), other)).toEqual(found)
        if (found.r === null) return
        expect(Math.abs(found.r)).toBeLessThanOrEqual(1)
        expect(found.r).toBe(Number(found.r.toFixed(4)))
        expect(found.returns).toBeGreaterThanOrEqual(10)
        expect(found.returns).toBeLessThanOrEqual(30)
      }),
      { numRuns: 300 },
    )
  })
})

describe("the words of a correlation", () => {
  it.each([
    [1, "strong", "positive"],
    [0.7, "strong", "positive"],
    [0.6999, "moderate", "positive"],
    [-0.4, "moderate", "negative"],
    [-0.3999, "weak", "negative"],
    [0.2, "weak", "positive"],
    [-0.1999, "negligible", "none"],
    [0, "negligible", "none"],
    [-1, "strong", "negative"],
  ])("of %d are %s and %s", (r, relationship, direction) => {
    expect([relationshipOf(r), directionOf(r)]).toEqual([relationship, direction])
  })
})
