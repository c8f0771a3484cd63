import { describe, expect, it } from "vitest"
import { UpstreamError } from "../../ingestors/document.ts"
import frankfurter from "../../ingestors/sources/frankfurter.ts"
import fxRates from "../../processors/tables/fx_rates/table.ts"
import forexView from "../../processors/views/forex.ts"
import { makeEvent } from "../../schemas/event.ts"
import { itemAppeared, itemGone } from "../../schemas/events/deltas.ts"
import { FOREX_DAYS_MAX, forex, forexCurrencies } from "../../schemas/feeds/forex.ts"
import simulated, { rateOn } from "../world/upstreams/frankfurter.ts"
import { worldAt } from "../world/world.ts"
import { capturesAbsent, decodedCapture, normalised, observed, readBy, reading, refusedBy, shown } from "./feed-test.ts"

type Collected = Parameters<typeof frankfurter.read>[0]

// A Friday, before and after the rates of the day are published.
const MORNING_MS = Date.parse("2026-11-20T12:34:56.789Z")
const EVENING_MS = Date.parse("2026-11-20T17:00:00.000Z")
const DAY_MS = 86_400_000

const latest = (date: string, rates: Collected["newest"]["rates"]): Collected["newest"] => ({
  amount: 1,
  base: "USD",
  date,
  rates,
})
const series = (rates: Collected["before"]["rates"]): Collected["before"] => ({
  amount: 1,
  base: "USD",
  start_date: "2026-03-02",
  end_date: "2026-03-18",
  rates,
})

describe.skipIf(capturesAbsent)("captured rates", () => {
  const whole = "hand-made-latest-usd-all-currencies-2026-03-18.json"
  const days = "hand-made-time-series-usd-eur-gbp-jpy-8-working-days.json"
  const made = () =>
    normalised(frankfurter, {
      newest: decodedCapture<Collected["newest"]>(frankfurter, "latest", whole),
      before: decodedCapture<Collected["before"]>(frankfurter, "series", days),
    })

  it("give the latest and the previous working day", () => {
    const { payload, contentAtMs } = made()
    expect(contentAtMs).toBe(Date.parse("2026-03-18T00:00:00Z"))
    expect([...new Set(payload.items.map(({ day }) => day))]).toEqual([
      "2026-03-18",
      "2026-03-17",
      "2026-03-16",
      "2026-03-13",
      "2026-03-12",
      "2026-03-11",
      "2026-03-10",
      "2026-03-09",
    ])
    expect(shown(forexView, [reading(payload)], { nowMs: MORNING_MS })).toEqual({
      base: "USD",
      date: "2026-03-18",
      rates: {
        EUR: 0.86957,
        GBP: 0.75124,
        JPY: 159.56,
        CAD: 1.3717,
        AUD: 1.4178,
        CHF: 0.78896,
        CNY: 6.8882,
        INR: 92.9,
        MXN: 17.7341,
        BRL: 5.2243,
        KRW: 1503.55,
        SGD: 1.2812,
        HKD: 7.8378,
        SEK: 9.372,
        NOK: 9.583,
        NZD: 1.7185,
      },
      previous: { date: "2026-03-17", rates: { EUR: 0.86723, GBP: 0.74954, JPY: 158.95 } },
    })
  })
  it("are items by day and currency", () => {
    const { payload } = made()
    const items = forex.items(payload)
    expect(items).toHaveLength(16 + 7 * 3)
    expect(items.map((item) => [forex.key(item), item.rate])).toContainEqual(["2026-03-09 JPY", 158.5])
  })
  it("of the bank itself are told against the euro", () => {
    const table = decodedCapture<{
      readonly rows: ReadonlyArray<{ CURRENCY: string; TIME_PERIOD: string; OBS_VALUE: number }>
    }>(frankfurter, "reference", "upstream-ecb-exr-daily-2026-02-17-to-2026-03-18.csv")
    const on = (currency: string) =>
      table.rows.find(({ CURRENCY, TIME_PERIOD }) => CURRENCY === currency && TIME_PERIOD === "2026-03-18")?.OBS_VALUE
    expect(on("ZAR")).toBe(19.4174)
    // The dollar's rates are those of the euro, each divided by that of the dollar.
    expect((on("AUD") ?? 0) / (on("USD") ?? 0)).toBeCloseTo(1.4178, 4)
  })
})

