import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import type { SeriesRows } from "../../ingestors/readers/economic-series.ts"
import eia from "../../ingestors/sources/eia.ts"
import fred from "../../ingestors/sources/fred.ts"
import correlations from "../../processors/folds/correlations.ts"
import correlationsTable from "../../processors/tables/correlations/table.ts"
import { foldingBench, observed as saw } from "../../processors/testing/folding.ts"
import { buildData, viewInstance } from "../../processors/view/build-view.ts"
import type { Reading } from "../../processors/view/view.ts"
import correlationMatrix from "../../processors/views/pro-correlation-matrix.ts"
import { dayOf } from "../../schemas/day.ts"
import {
  CorrelationMatrix,
  correlationAssets,
  correlationPairs,
  proCorrelationMatrixEndpoint,
} from "../../schemas/endpoints/pro-correlation-matrix.ts"
import { type EventOf, makeEvent } from "../../schemas/event.ts"
import { correlationComputed } from "../../schemas/events/correlations.ts"
import type { EconomicNumber, EconomicSeriesId } from "../../schemas/feeds/economic-series.ts"
import type { Json } from "../../schemas/json.ts"
import { eventReader } from "../../schemas/registry.ts"
import { premiumScene } from "../premium/scene.ts"
import simulated from "../world/upstreams/fred.ts"
import { capturesAbsent, decodedCapture } from "./support/captures.ts"
import { nullPaths } from "./support/null-paths.ts"
import { normalised } from "./support/read.ts"
import { reading, shown } from "./support/shown.ts"
import { columnsOf, fits, partitionOf } from "./support/table-columns.ts"
import { observed } from "./support/world.ts"

const NOW_MS = Date.parse("2026-11-20T12:34:56.789Z")
const DAY_MS = 86_400_000

const matrixOf = (readings: ReadonlyArray<Reading<unknown>>): CorrelationMatrix => {
  const data = Schema.decodeUnknownSync(CorrelationMatrix)(shown(correlationMatrix, readings, { nowMs: NOW_MS }))
  // Every null has the note of its pair, and every such note is of a null.
  const unexplained = nullPaths(data).filter((path) => {
    const [, a = "", b = ""] = path.split(".")
    return !/^No correlation: /.test(data.notes[`${a}/${b}`] ?? data.notes[`${b}/${a}`] ?? "")
  })
  expect(unexplained).toEqual([])
  const notes = Object.values(data.notes).filter((note) => note.startsWith("No correlation"))
  expect(notes).toHaveLength(data.sample_size.pairs_left_out)
  expect(data.pairs.length + data.sample_size.pairs_left_out).toBe(correlationPairs.length)
  return data
}
const ofItems = (series: EconomicSeriesId, items: ReadonlyArray<EconomicNumber>) =>
  reading({ items, facts: {} }, { series })
/** Numbers of consecutive days, the newest first. */
const numbers = (values: ReadonlyArray<number>) =>
  values.map((value, at) => ({ date: dayOf(NOW_MS - at * DAY_MS), value }))
/** Doubles at `+`, is halved at `-`, from the oldest day to the newest. */
const doubling = (signs: string) => {
  const values = [1]
  for (const sign of signs) values.push((values.at(-1) ?? 0) * (sign === "+" ? 2 : 0.5))
  return numbers(values.toReversed())
}

