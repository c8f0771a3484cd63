import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { UpstreamError } from "../../ingestors/document.ts"
import bea from "../../ingestors/sources/bea-nipa.ts"
import bls from "../../ingestors/sources/bls.ts"
import eia from "../../ingestors/sources/eia.ts"
import h10 from "../../ingestors/sources/fed-h10.ts"
import h15 from "../../ingestors/sources/fed-h15.ts"
import fred from "../../ingestors/sources/fred.ts"
import nyfed from "../../ingestors/sources/nyfed-rates.ts"
import treasury from "../../ingestors/sources/treasury-par-yield.ts"
import economicSeriesTable from "../../processors/tables/economic_series/table.ts"
import economicData, { spreads, yearOverYear, yearOverYears } from "../../processors/views/economic-data.ts"
import { economicDataEndpoint } from "../../schemas/endpoints/economic-data.ts"
import { type EconomicSeriesId, economicSeries, economicSeriesIds } from "../../schemas/feeds/economic-series.ts"
import { numbersOf } from "../world/economy.ts"
import beaWorld from "../world/upstreams/bea-nipa.ts"
import blsWorld from "../world/upstreams/bls.ts"
import eiaWorld from "../world/upstreams/eia.ts"
import h10World from "../world/upstreams/fed-h10.ts"
import h15World from "../world/upstreams/fed-h15.ts"
import simulated, { FRED_WORLD_KEY } from "../world/upstreams/fred.ts"
import nyfedWorld from "../world/upstreams/nyfed-rates.ts"
import treasuryWorld from "../world/upstreams/treasury-par-yield.ts"
import { worldAt } from "../world/world.ts"
import { capturesAbsent, decodedCapture } from "./support/captures.ts"
import { feedTest, polled } from "./support/feed-test.ts"
import { normalised, refusedBy } from "./support/read.ts"
import { OBSERVED_AT, PROVIDER } from "./support/rows.ts"
import { reading, shown } from "./support/shown.ts"
import { observed, pollFailure, upstreamOf } from "./support/world.ts"

const NOW_MS = Date.parse("2026-11-20T12:34:56.789Z")
const DAY_MS = 86_400_000

interface Answer {
  readonly observations: ReadonlyArray<unknown>
}
const itemsOf = (rows: ReadonlyArray<unknown>, series: EconomicSeriesId = "DGS10") =>
  normalised(fred, { rows }, { parameters: { series }, observedAtMs: NOW_MS }).payload.items
const day = (date: string, value: string) => ({ date, value })
const readingOf = (series: EconomicSeriesId, rows: ReadonlyArray<unknown>) => {
  const { payload } = normalised(fred, { rows }, { parameters: { series }, observedAtMs: NOW_MS })
  return reading(payload, { series })
}

const item = { date: "2026-11-18", value: 4.11 }

/** The publishers of the series, each with its simulated provider. */
const publishers = [
  [treasury, treasuryWorld],
  [nyfed, nyfedWorld],
  [bea, beaWorld],
  [bls, blsWorld],
  [eia, eiaWorld],
  [h10, h10World],
  [h15, h15World],
] as const

feedTest({
  feed: economicSeries,
  polls: [
    polled({
      source: fred,
      world: simulated,
      freeText: false,
      breakRow: ({ rows }) => ({ rows: [...rows, day("2026-02-30", "4.1")] }),
      refused: [["a series without a number", { rows: [day("2026-11-18", ".")] }, /has no items/]],
    }),
    ...publishers.map(([source, world]) =>
      polled({
        source,
        world,
        freeText: false,
        breakRow: ({ rows }) => ({ rows: [...rows, day("2026-02-30", "4.1")] }),
        refused: [["a series without a number", { rows: [day("2026-11-18", "ND")] }, /has no items/]],
      }),
    ),
  ],
  views: [economicData],
  table: economicSeriesTable,
  rows: [
    {
      kind: "changed",
      item,
      parameters: { series: "DGS10" },
      makes: {
        series: "DGS10",
        date: "2026-11-18",
        value: 4.11,
        unit: "percent",
        provider: PROVIDER,
        observed_at: OBSERVED_AT,
      },
    },
    { kind: "gone", item, parameters: { series: "DGS10" }, makes: null },
  ],
})