describe("forex", () => {
  it("leaves out what is no rate, and days that hold none or are none", () => {
    const before = series({
      "2026-03-17": { EUR: 0, GBP: -1, JPY: null },
      "2026-03-16": { EUR: 0.87, GBP: 0.74, JPY: 159, CAD: 1.37, AUD: 1.41, XXX: 3 },
      "2026-02-30": { EUR: 0.8 },
      newest: { EUR: 0.8 },
    })
    const collected = { newest: latest("2026-03-18", { EUR: 0.86 }), before }
    expect(normalised(frankfurter, collected).payload.items).toEqual([
      { day: "2026-03-18", currency: "EUR", rate: 0.86 },
      { day: "2026-03-16", currency: "EUR", rate: 0.87 },
      { day: "2026-03-16", currency: "GBP", rate: 0.74 },
      { day: "2026-03-16", currency: "JPY", rate: 159 },
      { day: "2026-03-16", currency: "CAD", rate: 1.37 },
      { day: "2026-03-16", currency: "AUD", rate: 1.41 },
    ])
    expect(readBy(frankfurter, collected).unreadable).toHaveLength(4)
  })
  it("says null where no earlier day is known", () => {
    const { payload } = normalised(frankfurter, { newest: latest("2026-03-18", { EUR: 0.86 }), before: series({}) })
    expect(shown(forexView, [reading(payload)], { nowMs: MORNING_MS })).toMatchObject({
      date: "2026-03-18",
      previous: null,
    })
  })
  it("is refused where it counts against something else, or holds none of the currencies", () => {
    const newest = latest("2026-03-18", { EUR: 0.86 })
    const before = series({})
    for (const wrong of [
      { newest: { ...newest, base: "EUR" }, before },
      { newest: { ...newest, amount: 100 }, before },
      { newest, before: { ...before, base: "EUR" } },
      { newest: latest("2026-03-18", { XXX: 3 }), before },
    ])
      expect(refusedBy(frankfurter, wrong)).toBeInstanceOf(UpstreamError)
  })
  it.each([
    ["before the day's rates are published", MORNING_MS, "2026-11-19", "2026-11-18"],
    ["after it", EVENING_MS, "2026-11-20", "2026-11-19"],
    ["on a Sunday", EVENING_MS + 2 * DAY_MS, "2026-11-20", "2026-11-19"],
    ["on a Monday morning", MORNING_MS + 3 * DAY_MS, "2026-11-20", "2026-11-19"],
  ])("of the world is the one shown, %s", async (_, nowMs, date, previousDate) => {
    const { payload, contentAtMs } = await observed(frankfurter, simulated, nowMs)
    expect(contentAtMs).toBe(Date.parse(date))
    expect(new Set(payload.items.map(({ day }) => day)).size).toBe(FOREX_DAYS_MAX)
    const world = worldAt("test", nowMs)
    const rates = (day: string) =>
      Object.fromEntries(forexCurrencies.map((currency) => [currency, rateOn(world, currency, Date.parse(day))]))
    expect(shown(forexView, [reading(payload)], { nowMs })).toEqual({
      base: "USD",
      date,
      rates: rates(date),
      previous: { date: previousDate, rates: rates(previousDate) },
    })
  })
  it("makes a row for each day and currency, and keeps it when the day leaves the list", () => {
    const data = {
      feed: "forex",
      parameters: {},
      provider: "Frankfurter.forex",
      key: "2026-03-18 EUR",
      item: { day: "2026-03-18", currency: "EUR", rate: 0.86957 },
      observedAt: "2026-03-18T15:05:00.000Z",
    }
    const about = { id: "1", source: "s", subject: "x", time: data.observedAt, data }
    const [row, ...more] = fxRates.rows(makeEvent(itemAppeared, about))
    expect(row).toEqual({
      day: "2026-03-18",
      base: "USD",
      currency: "EUR",
      rate: 0.86957,
      provider: "Frankfurter.forex",
      observed_at: data.observedAt,
    })
    expect(more).toEqual([])
    expect(row === undefined ? null : fxRates.partition(row)).toBe("2026")
    expect(fxRates.rows(makeEvent(itemGone, about))).toEqual([])
  })
})
