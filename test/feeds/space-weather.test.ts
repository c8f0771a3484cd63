import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import { HttpFailed } from "../../ingestors/http-client.port.ts"
import { decodeDocument } from "../../ingestors/poll/read.ts"
import gfz from "../../ingestors/sources/gfz-kp.ts"
import swpc from "../../ingestors/sources/noaa-swpc.ts"
import spaceWeatherTable from "../../processors/tables/space_weather/table.ts"
import spaceWeatherView from "../../processors/views/space-weather.ts"
import {
  SPACE_ALERTS_MAX,
  type SpaceWeather,
  spaceWeather,
  spaceWeatherEndpoint,
} from "../../schemas/feeds/space-weather.ts"
import { asSingle } from "../../schemas/number.ts"
import gfzWorld from "../world/upstreams/gfz-kp.ts"
import simulated, { kpAt, windAt, xrayFluxes } from "../world/upstreams/noaa-swpc.ts"
import { worldAt } from "../world/world.ts"
import { capturesAbsent, decodedCapture } from "./support/captures.ts"
import { feedTest, polled } from "./support/feed-test.ts"
import { normalised } from "./support/read.ts"
import { OBSERVED_AT } from "./support/rows.ts"
import { reading, shown } from "./support/shown.ts"
import { collect, observed, upstreamOf } from "./support/world.ts"

const HOUR_MS = 3_600_000
const NOW_MS = Date.parse("2026-11-20T12:34:56.000Z")
type Collected = Parameters<typeof swpc.read>[0]

/** The list of messages is never empty; a summary announces nothing. */
const summary = {
  product_id: "SUMX",
  issue_datetime: 0,
  message: "Space Weather Message Code: SUMX01\r\nSUMMARY: X-ray Event",
}
const nothing: Collected = { kp: [], kpMinutes: [], wind: [], xrays: [], alerts: null }
const capture = <Wire>(document: string, file: string) => decodedCapture<Wire>(swpc, document, file)
const show = (payload: SpaceWeather, nowMs: number) => shown(spaceWeatherView, [reading(payload)], { nowMs })

/** What the page draws of a payload. */
const drawn = (payload: SpaceWeather) => {
  const [plot] = spaceWeatherEndpoint.glance?.plots?.(show(payload, NOW_MS) as never) ?? []
  return plot?.kind === "series" ? plot.points : []
}

const quiet = { kp: null, kpEstimated: null, solarWind: null, xray: null }
const flux = (peakFluxWPerM2: number): SpaceWeather => {
  const at = "2026-11-20T12:00:00.000Z"
  return { measurements: { ...quiet, xray: { fluxWPerM2: 1e-8, at, peakFluxWPerM2, peakAt: at } }, alerts: [] }
}

const kp = [{ time_tag: 1000, Kp: 3 }]
/** A firewall in front of the agency answers so at times: a challenge for browsers, without a body. */
const EMPTY_202 = {
  reason: "status",
  host: "services.swpc.noaa.gov",
  status: 202,
  retryAfterMs: null,
  message: "the answer has status 202",
} as const
const respelled = { ...summary, message: summary.message.replace("SUMMARY:", "Summary -") }

feedTest({
  feed: spaceWeather,
  glances: {
    space_weather: [4.33, "Kp", "solar wind 442 km/s, flares up to C1.3 in 24 hours, 1 active alert"],
  },
  polls: [
    polled({
      source: swpc,
      world: simulated,
      // Of a message one line alone is shown.
      freeText: false,
      breakRow: null,
      refused: [
        ["documents without a reading", nothing, /usable reading/],
        ["documents without a reading or a message", { ...nothing, alerts: [] }, /usable reading/],
      ],
    }),
    polled({
      source: gfz,
      world: gfzWorld,
      freeText: false,
      breakRow: null,
      refused: [["a day without an interval that is over", [{ startMs: NOW_MS, index: -1 }], /no interval/]],
    }),
  ],
  views: [spaceWeatherView],
  table: spaceWeatherTable,
  rows: [
    {
      kind: "changed",
      item: flux(2e-6),
      makes: {
        observed_at: OBSERVED_AT,
        kp_index: null,
        kp_at: null,
        kp_estimated: null,
        solar_wind_speed_km_s: null,
        solar_wind_density_cm3: null,
        solar_wind_temperature_k: null,
        solar_wind_at: null,
        xray_flux_w_m2: 1e-8,
        xray_at: "2026-11-20T12:00:00.000Z",
        xray_peak_flux_w_m2: 2e-6,
        xray_peak_at: "2026-11-20T12:00:00.000Z",
      },
    },
    { kind: "gone", item: flux(2e-6), makes: null },
  ],
})

