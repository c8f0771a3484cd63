import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { makeParameterReader } from "../../api/http/parameters.ts"
import frankfurter from "../../ingestors/sources/frankfurter.ts"
import fred from "../../ingestors/sources/fred.ts"
import latest from "../../processors/folds/latest.ts"
import { views } from "../../processors/registry.ts"
import { foldingBench, observed as saw } from "../../processors/testing/folding.ts"
import { buildData, viewInstance } from "../../processors/view/build-view.ts"
import type { Reading } from "../../processors/view/view.ts"
import proMacro from "../../processors/views/pro-macro.ts"
import {
  MACRO_NUMBERS_MAX,
  macroCommodities,
  macroCurrencies,
  macroIndicators,
  ProMacro,
  ProMacroFull,
  proMacroEndpoint,
  selectProMacro,
} from "../../schemas/endpoints/pro-macro.ts"
import { instanceKey } from "../../schemas/feed.ts"
import type { EconomicSeriesId } from "../../schemas/feeds/economic-series.ts"
import type { Json } from "../../schemas/json.ts"
import { eventReader } from "../../schemas/registry.ts"
import { premiumScene } from "../premium/scene.ts"
import frankfurterWorld from "../world/upstreams/frankfurter.ts"
import fredWorld from "../world/upstreams/fred.ts"
import { capturesAbsent, decodedCapture } from "./support/captures.ts"
import { nullPaths } from "./support/null-paths.ts"
import { normalised } from "./support/read.ts"
import { inputsOf, reading } from "./support/shown.ts"
import { observed } from "./support/world.ts"

const NOW_MS = Date.parse("2026-11-20T12:34:56.789Z")
const strict = { onExcessProperty: "error" } as const
const READ = { history: "30d" } as const
const PLAIN = { history: undefined }
const inputNames = Object.keys(proMacro.reads)

type Readings = ReadonlyMap<string, Reading<unknown>>
const seriesKey = (series: EconomicSeriesId) => instanceKey("economic-series", { series })

const built = (readings: Readings): ProMacroFull => {
  const inputs = inputsOf(proMacro, {}, (feed, instance) => readings.get(instanceKey(feed, instance)))
  const { data } = proMacro.build(inputs, { parameters: {}, nowMs: NOW_MS })
  return Schema.decodeUnknownSync(ProMacroFull, strict)(data)
}
const select = (full: ProMacroFull, asked: typeof READ | typeof PLAIN, withheld: ReadonlyArray<string> = []) => {
  const { data, inputs } = selectProMacro(full, asked, new Set(withheld))
  return { data: Schema.decodeUnknownSync(ProMacro, strict)(data), inputs }
}
const days = (rates: Readonly<Record<string, Readonly<Record<string, number>>>>) => ({
  items: Object.entries(rates).flatMap(([day, of]) =>
    Object.entries(of).map(([currency, rate]) => ({ day, currency, rate })),
  ),
  facts: {},
})

const ofWorld = async (): Promise<Readings> => {
  const ids = [...Object.values(macroIndicators), ...Object.values(macroCommodities)]
  const read = await Promise.all(ids.map((series) => observed(fred, fredWorld, NOW_MS, { series })))
  return new Map<string, Reading<unknown>>([
    ...ids.map((series, at) => [seriesKey(series), reading(read[at]?.payload, { series })] as const),
    ["forex", reading((await observed(frankfurter, frankfurterWorld, NOW_MS)).payload)],
  ])
}

