import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import { type Document, type Upstream, UpstreamError } from "../../ingestors/document.ts"
import { HttpFailed } from "../../ingestors/http-client.port.ts"
import { decodeDocument } from "../../ingestors/poll/read.ts"
import type { SeriesRows } from "../../ingestors/readers/economic-series.ts"
import type { Source } from "../../ingestors/source.ts"
import bea from "../../ingestors/sources/bea-nipa.ts"
import bls from "../../ingestors/sources/bls.ts"
import eia from "../../ingestors/sources/eia.ts"
import h10 from "../../ingestors/sources/fed-h10.ts"
import h15 from "../../ingestors/sources/fed-h15.ts"
import nyfed from "../../ingestors/sources/nyfed-rates.ts"
import treasury from "../../ingestors/sources/treasury-par-yield.ts"
import type { EconomicSeriesId } from "../../schemas/feeds/economic-series.ts"
import { numbersOf } from "../world/economy.ts"
import { WORLD_KEY } from "../world/upstream.ts"
import beaWorld from "../world/upstreams/bea-nipa.ts"
import blsWorld from "../world/upstreams/bls.ts"
import eiaWorld from "../world/upstreams/eia.ts"
import nyfedWorld from "../world/upstreams/nyfed-rates.ts"
import treasuryWorld from "../world/upstreams/treasury-par-yield.ts"
import { worldAt } from "../world/world.ts"
import { capturesAbsent, decodedCapture } from "./support/captures.ts"
import { normalised, readBy } from "./support/read.ts"
import { observed, upstreamOf } from "./support/world.ts"

const NOW_MS = Date.parse("2026-11-20T12:34:56.789Z")

type SeriesSource = Source<SeriesRows>

/** An upstream that answers each document by its name: with a decoded value, or with the failure of a status. */
const answering = (
  source: SeriesSource,
  answers: (name: string, input: unknown) => unknown,
): { readonly upstream: Upstream; readonly asked: Array<string> } => {
  const asked: Array<string> = []
  return {
    asked,
    upstream: {
      fetch: (document, input) =>
        Effect.suspend(() => {
          const name =
            Object.keys(source.documents).find((one) => source.documents[one] === (document as unknown)) ?? ""
          asked.push(document.url(input))
          const answer = answers(name, input)
          return answer === undefined
            ? Effect.fail(
                new HttpFailed({ reason: "status", host: "", status: 404, retryAfterMs: null, message: "absent" }),
              )
            : Effect.succeed(answer as never)
        }),
      probe: () => Effect.die("no probe"),
    },
  }
}

const collected = (
  source: SeriesSource,
  upstream: Upstream,
  series: EconomicSeriesId,
  atMs = NOW_MS,
  key: string | null = null,
) => Effect.runPromiseExit(source.collect(upstream, { parameters: { series }, observedAtMs: atMs, key }))

const itemsOf = async (
  source: SeriesSource,
  upstream: Upstream,
  series: EconomicSeriesId,
  atMs = NOW_MS,
): Promise<ReadonlyArray<unknown>> => {
  const exit = await collected(source, upstream, series, atMs)
  if (Exit.isFailure(exit)) throw new Error(String(exit.cause))
  return (normalised(source, exit.value, { parameters: { series }, observedAtMs: atMs }).payload as { items: [] }).items
}
const refusalOf = async (
  source: SeriesSource,
  upstream: Upstream,
  series: EconomicSeriesId,
  key: string | null = null,
) => {
  const exit = await collected(source, upstream, series, NOW_MS, key)
  return Exit.findErrorOption(exit)
}

/** What a document reads of a text. */
const read = (document: Document | undefined, text: string) =>
  Result.getOrThrow(decodeDocument("document", document as Document, new TextEncoder().encode(text)))
const isRead = (document: Document | undefined, text: string) =>
  Result.isSuccess(decodeDocument("document", document as Document, new TextEncoder().encode(text)))

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

