import * as Exit from "effect/Exit"
import { describe, expect, it } from "vitest"
import treasury from "../../ingestors/sources/treasury-par-yield.ts"
import treasuryWorld from "../world/upstreams/treasury-par-yield.ts"
import { capturesAbsent, decodedCapture } from "./support/captures.ts"
import { answering, collected, isRead, itemsOf, read } from "./support/publishers.ts"
import { observed } from "./support/world.ts"

describe("the Treasury's par curve", () => {
  const header = 'Date,"1 Mo","1.5 Month","2 Mo","2 Yr","10 Yr"'

  it.skipIf(capturesAbsent)("as recorded, in the file and in the feed: the same day has the same yields", async () => {
    const file = decodedCapture(treasury, "file", "daily-par-yield-curve-2026-08-05-trimmed.csv")
    const feed = decodedCapture(treasury, "feed", "daily-par-yield-curve-202608-2026-08-28-trimmed.xml")
    const byFile = answering(treasury, (name) => (name === "file" ? file : undefined)).upstream
    const byFeed = answering(treasury, (name) => (name === "feed" ? feed : undefined)).upstream
    expect(await itemsOf(treasury, byFile, "DGS10")).toEqual([
      { date: "2026-08-05", value: 4.63 },
      { date: "2026-08-04", value: 4.63 },
      { date: "2026-08-03", value: 4.7 },
      { date: "2026-07-31", value: 4.75 },
    ])
    expect(await itemsOf(treasury, byFile, "DGS2")).toContainEqual({ date: "2026-08-05", value: 4.18 })
    for (const series of ["DGS10", "DGS2"] as const)
      expect(await itemsOf(treasury, byFeed, series)).toEqual((await itemsOf(treasury, byFile, series)).slice(0, 3))
  })
  it("is asked for both years in winter, so that sixty numbers are there, and for one in summer", async () => {
    for (const [at, years] of [
      ["2027-01-02", [2027, 2026]],
      ["2027-02-20", [2027, 2026]],
      ["2027-08-01", [2027]],
    ] as const) {
      const { upstream, asked } = answering(treasury, () => [{ date: "2026-12-31", twoYears: "4", tenYears: "5" }])
      await collected(treasury, upstream, "DGS10", Date.parse(at))
      expect(asked.map((url) => Number(new URL(url).searchParams.get("field_tdr_date_value")))).toEqual(years)
    }
    for (const at of ["2027-01-02", "2027-01-20", "2027-04-01"]) {
      const { payload } = await observed(treasury, treasuryWorld, Date.parse(`${at}T12:00:00Z`), { series: "DGS10" })
      expect((payload as { items: [] }).items, at).toHaveLength(60)
    }
  })
  it("may lack the file of a year that begins, and no other", async () => {
    const old = [{ date: "2026-12-31", twoYears: "4.0", tenYears: "5.0" }]
    const { upstream } = answering(treasury, (_, year) => (year === 2026 ? old : undefined))
    expect(await itemsOf(treasury, upstream, "DGS10", Date.parse("2027-01-03"))).toHaveLength(1)
    for (const at of ["2027-01-12", "2026-06-01"])
      expect(
        Exit.isFailure(
          await collected(treasury, answering(treasury, () => undefined).upstream, "DGS10", Date.parse(at)),
        ),
      ).toBe(true)
    expect(Exit.isFailure(await collected(treasury, upstream, "DGS10", Date.parse("2027-01-12")))).toBe(true)
  })
  it("is read by the names of its columns; a tenor that did not exist is no number", async () => {
    const rows = read(treasury.documents.file, 'Date,"10 Yr","2 Yr"\n01/03/2025,4.60,\n01/02/2025,4.57,4.25')
    const { upstream } = answering(treasury, () => rows)
    expect(await itemsOf(treasury, upstream, "DGS2")).toEqual([{ date: "2025-01-02", value: 4.25 }])
    expect(await itemsOf(treasury, upstream, "DGS10")).toHaveLength(2)
  })
  it("is not that of real yields, of bills, or an error page", () => {
    expect(isRead(treasury.documents.file, header)).toBe(true)
    expect(isRead(treasury.documents.file, 'Date,"5 YR","7 YR","10 YR","20 YR","30 YR"\n08/05/2026,1,2,3,4,5')).toBe(
      false,
    )
    expect(isRead(treasury.documents.file, "<!DOCTYPE html><html><body>Not found</body></html>")).toBe(false)
    const feed = (members: string) =>
      `<feed><entry><content><m:properties>${members}</m:properties></content></entry></feed>`
    expect(
      isRead(treasury.documents.feed, feed("<d:NEW_DATE>2026-08-03T00:00:00</d:NEW_DATE><d:TC_10YEAR>1</d:TC_10YEAR>")),
    ).toBe(false)
    expect(isRead(treasury.documents.feed, "<html><body>Service unavailable</body></html>")).toBe(false)
    expect(isRead(treasury.documents.feed, "<feed><title>DailyTreasuryYieldCurveRateData</title></feed>")).toBe(true)
  })
  it("is read whichever prefixes its elements have, and without an id", () => {
    const page = `<pre><entry><content><properties xmlns="m"><x:NEW_DATE xmlns:x="d" type="Edm.DateTime">2024-09-03T00:00:00</x:NEW_DATE><y:BC_10YEAR xmlns:y="d">3.84</y:BC_10YEAR><y:BC_30YEARDISPLAY xmlns:y="d">4.13</y:BC_30YEARDISPLAY></properties></content></entry></pre>`
    expect(read(treasury.documents.feed, page)).toEqual([{ date: "2024-09-03", twoYears: "", tenYears: "3.84" }])
  })
})