describe.skipIf(capturesAbsent)("captured documents", () => {
  it("give readings and standing alerts", () => {
    const { payload, contentAtMs } = normalised(swpc, {
      kp: capture("kp", "products-noaa-planetary-k-index-2026-09-24-object-format-trimmed.json"),
      kpMinutes: capture("kpMinutes", "planetary_k_index_1m-2026-07-29.json"),
      wind: capture("wind", "json-rtsw-rtsw_wind_1m-2026-09-13-trimmed.json"),
      xrays: capture("xrays", "json-goes-primary-xrays-2026-09-27-trimmed.json"),
      alerts: capture("alerts", "products-alerts-2026-09-13-trimmed.json"),
    })
    expect(payload.measurements).toEqual({
      kp: { index: 4.33, at: "2026-09-24T06:00:00.000Z" },
      // The first of the highest minutes of the last three hours.
      kpEstimated: { index: 1.67, at: "2026-07-29T11:41:00.000Z" },
      // The newest minute of the spacecraft that is active, not the newest row.
      solarWind: {
        speedKmPerS: 441.8,
        densityPerCm3: 1.22,
        temperatureK: 151101,
        at: "2026-09-13T14:49:00.000Z",
      },
      xray: {
        fluxWPerM2: 1.3486318e-6,
        at: "2026-09-27T19:05:00.000Z",
        peakFluxWPerM2: 1.3486318e-6,
        peakAt: "2026-09-27T19:05:00.000Z",
      },
    })
    expect(contentAtMs).toBe(Date.parse("2026-07-29T14:36:00Z"))
    // The cancelled watch, the summary and the earlier electron alert are gone.
    expect(payload.alerts?.map(({ code, activeUntil, scale }) => [code, activeUntil, scale])).toEqual([
      ["ALTEF3", "2026-09-14T08:27:29.123Z", null],
      ["ALTK05", "2026-09-09T17:51:10.343Z", "G1"],
      ["WARK05", "2026-09-08T23:59:00.000Z", "G1"],
      ["WARPX1", "2026-09-06T12:00:00.000Z", "S1"],
    ])
    expect(show(payload, Date.parse("2026-09-08T18:00:00Z"))).toMatchObject({
      kp_index: 4.33,
      flare_class: "C",
      flare_peak: "C1.3",
      active_alerts: [{ code: "ALTEF3" }, { code: "ALTK05", kind: "alert" }, { code: "WARK05", kind: "warning" }],
    })
    expect(show(payload, Date.parse("2026-10-01T00:00:00Z"))).toMatchObject({ active_alerts: [] })
  })
  it("give three days of the index, which are drawn by when it was measured, with the words of its scale", () => {
    const rows: Collected["kp"] = capture("kp", "products-noaa-planetary-k-index-2026-02-array-format.json")
    const { payload } = normalised(swpc, { ...nothing, kp: rows })
    const points = drawn(payload)
    expect(points).toHaveLength(24)
    expect(points.filter(({ note }) => note === "active").map(({ at, value }) => [at, value])).toEqual([
      ["2026-02-06T18:00:00.000Z", 4],
      ["2026-02-07T00:00:00.000Z", 3.67],
      ["2026-02-07T21:00:00.000Z", 3.67],
    ])
    expect(points.at(-1)).toEqual({ at: "2026-02-09T15:00:00.000Z", value: 2, note: "quiet", state: "good" })
  })
  it("decode in the older generation of arrays and texts too", () => {
    const old: Collected["kp"] = capture("kp", "products-noaa-planetary-k-index-2026-02-array-format.json")
    const { payload } = normalised(swpc, { ...nothing, kp: old })
    expect(payload.measurements.kp).toEqual({ index: 2, at: "2026-02-09T15:00:00.000Z" })
    const plasma: ReadonlyArray<object> = capture(
      "plasma",
      "products-solar-wind-plasma-1-day-2026-03-27-array-format.json",
    )
    expect(plasma.at(-1)).toEqual({
      time_tag: Date.parse("2026-03-27T14:44:00Z"),
      density: 0.22,
      speed: 408.9,
      temperature: 36505,
    })
  })
})