describe("the Bureau of Labor Statistics", () => {
  const month = (year: string, period: string, value: string) => ({
    year,
    period,
    periodName: "",
    value,
    footnotes: [{}],
  })
  const answer = (data: ReadonlyArray<unknown>, rest: object = {}) => ({
    status: "REQUEST_SUCCEEDED",
    message: [],
    Results: { series: [{ seriesID: "LNS14000000", data }] },
    ...rest,
  })
  const of = (value: unknown) => answering(bls, () => value).upstream

  it.skipIf(capturesAbsent)(
    "as recorded, in one answer for both: the month that was never collected is no number",
    async () => {
      const both = of(decodedCapture(bls, "series", "v1-cusr0000sa0-lns14000000-2017-2026-2026-09-28-trimmed.json"))
      const prices = await itemsOf(bls, both, "CPIAUCSL")
      expect(prices).toHaveLength(60)
      expect(prices.slice(0, 2)).toEqual([
        { date: "2026-08-01", value: 334.131 },
        { date: "2026-07-01", value: 332.813 },
      ])
      const unemployment = await itemsOf(bls, both, "UNRATE")
      const dates = unemployment.map((item) => (item as { date: string }).date)
      expect(dates).toContain("2025-09-01")
      expect(dates).not.toContain("2025-10-01")
      expect(unemployment).toContainEqual({ date: "2025-11-01", value: 4.5 })
      const exit = await collected(bls, both, "UNRATE")
      if (Exit.isFailure(exit)) throw new Error("refused")
      expect(readBy(bls, exit.value, { parameters: { series: "UNRATE" }, observedAtMs: NOW_MS }).unreadable).toEqual([])
    },
  )
  it("asks for both series at once, and for the same in both instances", async () => {
    const bodies: Array<string | null> = []
    const simulated = upstreamOf(blsWorld, worldAt("test", NOW_MS))
    const upstream: Upstream = {
      ...simulated,
      fetch: (document, input) => {
        bodies.push(document.body(input))
        expect(document.sharedForMs).toBeGreaterThan(0)
        return simulated.fetch(document, input)
      },
    }
    for (const series of ["CPIAUCSL", "UNRATE"] as const) expect(await itemsOf(bls, upstream, series)).toHaveLength(60)
    expect(bodies).toEqual(
      Array(2).fill('{"endyear":"2026","seriesid":["CUSR0000SA0","LNS14000000"],"startyear":"2021"}'),
    )
  })
  it("publishes months: means of years and quarters are left out", async () => {
    const data = [
      month("2026", "M13", "4.4"),
      month("2026", "M02", "4.4"),
      month("2026", "M01", "4.3"),
      month("2025", "Q04", "9"),
      month("2025", "S02", "9"),
    ]
    expect(await itemsOf(bls, of(answer(data)), "UNRATE")).toEqual([
      { date: "2026-02-01", value: 4.4 },
      { date: "2026-01-01", value: 4.3 },
    ])
    const listed = answer([], { Results: [{ series: [{ seriesID: "LNS14000000", data }] }] })
    expect(await itemsOf(bls, of(listed), "UNRATE")).toHaveLength(2)
  })
  it("that lacks the series, or cuts the range, is refused", async () => {
    expect(await refusalOf(bls, of(answer([month("2026", "M01", "4.3")])), "CPIAUCSL")).toMatchObject({
      value: { message: expect.stringContaining("lacks the series") },
    })
    const cut = answer([month("2009", "M12", "9.9")], {
      message: ["Year range has been reduced to the system-allowed limit of 10 years."],
    })
    expect(await refusalOf(bls, of(cut), "UNRATE")).toMatchObject({
      value: { message: expect.stringContaining("cut") },
    })
  })
  it("whose queries of the day are used up rests until the day ends in New York", async () => {
    const usedUp = {
      status: "REQUEST_NOT_PROCESSED",
      message: ["Request could not be serviced, as the daily threshold for total number of requests has been reached."],
      Results: {},
    }
    const refusal = await refusalOf(bls, of(usedUp), "UNRATE")
    // 12:34:56.789 UTC is 07:34 in New York, whose day ends at 05:00 UTC.
    const retryAfterMs = Date.parse("2026-11-21T05:00:00Z") - NOW_MS
    expect(refusal).toMatchObject({ value: { _tag: "UpstreamError", reason: "budget_exhausted", retryAfterMs } })
  })
  it("that refuses a key says so", async () => {
    const upstream = upstreamOf(blsWorld, worldAt("test", NOW_MS))
    expect(await refusalOf(bls, upstream, "UNRATE", "wrong")).toMatchObject({ value: { reason: "key_refused" } })
    const failed = await refusalOf(bls, of({ status: "REQUEST_FAILED", message: ["?"] }), "UNRATE")
    expect(failed).toMatchObject({ value: expect.any(UpstreamError) })
  })
})