describe.skipIf(capturesAbsent)("captured days", () => {
  const captured = (series: EconomicSeriesId, file: string) => {
    const { observations: rows } = decodedCapture<{ readonly observations: ReadonlyArray<unknown> }>(
      fred,
      "observations",
      file,
    )
    return reading(normalised(fred, { rows }, { parameters: { series }, observedAtMs: NOW_MS }).payload, { series })
  }

  it("of twelve days make no pair: eight or nine returns are fewer than ten", () => {
    const { assets, pairs, matrix, sample_size, notes } = matrixOf([
      captured("DGS2", "hand-made-observations-dgs2-desc.json"),
      captured("DTWEXBGS", "hand-made-observations-dtwexbgs-desc.json"),
      captured("DCOILWTICO", "hand-made-observations-dcoilwtico-desc.json"),
    ])
    // Eleven numbers each: Christmas has none.
    expect(assets.map(({ observations }) => observations)).toEqual([0, 11, 11, 11])
    expect(pairs).toEqual([])
    expect(matrix.USD_INDEX).toEqual({ TREASURY_10Y: null, TREASURY_2Y: null, USD_INDEX: 1, OIL_WTI: null })
    expect(sample_size).toEqual({ assets_requested: 4, assets_with_data: 3, pairs_left_out: 6 })
    const few = (n: number) => `No correlation: ${n} returns on common days; at least 10 are needed.`
    expect(notes).toMatchObject({
      "TREASURY_2Y/USD_INDEX": few(8),
      "TREASURY_2Y/OIL_WTI": few(9),
      "USD_INDEX/OIL_WTI": few(9),
      "TREASURY_10Y/OIL_WTI": "No correlation: TREASURY_10Y not read yet.",
    })
  })

  it("of the ten-year yield and a barrel of oil in the spring of 2025 correlate, in the view and in the fold", async () => {
    const yields = captured("DGS10", "observations-dgs10-trimmed-2026-09-19.json")
    const { rows } = decodedCapture<SeriesRows>(eia, "workbook", "RWTCd-2025-04.xls")
    const prices = normalised(eia, { rows }, { parameters: { series: "DCOILWTICO" }, observedAtMs: NOW_MS }).payload
    const oil = reading(prices, { series: "DCOILWTICO" })
    const { pairs, matrix, notes } = matrixOf([yields, oil])
    // The last 31 days on which both have a number: Good Friday has none, and Monday 21 April is the last of the workbook.
    expect(pairs).toEqual([
      {
        a: "TREASURY_10Y",
        b: "OIL_WTI",
        pearson_r: 0.2918,
        n_observations: 30,
        relationship: "weak",
        direction: "positive",
      },
    ])
    expect(matrix.TREASURY_10Y.OIL_WTI).toBe(pairs[0]?.pearson_r)
    expect(notes["TREASURY_10Y/OIL_WTI"]).toBeUndefined()
    const bench = foldingBench(correlations, eventReader)
    for (const { payload, parameters } of [yields, oil])
      bench.fold(saw(NOW_MS, "economic-series", payload as Json, { parameters }))
    expect(bench.derived().map(({ data }) => data)).toMatchObject([
      { pearsonR: pairs[0]?.pearson_r, returns: 30, firstDay: "2025-03-07", lastDay: "2025-04-21" },
    ])
  })
  it("of yields without a common day have none", () => {
    const { notes } = matrixOf([
      captured("DGS10", "observations-dgs10-trimmed-2026-09-19.json"),
      captured("DGS2", "hand-made-observations-dgs2-desc.json"),
    ])
    expect(notes["TREASURY_10Y/TREASURY_2Y"]).toContain("0 returns")
  })
})