describe("space weather", () => {
  it("prefers the exact index to the rounded one", () => {
    const { payload } = normalised(swpc, {
      ...nothing,
      kp: [{ time_tag: 1000, Kp: 4, Kp_fraction: 3.67 }],
      kpMinutes: [
        { time_tag: 1000, kp_index: 3 },
        { time_tag: 2000, kp_index: 2, estimated_kp: 2.33 },
      ],
    })
    expect(payload.measurements.kp?.index).toBe(3.67)
    expect(payload.measurements.kpEstimated).toEqual({ index: 3, at: "1970-01-01T00:00:01.000Z" })
  })
  it("does without a message in another form among others in the known one", () => {
    const { payload } = normalised(swpc, { ...nothing, kp, alerts: [respelled, summary, summary] })
    expect(payload.alerts).toEqual([])
  })
  it.each([
    ["an empty list", []],
    ["messages in another form", [respelled]],
    ["messages half of which are in another form", [respelled, summary]],
  ])("does not take %s for no alert", (_, alerts) => {
    const { payload } = normalised(swpc, { ...nothing, kp, alerts })
    expect(payload.alerts).toBeNull()
    expect(show(payload, NOW_MS)).toMatchObject({ kp_index: 3, active_alerts: null })
  })
  it.each(Object.keys(swpc.documents))("keeps the readings of the other documents where %s fails", async (name) => {
    const failing = swpc.documents[name]
    const world = upstreamOf(simulated, worldAt("test", NOW_MS))
    const collected = await collect(swpc, {
      ...world,
      fetch: (document, input) =>
        Object.is(document, failing) ? Effect.fail(new HttpFailed(EMPTY_202)) : world.fetch(document, input),
    })
    if (Exit.isFailure(collected)) throw new Error(String(collected.cause))
    const { payload } = normalised(swpc, collected.value, { observedAtMs: NOW_MS })
    const read = {
      kp: payload.measurements.kp,
      kpMinutes: payload.measurements.kpEstimated,
      wind: payload.measurements.solarWind,
      xrays: payload.measurements.xray,
      alerts: payload.alerts,
    }
    expect(Object.entries(read).filter(([, value]) => value === null)).toEqual([[name, null]])
  })
  it("fails where no document can be read", async () => {
    const collected = await collect(swpc, {
      ...upstreamOf(simulated, worldAt("test", NOW_MS)),
      fetch: () => Effect.fail(new HttpFailed(EMPTY_202)),
    })
    expect(Exit.isFailure(collected)).toBe(true)
  })
  it("reads bare NaN and Infinity as no reading, and leaves texts as they are", () => {
    const { wind } = swpc.documents
    if (wind === undefined) throw new Error("there is no document of the wind")
    const decoded = decodeDocument(
      "wind",
      wind,
      Buffer.from(
        `[{"time_tag":"2026-11-20T12:00:00","active":true,"proton_speed":410.5,"proton_density":NaN,"proton_temperature":-Infinity,"note":"NaN \\" Infinity"},
          {"time_tag":"2026-11-20T12:01:00","active":true,"proton_speed":NaN,"proton_density":1}]`,
      ),
    )
    const { payload } = normalised(swpc, { ...nothing, wind: Result.getOrThrow(decoded) as Collected["wind"] })
    expect(payload.measurements.solarWind).toEqual({
      speedKmPerS: 410.5,
      densityPerCm3: null,
      temperatureK: null,
      at: "2026-11-20T12:00:00.000Z",
    })
  })
  it("ends an alert of a proton event by the end that its summary names", () => {
    const message = (hour: number, code: string, text: string) => ({
      product_id: code,
      issue_datetime: Date.parse("2026-11-20T00:00:00Z") + hour * HOUR_MS,
      message: `Space Weather Message Code: ${code}\r\nSerial Number: ${hour}\r\n\r\n${text}\r\n`,
    })
    const alertPX1 = message(
      1,
      "ALTPX1",
      "ALERT: Proton Event 10MeV Integral Flux exceeded 10pfu\r\nNOAA Scale: S1 - Minor",
    )
    const alertPC0 = message(2, "ALTPC0", "ALERT: Proton Event 100MeV Integral Flux exceeded 1pfu")
    const summaryPX1 = message(
      9,
      "SUMPX1",
      "SUMMARY: Proton Event 10MeV Integral Flux exceeded 10pfu\r\nBegin Time: 2026 Nov 20 0100 UTC\r\nEnd Time: 2026 Nov 20 0800 UTC",
    )
    const summaryPC0 = message(
      9,
      "SUMPC0",
      "SUMMARY: Proton Event 100MeV Integral Flux exceeded 1pfu\r\nEnd Time: 2026 Nov 20 0700 UTC",
    )
    const again = message(8.5, "ALTPX1", "ALERT: Proton Event 10MeV Integral Flux exceeded 10pfu")
    const codes = (...alerts: ReadonlyArray<typeof again>) =>
      normalised(swpc, { ...nothing, alerts }).payload.alerts?.map(({ code }) => code)
    expect(codes(alertPX1, alertPC0)).toEqual(["ALTPC0", "ALTPX1"])
    expect(codes(alertPX1, alertPC0, summaryPX1)).toEqual(["ALTPC0"])
    expect(codes(alertPX1, alertPC0, summaryPX1, summaryPC0)).toEqual([])
    // A new event that began after the end of the first one, before that one was summed up.
    expect(codes(alertPX1, again, summaryPX1)).toEqual(["ALTPX1"])
  })
  it("keeps the index of three days by its intervals, null for one without, and nothing of other times", () => {
    const begin = Date.parse("2026-11-17T00:00:00Z")
    const row = (interval: number, Kp: number | null) => ({ time_tag: begin + interval * 3 * HOUR_MS, Kp })
    const of = (...rows: ReadonlyArray<ReturnType<typeof row>>) => normalised(swpc, { ...nothing, kp: rows }).payload
    expect(of(row(2, 3.333), row(0, 1), row(1, null), row(0.5, 9)).kpRecent).toEqual({
      begin: "2026-11-17T00:00:00.000Z",
      indexes: [1, null, 3.33],
    })
    const week = of(...Array.from({ length: 56 }, (_, at) => row(at, (at % 28) / 3.5)))
    expect(week.kpRecent).toMatchObject({ begin: "2026-11-21T00:00:00.000Z" })
    expect(drawn(week)).toHaveLength(24)
    // An interval of a week ago is none of the last three days.
    expect(of(row(0, 1), row(40, 2)).kpRecent).toEqual({ begin: "2026-11-22T00:00:00.000Z", indexes: [2] })
    expect(of(row(0.5, 3))).not.toHaveProperty("kpRecent")
  })
  it.each([
    [0, "quiet", "good"],
    [2.33, "quiet", "good"],
    [2.67, "unsettled", "good"],
    [3.33, "unsettled", "good"],
    [3.67, "active", "warn"],
    [4.33, "active", "warn"],
    [4.67, "storm G1", "bad"],
    [6, "storm G2", "bad"],
    [7.33, "storm G3", "bad"],
    [8.33, "storm G4", "bad"],
    [8.67, "storm G4", "bad"],
    [9, "storm G5", "bad"],
  ])("draws an index of %d as %s", (index, note, state) => {
    const payload = { ...flux(1e-8), kpRecent: { begin: "2026-11-20T00:00:00.000Z", indexes: [index, null] } }
    expect(drawn(payload)).toEqual([
      { at: "2026-11-20T00:00:00.000Z", value: index, note, state },
      { at: "2026-11-20T03:00:00.000Z", value: null },
    ])
  })
  it("is the same item, and not known in replies, where an event of before holds no intervals", () => {
    const before = flux(1e-8)
    const after = { ...before, kpRecent: { begin: "2026-11-20T00:00:00.000Z", indexes: [3] } }
    expect(spaceWeather.isRevised(before, after)).toBe(false)
    expect(show(before, NOW_MS)).toMatchObject({ kp_history: null })
    expect(drawn(before)).toEqual([])
    // Its table is that of the alerts, as before.
    expect(spaceWeatherEndpoint.fields).not.toContain("kp_history")
  })
  it("does not believe readings of the future", () => {
    const rows = [1, 2].map((day) => ({ time_tag: NOW_MS + (day - 1) * 24 * HOUR_MS, Kp: day }))
    const { payload } = normalised(swpc, { ...nothing, kp: rows }, { observedAtMs: NOW_MS })
    expect(payload.measurements.kp?.index).toBe(1)
  })
  it.each([
    [5e-9, "A", "A0.5"],
    [1e-8, "A", "A1.0"],
    [1e-7, "B", "B1.0"],
    [5.592851266555954e-7, "B", "B5.5"],
    [9.99e-7, "B", "B9.9"],
    [1e-6, "C", "C1.0"],
    [3e-5, "M", "M3.0"],
    [1e-4, "X", "X1.0"],
    [1.2e-3, "X", "X12.0"],
  ])("classes a peak of %d W/m2 as %s", (peak, letter, text) => {
    expect(show(flux(peak), NOW_MS)).toMatchObject({ flare_class: letter, flare_peak: text })
  })
  it("takes unreadable values for none", () => {
    const { payload } = normalised(swpc, {
      ...nothing,
      kp: [
        { time_tag: 1000, Kp: 3 },
        { time_tag: 2000, Kp: null },
        { time_tag: 3000, Kp: 99 },
      ],
      wind: [{ time_tag: 1000, proton_speed: -9999.9 }],
    })
    expect(payload.measurements.kp?.index).toBe(3)
    expect(payload.measurements.solarWind).toBeNull()
  })
  it("lets a cancelling message end a watch, and a newer watch replace it", () => {
    const watch = (minute: number, code: string, text: string) => ({
      product_id: "A30F",
      issue_datetime: Date.parse("2026-11-20T10:00:00Z") + minute * 60_000,
      message: `Space Weather Message Code: ${code}\r\nSerial Number: ${minute}\r\n\r\n${text}\n`,
    })
    const first = watch(1, "WATA20", "WATCH: Geomagnetic Storm Category G1 Predicted ")
    const second = watch(2, "WATA30", "WATCH: Geomagnetic Storm Category G2 Predicted ")
    const cancel = watch(3, "WATA30", "CANCEL WATCH: Geomagnetic Storm Category G2 Predicted ")
    const kp = [{ time_tag: 1000, Kp: 3 }]
    const codes = (...alerts: ReadonlyArray<typeof first>) =>
      normalised(swpc, { ...nothing, kp, alerts }).payload.alerts?.map(({ headline, scale, activeUntil }) => [
        headline,
        scale,
        activeUntil,
      ])
    expect(codes(first, second)).toEqual([
      ["Geomagnetic Storm Category G2 Predicted", "G2", "2026-11-23T00:00:00.000Z"],
    ])
    expect(codes(first, second, cancel)).toEqual([])
  })
  it("has no list of more alerts than there are codes, instead of the newest of them", () => {
    const alertsOf = (count: number) =>
      normalised(
        swpc,
        {
          ...nothing,
          kp,
          alerts: Array.from({ length: count }, (_, n) => ({
            product_id: `K${n}`,
            issue_datetime: NOW_MS - n,
            message: `Space Weather Message Code: ALTX${n}\r\nALERT: X-ray Flux exceeded M5`,
          })),
        },
        { observedAtMs: NOW_MS },
      ).payload.alerts
    expect(alertsOf(SPACE_ALERTS_MAX)).toHaveLength(SPACE_ALERTS_MAX)
    expect(alertsOf(SPACE_ALERTS_MAX + 1)).toBeNull()
  })
  it("of the world is what is shown", async () => {
    const { payload, contentAtMs } = await observed(swpc, simulated, NOW_MS)
    const world = worldAt("test", NOW_MS)
    const windMs = Date.parse("2026-11-20T12:32:00Z")
    expect(contentAtMs).toBe(windMs)
    const endMs = Date.parse("2026-11-20T12:34:00Z")
    const peak = Math.max(...xrayFluxes(world, endMs - 24 * HOUR_MS, endMs).map(({ flux }) => flux))
    expect(show(payload, NOW_MS)).toMatchObject({
      kp_index: kpAt(world, Date.parse("2026-11-20T09:00:00Z")),
      solar_wind_speed_km_s: windAt(world, windMs).speed,
      solar_wind_density_cm3: windAt(world, windMs).density,
      flare_peak_flux_w_m2: asSingle(peak),
    })
  })
  it("of the world has alerts at times, never more than five shown", async () => {
    const counts = await Promise.all(
      Array.from({ length: 12 }, async (_, day) => {
        const atMs = NOW_MS + day * 24 * HOUR_MS
        const { payload } = await observed(swpc, simulated, atMs)
        const { active_alerts } = show(payload, atMs) as { readonly active_alerts: ReadonlyArray<object> }
        return active_alerts.length
      }),
    )
    expect(Math.max(...counts)).toBeGreaterThan(0)
    expect(Math.max(...counts)).toBeLessThanOrEqual(5)
  })
})