describe("the Energy Information Administration", () => {
  const of = (name: string, value: unknown) => answering(eia, (one) => (one === name ? value : undefined)).upstream
  const page = (rows: string, link = "<a href='../hist_xls/RWTCd.xls'>Download</a>", title = "") =>
    read(
      eia.documents.page,
      `<html><title>${title}</title>${link}<table><tr><th>Week Of</th><th>Mon</th></tr>${rows}</table></html>`,
    )
  const week = (name: string, ...cells: ReadonlyArray<string>) =>
    `<tr><td class='B6'>&nbsp;&nbsp;${name}</td>${cells.map((cell) => `<td class='B3'>${cell}</td>`).join("")}</tr>`

  it.skipIf(capturesAbsent)("as recorded: the page of 2015 and the workbook of 2025", async () => {
    const gas = await itemsOf(
      eia,
      of("page", decodedCapture(eia, "page", "rngwhhdd-history-table-2015-11-30-reserialised.html")),
      "DHHNGSP",
    )
    expect(gas).toHaveLength(60)
    expect(gas.slice(0, 3)).toEqual([
      { date: "2015-11-23", value: 2.18 },
      { date: "2015-11-20", value: 2.18 },
      { date: "2015-11-19", value: 2.1 },
    ])
    const oil = of("workbook", decodedCapture(eia, "workbook", "RWTCd-2025-04.xls"))
    expect((await itemsOf(eia, oil, "DCOILWTICO")).slice(0, 2)).toEqual([
      { date: "2025-04-21", value: 63.48 },
      { date: "2025-04-17", value: 65.07 },
    ])
    const exit = await collected(eia, oil, "DCOILWTICO")
    // The day on which a barrel cost less than nothing.
    expect(Exit.isSuccess(exit) && exit.value.rows).toContainEqual({ date: "2020-04-20", value: -36.98 })
    expect(await refusalOf(eia, oil, "DHHNGSP")).toMatchObject({ _tag: "Some" })
    const refused = of("api", decodedCapture(eia, "api", "v2-403-api-key-missing-2026-09-29.json"))
    expect(await refusalOf(eia, refused, "DCOILWTICO", "wrong")).toMatchObject({ value: { reason: "key_refused" } })
  })
  it("has weeks over New Year, days below ten, prices below zero, and marks of none", async () => {
    const answer = page(
      [
        week("2019 Dec-30 to Jan- 3", "61.66", "61.14", "", "61.17", "63.00"),
        "<tr><td height='3'></td><td></td><td></td><td></td><td></td><td></td></tr>",
        week("2020 Jan- 6 to Jan-10", "-36.98", "NA", "-", "--", "1,059.02"),
        week("2020 Jan-13 to Jan-17", "W", "&nbsp;"),
      ].join(""),
    )
    expect(await itemsOf(eia, of("page", answer), "DCOILWTICO")).toEqual([
      { date: "2020-01-10", value: 1059.02 },
      { date: "2020-01-06", value: -36.98 },
      { date: "2020-01-03", value: 63 },
      { date: "2020-01-02", value: 61.17 },
      { date: "2019-12-31", value: 61.14 },
      { date: "2019-12-30", value: 61.66 },
    ])
  })
  it("counts the prices of a week that begins with another day than Monday as unreadable", async () => {
    const good =
      week("2020 Jan- 6 to Jan-10", "1", "2", "3", "4", "5") + week("2020 Jan-13 to Jan-17", "1", "2", "3", "4", "5")
    const exit = await collected(eia, of("page", page(good + week("2020 Jan-21 to Jan-24", "9"))), "DCOILWTICO")
    if (Exit.isFailure(exit)) throw new Error("refused")
    const context = { parameters: { series: "DCOILWTICO" }, observedAtMs: NOW_MS }
    expect(readBy(eia, exit.value, context).unreadable).toHaveLength(1)
  })
  it("is read of a page that names its series, by its link or its title", async () => {
    const rows = week("2020 Jan- 6 to Jan-10", "1")
    const gas = page(rows, "<a href='../hist_xls/RNGWHHDd.xls'>Download</a>")
    expect(await refusalOf(eia, of("page", gas), "DCOILWTICO")).toMatchObject({
      value: { message: expect.stringContaining("another series") },
    })
    expect(await itemsOf(eia, of("page", page(rows, "", "Cushing, OK WTI Spot Price FOB")), "DCOILWTICO")).toHaveLength(
      1,
    )
    for (const html of [
      `<table>${rows}</table>`,
      `<a href='../hist_xls/RBRTEd.xls'>Cushing, OK WTI Spot Price FOB</a><table>${rows}</table>`,
      "<title>Henry Hub Natural Gas Spot Price</title><p>Unavailable</p>",
    ])
      expect(isRead(eia.documents.page, html), html).toBe(false)
  })
  it("with a key is the same by the API, whose failures the page stands in for, but not for a refused key", async () => {
    const world = worldAt("test", NOW_MS)
    const simulated = upstreamOf(eiaWorld, world)
    for (const series of ["DCOILWTICO", "DHHNGSP"] as const) {
      const exit = await collected(eia, simulated, series, NOW_MS, WORLD_KEY)
      if (Exit.isFailure(exit)) throw new Error("refused")
      const read = normalised(eia, exit.value, { parameters: { series }, observedAtMs: NOW_MS }).payload as {
        items: []
      }
      expect(read.items).toEqual(await itemsOf(eia, simulated, series))
    }
    expect(await refusalOf(eia, simulated, "DHHNGSP", "wrong")).toMatchObject({ value: { reason: "key_refused" } })
    const pageAlone = of("page", page(week("2020 Jan- 6 to Jan-10", "1")))
    expect(Exit.isSuccess(await collected(eia, pageAlone, "DCOILWTICO", NOW_MS, WORLD_KEY))).toBe(true)
    const data = [{ period: "2026-09-21", series: "RBRTE", value: 70, units: "$/BBL" }]
    expect(await refusalOf(eia, of("api", { response: { data } }), "DCOILWTICO", "k")).toMatchObject({ _tag: "Some" })
  })
})

