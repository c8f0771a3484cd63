import * as Exit from "effect/Exit"
import { describe, expect, it } from "vitest"
import { type Upstream, UpstreamError } from "../../ingestors/document.ts"
import bls from "../../ingestors/sources/bls.ts"
import economicData from "../../processors/views/economic-data.ts"
import { type EconomicData, economicDataEndpoint } from "../../schemas/endpoints/economic-data.ts"
import blsWorld from "../world/upstreams/bls.ts"
import { worldAt } from "../world/world.ts"
import { capturesAbsent, decodedCapture } from "./support/captures.ts"
import { answering, collected, itemsOf, NOW_MS, refusalOf } from "./support/publishers.ts"
import { readBy } from "./support/read.ts"
import { reading, shown } from "./support/shown.ts"
import { upstreamOf } from "./support/world.ts"

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
      const data = shown(economicData, [reading({ items: prices, facts: {} }, { series: "CPIAUCSL" })], {
        nowMs: NOW_MS,
      })
      const [plot] = economicDataEndpoint.glance?.plots?.(data as EconomicData) ?? []
      const inflation = plot?.kind === "series" ? plot.points : []
      // Of sixty months those that have one a year before; the month that was never published is a gap.
      expect([inflation.length, inflation[0], inflation.at(-1)]).toEqual([
        49,
        { at: "2022-08-01", value: 8.2 },
        { at: "2026-08-01", value: 3.4 },
      ])
      expect(inflation.filter(({ value }) => value === null)).toEqual([{ at: "2025-10-01", value: null }])
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