describe.skipIf(capturesAbsent)("captured numbers", () => {
  const captured = (series: EconomicSeriesId, file: string) => {
    const { observations: rows } = decodedCapture<{ readonly observations: ReadonlyArray<unknown> }>(
      fred,
      "observations",
      file,
    )
    const { payload } = normalised(fred, { rows }, { parameters: { series }, observedAtMs: NOW_MS })
    return [seriesKey(series), reading(payload, { series })] as const
  }
  type Collected = Parameters<typeof frankfurter.read>[0]
  const full = () =>
    built(
      new Map<string, Reading<unknown>>([
        captured("FEDFUNDS", "hand-made-observations-fedfunds-desc.json"),
        captured("CPIAUCSL", "observations-cpiaucsl-desc-10-rows-envelope-rebuilt-2026-09.json"),
        captured("UNRATE", "hand-made-observations-unrate-desc.json"),
        captured("A191RL1Q225SBEA", "hand-made-observations-a191rl1q225sbea-desc.json"),
        captured("DGS10", "observations-dgs10-trimmed-2026-09-19.json"),
        captured("DCOILWTICO", "hand-made-observations-dcoilwtico-desc.json"),
        captured("DHHNGSP", "hand-made-observations-dhhngsp-desc.json"),
        [
          "forex",
          reading(
            normalised(frankfurter, {
              newest: decodedCapture<Collected["newest"]>(
                frankfurter,
                "latest",
                "hand-made-latest-usd-all-currencies-2026-03-18.json",
              ),
              before: decodedCapture<Collected["before"]>(
                frankfurter,
                "series",
                "hand-made-time-series-usd-eur-gbp-jpy-8-working-days.json",
              ),
            }).payload,
          ),
        ],
      ]),
    )

  it("stand with their dates, and without their course", () => {
    const { economic, forex, commodities, sample_size } = select(full(), PLAIN).data
    expect(economic).toEqual({
      fed_rate: { value: 3.88, date: "2025-11-01", source: "nyfed:FEDFUNDS" },
      cpi: { value: 334.131, date: "2026-08-01", source: "bls:CPIAUCSL" },
      unemployment: { value: 4.6, date: "2025-11-01", source: "bls:UNRATE" },
      gdp_growth: { value: 4.3, date: "2025-07-01", source: "bea:A191RL1Q225SBEA" },
      treasury_10y: { value: 4.43, date: "2025-05-29", source: "treasury:DGS10" },
    })
    expect(forex).toEqual({
      base: "USD",
      date: "2026-03-18",
      rates: { EUR: 0.86957, JPY: 159.56, GBP: 0.75124, CHF: 0.78896 },
    })
    expect(commodities).toEqual({
      oil: { price_usd: 57.89, date: "2025-12-29", source: "eia:DCOILWTICO" },
      nat_gas: { price_usd: 4.05, date: "2025-12-29", source: "eia:DHHNGSP" },
    })
    expect(sample_size).toEqual({ economic: 5, forex: 4, commodities: 2 })
  })

  it("have a course with history=30d, oldest first, which passes over holidays and a month never published", () => {
    const { economic, forex, commodities, sample_size, notes } = select(full(), READ).data
    expect(economic.unemployment.series?.slice(-3)).toEqual([
      { date: "2025-08-01", value: 4.3 },
      { date: "2025-09-01", value: 4.4 },
      { date: "2025-11-01", value: 4.6 },
    ])
    expect(economic.gdp_growth.series?.map(({ value }) => value)).toEqual([3.4, 0.8, 3.6, 3.3, 1.9, -0.6, 3.8, 4.3])
    // Of 123 numbers the last thirty: Good Friday and Memorial Day have none.
    expect(economic.treasury_10y.series).toHaveLength(30)
    expect(economic.treasury_10y.series?.slice(0, 3)).toEqual([
      { date: "2025-04-16", value: 4.29 },
      { date: "2025-04-17", value: 4.34 },
      { date: "2025-04-21", value: 4.42 },
    ])
    expect(economic.treasury_10y.series?.at(-1)).toEqual({ date: "2025-05-29", value: 4.43 })
    expect(commodities.oil?.series?.slice(-3)).toEqual([
      { date: "2025-12-24", value: 58.72 },
      { date: "2025-12-26", value: 56.6 },
      { date: "2025-12-29", value: 57.89 },
    ])
    expect(commodities.nat_gas?.series).toEqual([
      { date: "2025-12-24", value: 3.9 },
      { date: "2025-12-29", value: 4.05 },
    ])
    expect(forex?.series?.JPY.map(({ value }) => value)).toEqual([
      158.5, 157.78, 158.56, 158.86, 159.33, 159.14, 158.95, 159.56,
    ])
    expect(forex?.series?.JPY.map(({ date }) => date).slice(4, 6)).toEqual(["2026-03-13", "2026-03-16"])
    // The recorded course lacks the franc; the newest day has it.
    expect(forex?.series?.CHF).toEqual([{ date: "2026-03-18", value: 0.78896 }])
    expect(sample_size).toEqual({
      economic: 5,
      forex: 4,
      commodities: 2,
      "economic.fed_rate": 12,
      "economic.cpi": 10,
      "economic.unemployment": 11,
      "economic.gdp_growth": 8,
      "economic.treasury_10y": 30,
      "commodities.oil": 11,
      "commodities.nat_gas": 2,
      "forex.EUR": 8,
      "forex.JPY": 8,
      "forex.GBP": 8,
      "forex.CHF": 1,
    })
    expect(notes.series).toContain("30 months")
  })
})

