import { describe, expect, it } from "vitest"
import frankfurter from "../../ingestors/sources/frankfurter.ts"
import fxRates from "../../processors/tables/fx_rates/table.ts"
import forexView from "../../processors/views/forex.ts"
import { FOREX_DAYS_MAX, forex, forexCurrencies, forexEndpoint } from "../../schemas/feeds/forex.ts"
import simulated, { rateOn } from "../world/upstreams/frankfurter.ts"
import { worldAt } from "../world/world.ts"
import { capturesAbsent, decodedCapture } from "./support/captures.ts"
import { feedTest, polled } from "./support/feed-test.ts"
import { normalised, readBy } from "./support/read.ts"
import { OBSERVED_AT, PROVIDER } from "./support/rows.ts"
import { reading, shown } from "./support/shown.ts"
import { observed } from "./support/world.ts"

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

const newest = latest("2026-03-18", { EUR: 0.86 })
const before = series({})
const rate = { day: "2026-03-18", currency: "EUR", rate: 0.86957 } as const

feedTest({
  feed: forex,
  glances: {
    forex: [1.1578, "USD", "one euro, up 0.04% on the day before, reference rate of 17 Aug 2026"],
  },
  polls: [
    polled({
      source: frankfurter,
      world: simulated,
      freeText: false,
      breakRow: ({ newest, before }) => ({
        newest,
        before: { ...before, rates: { ...before.rates, "2026-02-30": { EUR: 0.8 } } },
      }),
      refused: [
        ["rates against the euro", { newest: { ...newest, base: "EUR" }, before }, /not for one US dollar/],
        ["earlier rates against the euro", { newest, before: { ...before, base: "EUR" } }, /not for one US dollar/],
        ["rates for a hundred dollars", { newest: { ...newest, amount: 100 }, before }, /not for one US dollar/],
        ["none of the currencies", { newest: latest("2026-03-18", { XXX: 3 }), before }, /has no items/],
      ],
    }),
  ],
  views: [forexView],
  table: fxRates,
  rows: [
    {
      kind: "appeared",
      item: rate,
      makes: {
        day: "2026-03-18",
        base: "USD",
        currency: "EUR",
        rate: 0.86957,
        provider: PROVIDER,
        observed_at: OBSERVED_AT,
      },
    },
    { kind: "gone", item: rate, makes: null },
  ],
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
  it("of a few currencies give those alone", () => {
    const file = "latest-usd-symbols-eur-gbp-jpy-2026-09-02.json"
    const three = decodedCapture<Collected["newest"]>(frankfurter, "latest", file)
    const { payload } = normalised(frankfurter, { newest: three, before })
    expect(payload.items).toEqual([
      { day: "2026-09-02", currency: "EUR", rate: 0.86371 },
      { day: "2026-09-02", currency: "GBP", rate: 0.74167 },
      { day: "2026-09-02", currency: "JPY", rate: 159.6 },
    ])
  })
  it("of the bank itself are counted against the euro", () => {
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
    const earlier = series({
      "2026-03-17": { EUR: 0, GBP: -1, JPY: null },
      "2026-03-16": { EUR: 0.87, GBP: 0.74, JPY: 159, CAD: 1.37, AUD: 1.41, XXX: 3 },
      "2026-02-30": { EUR: 0.8 },
      newest: { EUR: 0.8 },
    })
    const collected = { newest, before: earlier }
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
  it("leaves out a rate that is no number, and keeps the others", () => {
    const rates = { EUR: "0.86", GBP: 0.74, JPY: 159, CHF: null }
    const made = readBy(frankfurter, { newest: { ...newest, rates }, before })
    expect(made.outcome).toMatchObject({ payload: { items: [{ currency: "GBP" }, { currency: "JPY" }] } })
    expect(made.unreadable).toHaveLength(1)
  })
  it("is null where no earlier day is known", () => {
    const { payload } = normalised(frankfurter, { newest, before })
    expect(shown(forexView, [reading(payload)], { nowMs: MORNING_MS })).toMatchObject({
      date: "2026-03-18",
      previous: null,
    })
  })
  it("requests as many calendar days as hold the working days kept in view, three of them holidays", () => {
    for (let weekday = 0; weekday < 5; weekday++) {
      const newestMs = Date.parse("2026-11-16T00:00:00Z") + weekday * DAY_MS
      const { pathname } = new URL(
        frankfurter.documents.series?.url(new Date(newestMs).toISOString().slice(0, 10)) ?? "",
      )
      const fromMs = Date.parse(pathname.slice("/v1/".length, -"..".length))
      const days = Array.from({ length: (newestMs - fromMs) / DAY_MS + 1 }, (_, at) => new Date(fromMs + at * DAY_MS))
      // At most Christmas, Boxing Day and New Year, or Good Friday, Easter Monday and Labour Day.
      expect(days.filter((day) => ![0, 6].includes(day.getUTCDay())).length - 3).toBeGreaterThanOrEqual(FOREX_DAYS_MAX)
    }
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

  it("are drawn as rates of eight currencies against each other, empty where one has none, and as changes in order", () => {
    const [rates, changes] = forexEndpoint.glance?.plots?.(forexEndpoint.example) ?? []
    if (rates?.kind !== "matrix" || changes?.kind !== "ranking") throw new Error("no matrix and ranking")
    const rateOf = (row: string, column: string) =>
      rates.rows.find(({ label }) => label === row)?.values[rates.columns.indexOf(column)]
    expect([rateOf("EUR", "USD"), rateOf("USD", "JPY"), rateOf("GBP", "EUR"), rateOf("JPY", "JPY")]).toEqual([
      1.1578, 159.6, 1.1645, 1,
    ])
    expect([rateOf("USD", "CHF"), rateOf("CNY", "EUR")]).toEqual([null, null])
    // A dollar that buys more yen than before: the yen fell.
    expect(changes.bars).toEqual([
      { label: "GBP", value: 0.06 },
      { label: "EUR", value: 0.04 },
      { label: "JPY", value: -0.24 },
    ])
  })
})