describe("the correlation matrix", () => {
  it("before any series was read is what a cold reply holds", () => {
    const none = () => undefined
    const empty = { feed: none, payload: none, declared: none, remembered: none }
    expect(buildData(viewInstance(correlationMatrix, {}), empty, NOW_MS)).toEqual({ _tag: "Missing" })
    expect(matrixOf([])).toEqual(proCorrelationMatrixEndpoint.cold)
  })

  it("has the pairs by the size of their correlation, then by the order of the assets", () => {
    const still = numbers(Array(11).fill(4.25))
    const { pairs, matrix, sample_size, notes } = matrixOf([
      ofItems("DGS10", doubling("+++++-----")),
      ofItems("DGS2", doubling("++++-+----")),
      ofItems("DTWEXBGS", doubling("-----+++++")),
      ofItems("DCOILWTICO", still),
    ])
    expect(pairs).toEqual([
      {
        a: "TREASURY_10Y",
        b: "USD_INDEX",
        pearson_r: -1,
        n_observations: 10,
        relationship: "strong",
        direction: "negative",
      },
      {
        a: "TREASURY_10Y",
        b: "TREASURY_2Y",
        pearson_r: 0.6,
        n_observations: 10,
        relationship: "moderate",
        direction: "positive",
      },
      {
        a: "TREASURY_2Y",
        b: "USD_INDEX",
        pearson_r: -0.6,
        n_observations: 10,
        relationship: "moderate",
        direction: "negative",
      },
    ])
    expect(matrix).toEqual({
      TREASURY_10Y: { TREASURY_10Y: 1, TREASURY_2Y: 0.6, USD_INDEX: -1, OIL_WTI: null },
      TREASURY_2Y: { TREASURY_10Y: 0.6, TREASURY_2Y: 1, USD_INDEX: -0.6, OIL_WTI: null },
      USD_INDEX: { TREASURY_10Y: -1, TREASURY_2Y: -0.6, USD_INDEX: 1, OIL_WTI: null },
      OIL_WTI: { TREASURY_10Y: null, TREASURY_2Y: null, USD_INDEX: null, OIL_WTI: 1 },
    })
    expect(sample_size).toEqual({ assets_requested: 4, assets_with_data: 4, pairs_left_out: 3 })
    expect(notes["TREASURY_2Y/OIL_WTI"]).toBe("No correlation: one side does not change over its 10 returns.")
  })

  it("of the world has every pair, of thirty returns, as its table has", async () => {
    const bench = foldingBench(correlations, eventReader)
    let data = matrixOf([])
    // A fortnight, in which days and revisions come.
    for (let day = 0; day < 14; day++) {
      const atMs = NOW_MS + day * DAY_MS
      const readings: Array<Reading<unknown>> = []
      for (const { series } of correlationAssets) {
        const { payload } = await observed(fred, simulated, atMs, { series })
        readings.push(reading(payload, { series }))
        bench.fold(saw(atMs, "economic-series", payload as unknown as Json, { parameters: { series } }))
      }
      data = matrixOf(readings)
    }
    expect(bench.problems()).toEqual([])
    expect(data.pairs).toHaveLength(correlationPairs.length)
    for (const { n_observations } of data.pairs) expect(n_observations).toBe(30)
    expect(data.assets.every(({ observations }) => observations === 60)).toBe(true)

    const events = bench.derived() as ReadonlyArray<EventOf<typeof correlationComputed>>
    expect(events.length).toBeGreaterThan(2 * correlationPairs.length)
    const rows = events.flatMap((event) => correlationsTable.rows(event))
    expect(rows).toHaveLength(events.length)
    const columns = columnsOf("correlations")
    for (const row of rows) {
      expect(Object.keys(row).sort()).toEqual([...columns.types.keys()].sort())
      for (const [name, value] of Object.entries(row))
        expect(fits(columns.types.get(name) ?? "", value), name).toBe(true)
      expect(correlationsTable.partitions.of(row)).toBe(partitionOf(columns, row))
    }
    for (const { a, b, pearson_r, n_observations } of data.pairs)
      expect(rows.findLast((row) => row.a === a && row.b === b)).toMatchObject({ pearson_r, n_observations })
  })
})

describe("the table correlations", () => {
  it("has a row of each event, and none of another", () => {
    const data = {
      a: "TREASURY_2Y",
      b: "USD_INDEX",
      pearsonR: null,
      returns: 8,
      firstDay: "2025-12-15",
      lastDay: "2025-12-26",
      observedAt: "2025-12-31T00:00:00.000Z",
    }
    const event = makeEvent(correlationComputed, { id: "1", source: "test", subject: "x", time: data.observedAt, data })
    expect(correlationsTable.rows(event)).toEqual([
      {
        a: "TREASURY_2Y",
        b: "USD_INDEX",
        pearson_r: null,
        n_observations: 8,
        first_day: "2025-12-15",
        last_day: "2025-12-26",
        observed_at: "2025-12-31T00:00:00.000Z",
      },
    ])
    expect(correlationsTable.rows({ ...event, type: "item.appeared" })).toEqual([])
  })
})

describe("GET /api/pro/correlation-matrix", () => {
  it("costs two credits, and nothing while nothing was read or no pair has a correlation", async () => {
    const { fill, get, token, balanceOf } = await premiumScene({ endpoints: [proCorrelationMatrixEndpoint] })
    const mine = await token(2)
    const billingOf = async () => (await get(proCorrelationMatrixEndpoint.path, mine)).json().billing
    expect(await billingOf()).toMatchObject({ credits_charged: 0, no_charge_reason: "warming" })
    const asJson = (of: CorrelationMatrix) => of as unknown as Json
    fill(proCorrelationMatrixEndpoint.path, asJson(matrixOf([ofItems("DGS10", doubling("+-"))])))
    expect(await billingOf()).toEqual({ credits_charged: 0, credits_remaining: 2, no_charge_reason: "empty_range" })
    const full = matrixOf([ofItems("DGS10", doubling("+-+-+-+-+-")), ofItems("DGS2", doubling("-+-+-+-+-+"))])
    fill(proCorrelationMatrixEndpoint.path, asJson(full))
    const reply = (await get(proCorrelationMatrixEndpoint.path, mine)).json()
    const { source, endpoint, generated_at, billing, receipt, _meta, ...data } = reply
    expect(billing).toEqual({ credits_charged: 2, credits_remaining: 0 })
    expect(data).toEqual(full)
    expect(await balanceOf(mine)).toBe(0)
  })
})