describe("the premium macro view", () => {
  it("is null before the first feed has answered", () => {
    const none = () => undefined
    const empty = { feed: none, payload: none, declared: none, remembered: none }
    expect(buildData(viewInstance(proMacro, {}), empty, NOW_MS)).toEqual({ _tag: "Missing" })
  })

  it("of the world has a number everywhere, and thirty in every course", async () => {
    const { data } = select(built(await ofWorld()), READ)
    expect(nullPaths(data)).toEqual([])
    const { economic, forex, commodities, sample_size, ...lengths } = data.sample_size
    expect([economic, forex, commodities]).toEqual([5, 4, 2])
    expect(new Set(Object.values(lengths))).toEqual(new Set([MACRO_NUMBERS_MAX]))
    for (const { value, date, series } of Object.values(data.economic)) expect(series?.at(-1)).toEqual({ value, date })
    for (const currency of macroCurrencies)
      expect(data.forex?.series?.[currency].at(-1)).toEqual({
        date: data.forex?.date,
        value: data.forex?.rates[currency],
      })
    // Removed parts stay out.
    expect(JSON.stringify(data)).not.toMatch(/gold|silver|markets|"(spy|dia|qqq|vix)"/)
  })

  it("has a null for a currency without a rate on the newest day, and its course ends before", () => {
    const rates = days({ "2026-11-19": { EUR: 0.86, JPY: 159 }, "2026-11-18": { EUR: 0.87, GBP: 0.75, JPY: 158 } })
    const { forex, notes } = select(built(new Map([["forex", reading(rates)]])), READ).data
    expect(forex).toMatchObject({ date: "2026-11-19", rates: { EUR: 0.86, JPY: 159, GBP: null, CHF: null } })
    expect(forex?.series?.GBP).toEqual([{ date: "2026-11-18", value: 0.75 }])
    expect(forex?.series?.CHF).toEqual([])
    expect([notes["forex.rates.GBP"], notes["forex.rates.CHF"]]).toEqual(
      Array(2).fill("Null: that day has no rate of it."),
    )
  })

  it("shows a price below zero as it is: oil had one on 20 April 2020", () => {
    const items = [
      { date: "2020-04-20", value: -36.98 },
      { date: "2020-04-17", value: 18.31 },
    ]
    const full = built(new Map([[seriesKey("DCOILWTICO"), reading({ items, facts: {} })]]))
    expect(select(full, PLAIN).data.commodities.oil).toEqual({
      price_usd: -36.98,
      date: "2020-04-20",
      source: "eia:DCOILWTICO",
    })
  })

  it("is folded from the log, and a revised number replaces the one before", () => {
    const bench = foldingBench(latest, eventReader)
    const number = (value: number) => ({ items: [{ date: "2026-10-01", value }], facts: {} }) as unknown as Json
    const poll = { parameters: { series: "FEDFUNDS" }, provider: "FRED.fedfunds" }
    bench.fold(saw(NOW_MS, "economic-series", number(3.88), poll))
    bench.fold(saw(NOW_MS + 3_600_000, "economic-series", number(3.87), poll))
    const { data } = bench.view("/api/pro/macro") as { readonly data: unknown }
    const { economic, forex } = Schema.decodeUnknownSync(ProMacroFull, strict)(data)
    expect(economic.fed_rate).toMatchObject({ value: 3.87, date: "2026-10-01" })
    expect([economic.cpi.value, forex]).toEqual([null, null])
  })
})