describe("the Kp index of the observatories, in place of the agency's", () => {
  const text = (lines: string) =>
    Result.getOrThrow(decodeDocument("nowcast", gfz.documents.nowcast as never, new TextEncoder().encode(lines)))
  const header = "# LICENSE: CC BY 4.0\n"

  it.skipIf(capturesAbsent)("as recorded on 13 May 2024: intervals to come have none, and all else is null", () => {
    const intervals = decodedCapture<Parameters<typeof gfz.read>[0]>(gfz, "nowcast", "Kp_ap_nowcast-2024-05-13.txt")
    const { payload, contentAtMs } = normalised(gfz, intervals, { observedAtMs: Date.parse("2024-05-13T19:00:00Z") })
    expect(payload).toEqual({
      measurements: { ...quiet, kp: { index: 2.67, at: "2024-05-13T15:00:00.000Z" } },
      alerts: null,
      kpRecent: { begin: "2024-05-10T18:00:00.000Z", indexes: expect.any(Array) },
    })
    // The storm of May 2024, from the evening on which it was at its worst.
    const points = drawn(payload)
    expect(points).toHaveLength(24)
    expect(points.slice(0, 3).map(({ at, value, note }) => [at, value, note])).toEqual([
      ["2024-05-10T18:00:00.000Z", 8.33, "storm G4"],
      ["2024-05-10T21:00:00.000Z", 9, "storm G5"],
      ["2024-05-11T00:00:00.000Z", 9, "storm G5"],
    ])
    expect(points.filter(({ state }) => state === "bad")).toHaveLength(15)
    expect(points.at(-1)).toMatchObject({ value: 2.67, note: "unsettled" })
    expect(contentAtMs).toBeNull()
    expect(intervals).toHaveLength(240)
    // The storm of May 2024.
    expect(intervals).toContainEqual({ startMs: Date.parse("2024-05-11T00:00:00Z"), index: 9 })
    expect(show(payload, Date.parse("2024-05-13T19:00:00Z"))).toMatchObject({ kp_index: 2.67, active_alerts: null })
  })
  it("is read in thirds, of intervals that have begun", () => {
    const intervals = text(
      `${header}2026 11 20 06.0 07.50 34657.25000 34657.31250  1.667    6 0\n2026 11 20 18.0 19.50 34657.75000 34657.81250  5.000    6 0\n`,
    )
    const { payload } = normalised(gfz, intervals as never, { observedAtMs: NOW_MS })
    expect(payload.measurements.kp).toEqual({ index: 1.67, at: "2026-11-20T06:00:00.000Z" })
  })
  it("is the same by the service, where the file is gone", () => {
    const answer = { meta: { license: "CC BY 4.0" }, datetime: ["2026-11-20T06:00:00Z"], Kp: [1.667], status: ["pre"] }
    const decoded = decodeDocument(
      "service",
      gfz.documents.service as never,
      new TextEncoder().encode(JSON.stringify(answer)),
    )
    expect(Result.getOrThrow(decoded)).toEqual([{ startMs: Date.parse("2026-11-20T06:00:00Z"), index: 1.667 }])
  })
  it("is no other file: one with a line a day, or an error", () => {
    for (const lines of ["", header, "2026 11 20 34657 34657.5 2630 11 1.667 1.0\n", "<html>404</html>"])
      expect(() => text(lines)).toThrow()
  })
})