describe("the broad dollar index of the Federal Reserve", () => {
  const of = (name: string, value: unknown) => answering(h10, (one) => (one === name ? value : undefined)).upstream
  const history = (rows: string) =>
    `<h3>Nominal Broad Dollar Index</h3><table><tr><th>Date</th><th>Index</th></tr>${rows}</table>`
  const release = (date: string, row: string, header = ["Dec. 28", "Dec. 29", "Dec. 30", "Dec. 31", "Jan. 1"]) =>
    `<p>Release Date: ${date}</p><table><tr><th>Index</th><th>Monetary unit</th>${header.map((day) => `<th>${day}</th>`).join("")}</tr>${row}</table>`
  const broad =
    "<tr><th>1) BROAD</th><td>JAN06=100</td><td>120.1</td><td>120.2</td><td>120.3</td><td>120.4</td><td>ND</td></tr>"

  it("is its history, a row a day; holidays have no number", async () => {
    const rows =
      "<tr><th>02-JAN-06</th><td>ND</td></tr><tr><th>3-Jan-06</th><td>101.4155</td></tr><tr><th>20-NOV-2026</th><td>121.0500</td></tr>"
    const items = await itemsOf(h10, of("history", read(h10.documents.history, history(rows))), "DTWEXBGS")
    expect(items).toEqual([
      { date: "2026-11-20", value: 121.05 },
      { date: "2006-01-03", value: 101.4155 },
    ])
  })
  it("is no page of another index, or without days", () => {
    const rows = "<tr><th>3-JAN-06</th><td>101.4</td></tr>"
    expect(isRead(h10.documents.history, history(rows))).toBe(true)
    expect(isRead(h10.documents.history, history(""))).toBe(false)
    expect(isRead(h10.documents.history, history(rows).replace("Nominal Broad", "Real Broad"))).toBe(false)
    expect(isRead(h10.documents.history, history(rows).replace("Broad", "Advanced Foreign Economies"))).toBe(false)
  })
  it("is the newest week where the history is gone: over New Year the years are those before the release", async () => {
    const answer = read(h10.documents.week, release("Monday, January 4, 2027", broad))
    const items = await itemsOf(h10, of("week", answer), "DTWEXBGS", Date.parse("2027-01-05"))
    expect(items).toEqual([
      { date: "2026-12-31", value: 120.4 },
      { date: "2026-12-30", value: 120.3 },
      { date: "2026-12-29", value: 120.2 },
      { date: "2026-12-28", value: 120.1 },
    ])
    expect(isRead(h10.documents.week, release("", broad))).toBe(false)
    expect(isRead(h10.documents.week, release("January 4, 2027", broad.replace("JAN06", "JAN97")))).toBe(false)
  })
})