describe.skipIf(capturesAbsent)("captured series", () => {
  const captured = (series: EconomicSeriesId, file: string) =>
    readingOf(series, decodedCapture<Answer>(fred, "observations", file).observations)

  it("are shown, each with the number before: holidays and a month that was never published are passed over", () => {
    const shownData = shown(
      economicData,
      [
        captured("FEDFUNDS", "hand-made-observations-fedfunds-desc.json"),
        captured("UNRATE", "hand-made-observations-unrate-desc.json"),
        captured("A191RL1Q225SBEA", "hand-made-observations-a191rl1q225sbea-desc.json"),
        captured("DGS2", "hand-made-observations-dgs2-desc.json"),
        captured("MORTGAGE30US", "hand-made-observations-mortgage30us-desc.json"),
        captured("CPIAUCSL", "observations-cpiaucsl-desc-10-rows-envelope-rebuilt-2026-09.json"),
      ],
      { nowMs: NOW_MS },
    )
    expect(shownData).toMatchObject({
      fed_rate: {
        value: 3.88,
        date: "2025-11-01",
        source: "nyfed:FEDFUNDS",
        previous: { value: 4.09, date: "2025-10-01" },
      },
      unemployment: { value: 4.6, date: "2025-11-01", unit: "percent", previous: { value: 4.4, date: "2025-09-01" } },
      gdp_growth: { value: 4.3, date: "2025-07-01", previous: { value: 3.8, date: "2025-04-01" } },
      yield_2y: { value: 3.45, date: "2025-12-30", previous: { value: 3.45, date: "2025-12-29" } },
      mortgage_30y: { value: 6.15, date: "2025-12-31", previous: { value: 6.18, date: "2025-12-24" } },
      cpi: { value: 334.131, date: "2026-08-01", unit: "index 1982-84=100", previous: { value: 332.813 } },
      // The ten months of the recorded answer do not reach back a year.
      cpi_yoy_pct: null,
      // Never read.
      yield_10y: { value: null, date: null, source: "treasury:DGS10", previous: null },
      yield_curve_2_10: { value: null, date: null, source: "computed", previous: null },
      history: { cpi_yoy_pct: [], yield_curve_2_10: [] },
    })
  })
  it("of a file are the same numbers, under the old header and the new one", () => {
    const file = (name: string) =>
      decodedCapture<{ readonly rows: ReadonlyArray<Record<string, string>> }>(fred, "download", name).rows
    const old = file("fredgraph-dgs10-2018-08-to-2023-08-dot-missing.csv").map((row) =>
      day(row.DATE ?? "", row.DGS10 ?? ""),
    )
    expect(itemsOf(old).slice(0, 3)).toEqual([
      { date: "2023-08-21", value: 4.34 },
      { date: "2023-08-18", value: 4.26 },
      { date: "2023-08-17", value: 4.3 },
    ])
    expect(itemsOf(old)).toHaveLength(60)
    const recent = file("hand-made-fredgraph-new-header-blank-missing.csv")
    expect(itemsOf(recent.map((row) => day(row.observation_date ?? "", row.DGS10 ?? "")))).toEqual([
      { date: "2024-12-27", value: 4.62 },
      { date: "2024-12-26", value: 4.58 },
      { date: "2024-12-24", value: 4.59 },
      { date: "2024-12-23", value: 4.59 },
    ])
  })
  it("of 129 days in ascending order keep the newest sixty", () => {
    const items = captured("DGS10", "observations-dgs10-trimmed-2026-09-19.json").payload.items
    expect(items).toHaveLength(60)
    expect(items[0]).toEqual({ date: "2025-05-29", value: 4.43 })
    // Sixty numbers before 29 May 2025, Memorial Day, Good Friday and weekends left out.
    expect(items[59]?.date).toBe("2025-03-05")
  })
  it("report a refused key, which the provider answers as a bad request", async () => {
    const refusal = decodedCapture<object>(fred, "observations", "hand-made-error-400-bad-api-key.json")
    const upstream = {
      ...upstreamOf(simulated, worldAt("test", NOW_MS)),
      fetch: () => Effect.succeed(refusal as never),
    }
    const exit = await Effect.runPromiseExit(
      fred.collect(upstream, { parameters: { series: "DGS10" }, key: "wrong", observedAtMs: NOW_MS }),
    )
    expect(JSON.stringify(exit)).toContain("key_refused")
  })
})

