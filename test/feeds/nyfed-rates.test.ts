import * as Exit from "effect/Exit"
import { describe, expect, it } from "vitest"
import nyfed from "../../ingestors/sources/nyfed-rates.ts"
import { numbersOf } from "../world/economy.ts"
import nyfedWorld from "../world/upstreams/nyfed-rates.ts"
import { worldAt } from "../world/world.ts"
import { capturesAbsent, decodedCapture } from "./support/captures.ts"
import { answering, collected, itemsOf, NOW_MS, refusalOf } from "./support/publishers.ts"
import { observed } from "./support/world.ts"

describe("the New York Fed's rates", () => {
  /** Rates of business days, the newest first. */
  const rates = (rows: ReadonlyArray<readonly [string, number | null]>, rest: object = {}) => ({
    refRates: rows.map(([effectiveDate, percentRate]) => ({
      effectiveDate,
      type: "EFFR",
      ...(percentRate === null ? {} : { percentRate }),
      ...rest,
    })),
  })
  const of = (answer: unknown) => answering(nyfed, () => answer).upstream
  /** The weekdays of a stretch of days, each with its rate. */
  const weekdays = (from: string, to: string, rateOf: (date: string) => number | null) => {
    const rows: Array<readonly [string, number | null]> = []
    for (let ms = Date.parse(from); ms <= Date.parse(to); ms += 86_400_000) {
      const date = new Date(ms)
      if (![0, 6].includes(date.getUTCDay())) {
        const day = date.toISOString().slice(0, 10)
        rows.push([day, rateOf(day)])
      }
    }
    return rows.toReversed()
  }

  describe.skipIf(capturesAbsent)("as recorded", () => {
    const captured = (file: string) => of(decodedCapture(nyfed, "rates", file))
    const week = "effr-search-2008-12-10-to-2008-12-22.json"

    it("are those of business days, with the range of the committee", async () => {
      const two = captured("effr-last-2-2026-08-05.json")
      expect(await itemsOf(nyfed, two, "EFFR")).toEqual([
        { date: "2026-08-05", value: 3.63 },
        { date: "2026-08-04", value: 3.63 },
      ])
      expect(await itemsOf(nyfed, two, "DFEDTARL")).toContainEqual({ date: "2026-08-05", value: 3.5 })
      expect(await itemsOf(nyfed, two, "DFEDTARU")).toContainEqual({ date: "2026-08-05", value: 3.75 })
    })
    it("have a range from 16 December 2008 on: before, one rate was the target", async () => {
      expect((await itemsOf(nyfed, captured(week), "EFFR"))[4]).toEqual({ date: "2008-12-16", value: 0.17 })
      expect(await itemsOf(nyfed, captured(week), "EFFR")).toHaveLength(9)
      for (const [series, value] of [
        ["DFEDTARU", 0.25],
        ["DFEDTARL", 0],
      ] as const) {
        const items = await itemsOf(nyfed, captured(week), series)
        expect(items).toHaveLength(5)
        expect(items.at(-1)).toEqual({ date: "2008-12-16", value })
      }
    })
    it("make no mean of a part of a month, and are no other rate", async () => {
      const none = await collected(nyfed, captured(week), "FEDFUNDS")
      expect(Exit.isSuccess(none) && none.value.rows).toEqual([])
      expect(await refusalOf(nyfed, captured("sofr-last-2-2026-08-05.json"), "EFFR")).toMatchObject({
        value: { message: expect.stringContaining("another rate") },
      })
    })
  })

  it("are averaged over each calendar day: a weekend has the rate of the day before it", async () => {
    // August 2026 begins on a Saturday and ends on a Monday: 31 days.
    const days = weekdays("2026-07-30", "2026-08-31", (day) =>
      day === "2026-07-31" ? 4.33 : day === "2026-08-31" ? 5 : day === "2026-08-14" ? 4 : 3.63,
    )
    // Two days of 4.33, three of 4.00 (Friday to Sunday), one of 5.00, 25 of 3.63.
    const mean = Math.round(((2 * 4.33 + 3 * 4 + 5 + 25 * 3.63) / 31) * 100) / 100
    expect(mean).toBe(3.76)
    expect(await itemsOf(nyfed, of(rates(days)), "FEDFUNDS")).toEqual([{ date: "2026-08-01", value: mean }])
  })
  it.each([
    ["its last business day is not published", weekdays("2026-07-30", "2026-08-28", () => 3.63)],
    ["its first day has no rate before it", weekdays("2026-08-03", "2026-08-31", () => 3.63)],
    [
      "a day has no rate that can be read",
      weekdays("2026-07-30", "2026-08-31", (day) => (day === "2026-08-12" ? null : 3.63)),
    ],
    [
      "a week is missing",
      weekdays("2026-07-30", "2026-08-31", () => 3.63).filter(([day]) => day < "2026-08-10" || day > "2026-08-14"),
    ],
  ])("make no mean of a month while %s", async (_, days) => {
    const exit = await collected(nyfed, of(rates(days)), "FEDFUNDS")
    expect(Exit.isSuccess(exit) && exit.value.rows.filter(({ date }) => date === "2026-08-01")).toEqual([])
  })
  it("of a month whose last weekday is a holiday are averaged once a later day is published", async () => {
    // Memorial Day is 31 May 2027.
    const known = weekdays("2027-04-29", "2027-06-01", () => 3.5).filter(([day]) => day !== "2027-05-31")
    const may = { date: "2027-05-01", value: 3.5 }
    const atMs = Date.parse("2027-06-03")
    expect(await itemsOf(nyfed, of(rates(known)), "FEDFUNDS", atMs)).toEqual([may])
    const before = await collected(nyfed, of(rates(known.slice(1))), "FEDFUNDS", atMs)
    expect(Exit.isSuccess(before) && before.value.rows).toEqual([])
  })
  it("hold sixty means from one answer, those that another reader of the world computes", async () => {
    const world = worldAt("test", NOW_MS)
    const { payload } = await observed(nyfed, nyfedWorld, NOW_MS, { series: "FEDFUNDS" })
    const { items } = payload as { items: ReadonlyArray<{ date: string; value: number }> }
    expect(items).toHaveLength(60)
    const daily = new Map(numbersOf(world, "EFFR", 200).map(({ date, value }) => [date, value]))
    let [sum, last] = [0, null as number | null]
    for (let day = 27; day <= 30; day++) last = daily.get(`2026-09-${day}`) ?? last
    for (let day = 1; day <= 31; day++) {
      last = daily.get(`2026-10-${String(day).padStart(2, "0")}`) ?? last
      sum += last ?? Number.NaN
    }
    expect(items[0]).toEqual({ date: "2026-10-01", value: Number((sum / 31).toFixed(2)) })
  })
})