describe("the yields that the Federal Reserve repeats", () => {
  const of = (value: unknown) => answering(h15, () => value).upstream
  const file = (...rows: ReadonlyArray<string>) =>
    read(
      h15.documents.maturities,
      ['"Series Description","2-year","10-year"', '"Time Period","RIFLGFCY02_N.B","RIFLGFCY10_N.B"', ...rows].join(
        "\n",
      ),
    )

  it.skipIf(capturesAbsent)("as recorded, of two and ten years", async () => {
    const recorded = of(
      decodedCapture(h15, "maturities", "ddp-csv-treasury-constant-maturities-lastobs5-2026-09-25.csv"),
    )
    expect(await itemsOf(h15, recorded, "DGS2")).toContainEqual({ date: "2026-09-25", value: 4.81 })
    expect((await itemsOf(h15, recorded, "DGS10"))[0]).toEqual({ date: "2026-09-25", value: 5.17 })
    expect(await itemsOf(h15, recorded, "DGS10")).toHaveLength(5)
  })
  it("have no number on holidays: neither by the mark nor by the number that stands for it", async () => {
    const holidays = of(file("2026-09-04,4.5,4.9", "2026-09-07,ND,ND", "2026-11-26,-9999,-9999.0"))
    expect(await itemsOf(h15, holidays, "DGS10")).toEqual([{ date: "2026-09-04", value: 4.9 }])
  })
  it("stand in for the Treasury's own, behind which they are", () => {
    expect([treasury.rank, h15.rank]).toEqual([1, 2])
    expect(treasury.instances).toEqual(h15.instances)
  })
})