describe("economic series", () => {
  it("leave out what is no number and no day, and count it", () => {
    expect(
      itemsOf([
        day("2026-11-19", "4.1"),
        day("2026-11-18", "."),
        day("2026-11-17", ""),
        day("2026-02-30", "4"),
        day("2026-11-13", "4.0"),
      ]),
    ).toEqual([
      { date: "2026-11-19", value: 4.1 },
      { date: "2026-11-13", value: 4 },
    ])
    expect(refusedBy(fred, { rows: [day("2026-11-18", ".")] }, { observedAtMs: NOW_MS })).toBeInstanceOf(UpstreamError)
  })
  it("make the curve of days that both have", () => {
    const ten = [4.1, 4.2, 4.3].map((value, index) => ({ date: `2026-11-1${9 - index}`, value }))
    const two = [
      { date: "2026-11-18", value: 3.75 },
      { date: "2026-11-16", value: 1 },
    ]
    expect(spreads(ten, two)).toEqual([{ date: "2026-11-18", value: 0.45 }])
    expect(spreads([], two)).toEqual([])
  })
  it.each([
    [
      "the same month a year before",
      [
        ["2026-08-01", 334.131],
        ["2025-08-01", 323.364],
      ],
      3.3,
    ],
    [
      "no such month",
      [
        ["2026-08-01", 334.131],
        ["2025-09-01", 323.364],
      ],
      null,
    ],
    [
      "zero a year before",
      [
        ["2026-08-01", 334.131],
        ["2025-08-01", 0],
      ],
      null,
    ],
    ["nothing at all", [], null],
  ] as const)("compare with a year before: %s", (_, numbers, change) => {
    expect(yearOverYear(numbers.map(([date, value]) => ({ date, value })))).toBe(change)
  })
  it("compare each month with a year before, where both have a number", () => {
    const years = yearOverYears([
      { date: "2026-03-01", value: 110 },
      { date: "2026-01-01", value: 104 },
      { date: "2025-03-01", value: 100 },
      { date: "2025-02-01", value: 99 },
      { date: "2025-01-01", value: 100 },
    ])
    expect(years).toEqual([
      { date: "2026-03-01", value: 10 },
      { date: "2026-01-01", value: 4 },
    ])
    const history = { fed_rate: [], cpi_yoy_pct: years.toReversed(), yield_curve_2_10: spreads(years, []) }
    const plots = economicDataEndpoint.glance?.plots?.({ ...economicDataEndpoint.example, history }) ?? []
    expect(plots.map((plot) => plot.kind === "series" && plot.points)).toEqual([
      [
        { at: "2026-01-01", value: 4 },
        { at: "2026-02-01", value: null },
        { at: "2026-03-01", value: 10 },
      ],
      [],
      [],
    ])
  })
  it("have a content age limit by their frequency", () => {
    const days = (series: string) => (economicSeries.contentAgeMaxMs({ series }) ?? 0) / DAY_MS
    expect(["DGS10", "MORTGAGE30US", "UNRATE", "A191RL1Q225SBEA"].map(days)).toEqual([7, 10, 100, 230])
    // The log may hold a series of an earlier release.
    expect(["GOLD", "constructor"].map((series) => economicSeries.contentAgeMaxMs({ series }))).toEqual([null, null])
  })
  it("of the world are the same with a key and without one", async () => {
    const world = worldAt("test", NOW_MS)
    for (const series of economicSeriesIds) {
      const collect = (key: string | null) =>
        Effect.runPromise(
          fred.collect(upstreamOf(simulated, world), { parameters: { series }, key, observedAtMs: NOW_MS }),
        )
      const [withKey, without] = [
        itemsOf((await collect(FRED_WORLD_KEY)).rows, series),
        itemsOf((await collect(null)).rows, series),
      ]
      expect(withKey.slice(0, 50)).toEqual(without.slice(0, 50))
      expect(withKey.slice(0, 5)).toEqual(
        numbersOf(world, series, 400)
          .flatMap(({ date, value }) => (value === null ? [] : [{ date, value }]))
          .slice(0, 5),
      )
      expect(withKey.length).toBeGreaterThan(series === "A191RL1Q225SBEA" ? 40 : 55)
    }
  })
  it("of another series than the requested one are refused", async () => {
    const real = upstreamOf(simulated, worldAt("test", NOW_MS))
    const other: typeof real = {
      ...real,
      fetch: (document, input) => real.fetch(document, { ...(input as object), series: "DGS2" } as never),
    }
    expect(await pollFailure(fred, other, { series: "DGS10" })).toMatchObject({
      value: { message: expect.stringContaining("not of the series") },
    })
  })
  it("of each day of the world hold a holiday and a revised number", () => {
    for (let index = 0; index < 14; index++) {
      const [before, after] = [NOW_MS + index * DAY_MS, NOW_MS + (index + 1) * DAY_MS].map((atMs) =>
        numbersOf(worldAt("test", atMs), "DTWEXBGS", 90),
      )
      expect(before?.some(({ value }) => value === null)).toBe(true)
      const known = new Map(before?.map(({ date, value }) => [date, value]))
      expect(
        after?.some(({ date, value }) => known.has(date) && known.get(date) !== value),
        String(index),
      ).toBe(true)
    }
  })
  it("are observed without a key", async () => {
    const { payload, contentAtMs } = await observed(fred, simulated, NOW_MS, { series: "DGS10" })
    expect(contentAtMs).toBe(Date.parse(`${payload.items[0].date}T00:00:00Z`))
  })
})