describe("what is selected", () => {
  it("explains every null, whatever was read and is withheld, and is made of what is not withheld", async () => {
    const world = await ofWorld()
    const subset = fc.subarray(inputNames)
    fc.assert(
      fc.property(fc.subarray([...world.keys()]), subset, fc.constantFrom(READ, PLAIN), (read, withheld, asked) => {
        const full = built(new Map([...world].filter(([key]) => read.includes(key))))
        const before = JSON.stringify(full)
        const { data, inputs } = select(full, asked, withheld)
        expect(JSON.stringify(full)).toBe(before)
        for (const path of nullPaths(data)) {
          // The note of an entry explains its value and its date.
          const note = data.notes[path] ?? data.notes[path.split(".").slice(0, 2).join(".")] ?? ""
          expect(note, path).toMatch(/Null: (not read yet|its terms are not known to allow)/)
        }
        for (const [path, note] of Object.entries(data.notes))
          if (note.includes("Null:"))
            expect(
              nullPaths(data).some((one) => one.startsWith(path)),
              path,
            ).toBe(true)
        expect([...inputs].sort()).toEqual(inputNames.filter((name) => !withheld.includes(name)).sort())
        expect(JSON.stringify(data).includes('"series":')).toBe(asked === READ)
        const held = data.sample_size.economic ?? 0
        expect(held).toBe(
          Object.entries(macroIndicators).filter(
            ([name, id]) => read.includes(seriesKey(id)) && !withheld.includes(name),
          ).length,
        )
        expect(proMacroEndpoint.empty(data)).toBe(
          [data.sample_size.economic, data.sample_size.forex, data.sample_size.commodities].every((size) => size === 0),
        )
      }),
    )
  })

  it("names an input for each of its reads, each of a series that may be sold", () => {
    expect([...select(built(new Map()), PLAIN).inputs].sort()).toEqual([...inputNames].sort())
    const premium = views.filter(({ endpoint }) => endpoint.tier === "premium")
    expect(premium.length).toBeGreaterThan(1)
    for (const { endpoint, reads } of premium)
      for (const { feed, instances } of Object.values(reads))
        for (const instance of instances({})) {
          // The mortgage rates are reprinted with permission of Freddie Mac: free of charge only.
          expect(`${endpoint.path} ${instanceKey(feed.name, instance)}`).not.toContain("MORTGAGE30US")
        }
  })
})

describe("its parameters", () => {
  const read = makeParameterReader(proMacroEndpoint)

  it("take 30d and no other history, which may be left out", () => {
    expect(read({ history: "30d" })).toMatchObject({ _tag: "Accepted", parameters: { history: "30d" } })
    expect(read({})).toMatchObject({ _tag: "Accepted", parameters: {} })
    for (const history of ["", "24h", "31d", "30D", "30", "__proto__"])
      expect(read({ history })).toMatchObject({ _tag: "Refused", parameter: "history", allowed: ["30d"] })
  })
})

describe("GET /api/pro/macro", () => {
  it("costs two credits, and nothing while there is no data", async () => {
    const { fill, get, token, balanceOf } = await premiumScene({ endpoints: [proMacroEndpoint] })
    const mine = await token(2)
    const cold = (await get("/api/pro/macro?history=30d", mine)).json()
    expect(cold).toMatchObject({
      economic: { fed_rate: { value: null, series: [] } },
      forex: null,
      billing: { credits_charged: 0, credits_remaining: 2, no_charge_reason: "warming" },
    })
    fill("/api/pro/macro", built(await ofWorld()) as unknown as Json)
    const { source, endpoint, generated_at, billing, receipt, _meta, ...data } = (
      await get("/api/pro/macro", mine)
    ).json()
    expect(billing).toEqual({ credits_charged: 2, credits_remaining: 0 })
    expect(Schema.decodeUnknownSync(ProMacro, strict)(data).sample_size).toEqual({
      economic: 5,
      forex: 4,
      commodities: 2,
    })
    expect(await balanceOf(mine)).toBe(0)
    expect((await get("/api/pro/macro", mine)).statusCode).toBe(402)
  })
})