describe("the Bureau of Economic Analysis", () => {
  const of = (name: string, value: unknown) => answering(bea, (one) => (one === name ? value : undefined)).upstream
  const file = (...rows: ReadonlyArray<string>) =>
    read(bea.documents.file, ["%SeriesCode,Period,Value", ...rows, ""].join("\r\n"))
  const growth = "A191RL1Q225SBEA"

  it.skipIf(capturesAbsent)("as recorded: of a file of all series, the growth alone", async () => {
    const quarters = decodedCapture<ReadonlyArray<unknown>>(bea, "file", "NipaDataQ-2026q2-second-estimate-trimmed.txt")
    expect(quarters).toHaveLength(317)
    const items = await itemsOf(bea, of("file", quarters), growth)
    expect(items).toHaveLength(60)
    expect(items.slice(0, 3)).toEqual([
      { date: "2026-04-01", value: 1.5 },
      { date: "2026-01-01", value: 2.1 },
      { date: "2025-10-01", value: 0.5 },
    ])
    const exit = await collected(bea, of("file", quarters), growth)
    if (Exit.isFailure(exit)) throw new Error("refused")
    expect(readBy(bea, exit.value, { parameters: { series: growth }, observedAtMs: NOW_MS }).unreadable).toEqual([])
  })
  it("has quarters by their first day, and marks of none", async () => {
    const quarters = file(
      'A191RC,2026Q1,"1"',
      'A191RL,2026Q1,"(NA)"',
      'A191RL,2025Q4,"---"',
      'A191RL,2025Q3,"-1,004.4"',
      'A191RL,2025Q2,"3.8"',
      'A191RX,2026Q1,"9"',
    )
    expect(await itemsOf(bea, of("file", quarters), growth)).toEqual([
      { date: "2025-07-01", value: -1004.4 },
      { date: "2025-04-01", value: 3.8 },
    ])
    expect(isRead(bea.documents.file, '%SeriesCode,Period,Value\nA191RX,2026Q1,"9"\n')).toBe(false)
    expect(isRead(bea.documents.file, "<html>A191RL,2026Q1,1</html>")).toBe(false)
  })
  it("is read as far as the rows of the series reach", () => {
    const judge = bea.documents.file?.lines?.()
    const lines = [
      "%SeriesCode,Period,Value",
      "A191RC,2026Q1,1",
      "A191RL,2025Q4,1",
      "A191RL,2026Q1,1",
      "A191RX,1947Q1,1",
    ]
    expect(lines.map((line) => judge?.(line))).toEqual(["keep", "skip", "keep", "keep", "end"])
  })
  it("with a key is the same by the API; an empty answer refuses the key, and an error is none", async () => {
    const simulated = upstreamOf(beaWorld, worldAt("test", NOW_MS))
    const exit = await collected(bea, simulated, growth, NOW_MS, WORLD_KEY)
    if (Exit.isFailure(exit)) throw new Error("refused")
    const { items } = normalised(bea, exit.value, { parameters: { series: growth }, observedAtMs: NOW_MS }).payload as {
      items: []
    }
    expect(items).toEqual(await itemsOf(bea, simulated, growth))
    expect(items).toHaveLength(60)
    expect(await refusalOf(bea, simulated, growth, "wrong")).toMatchObject({ value: { reason: "key_refused" } })
    const api = (value: unknown) => of("api", read(bea.documents.api, JSON.stringify({ BEAAPI: value })))
    const error = { Error: { APIErrorCode: "1", APIErrorDescription: "Invalid API UserId" } }
    expect(await refusalOf(bea, api({ Results: error }), growth, "k")).toMatchObject({
      value: { reason: "key_refused" },
    })
    expect(await refusalOf(bea, api({ Results: { Error: { APIErrorCode: "40" } } }), growth, "k")).toMatchObject({
      value: { message: expect.stringContaining("query is refused") },
    })
    const rows = [
      { LineNumber: "1", TimePeriod: "2026Q2", DataValue: "1.5" },
      { LineNumber: "2", TimePeriod: "2026Q2", DataValue: "9" },
      { LineNumber: "1", TimePeriod: "2026Q1" },
    ]
    const partly = await collected(bea, api({ Results: { Data: rows } }), growth, NOW_MS, "k")
    expect(Exit.isSuccess(partly) && partly.value.rows[0]).toEqual({ date: "2026-04-01", value: "1.5" })
    expect(Exit.isSuccess(partly) && partly.value.rows).toHaveLength(2)
  })
})
