import fc from "fast-check"
import { describe, expect, it } from "vitest"
import coinbaseCandles from "../../ingestors/sources/coinbase-candles.ts"
import prices from "../../processors/tables/prices/table.ts"
import cryptoDeep from "../../processors/views/pro-crypto-deep.ts"
import { BTC_CANDLES_MAX, btcCandles } from "../../schemas/feeds/btc-candles.ts"
import { bitcoinAt } from "../world/bitcoin.ts"
import simulated from "../world/upstreams/coinbase-candles.ts"
import { worldAt } from "../world/world.ts"
import { capturesAbsent, collectedCapture } from "./support/captures.ts"
import { feedTest, polled } from "./support/feed-test.ts"
import { normalised, readBy, refusedBy } from "./support/read.ts"
import { OBSERVED_AT, PROVIDER } from "./support/rows.ts"
import { observed } from "./support/world.ts"

const NOW_MS = Date.parse("2026-11-20T12:34:56.789Z")
const DAY_S = 86_400
const DAY_MS = DAY_S * 1000
const TODAY_S = Date.parse("2026-11-20T00:00:00Z") / 1000

/** The candle of a day so many days ago: low, high, open, close, volume. */
const row = (daysAgo: number, [low, high, open, close, volume]: ReadonlyArray<unknown> = [1, 4, 2, 3, 10]) => [
  TODAY_S - daysAgo * DAY_S,
  low,
  high,
  open,
  close,
  volume,
]
const read = (rows: ReadonlyArray<unknown>) => readBy(coinbaseCandles, rows, { observedAtMs: NOW_MS })
const daysOf = (rows: ReadonlyArray<unknown>) =>
  normalised(coinbaseCandles, rows, { observedAtMs: NOW_MS }).payload.items.map(({ day }) => day)

const item = { day: "2026-11-19", low: 60_000, high: 66_000, open: 64_000, close: 62_000, volumeBtc: 12.5 } as const
const day = {
  feed: "btc-candles",
  asset: "BTC",
  currency: "USD",
  provider: PROVIDER,
  period: "day",
  at: "2026-11-20T00:00:00.000Z",
  price: 62_000,
  // (62000 - 64000) / 64000.
  change_24h_percent: -3.125,
  high_24h: 66_000,
  low_24h: 60_000,
  volume_24h: null,
  volume_24h_units: 12.5,
  trades_24h: null,
  observed_at: OBSERVED_AT,
}

feedTest({
  feed: btcCandles,
  polls: [
    polled({
      source: coinbaseCandles,
      world: simulated,
      freeText: false,
      breakRow: (rows) => [...rows, [0, 2, 1, 1, 1, 1]],
      refused: [
        ["no candles", [], /has no items/],
        ["the open day alone", [row(0)], /has no items/],
        [
          "candles of a minute",
          [
            [TODAY_S + 60, 1, 2, 1, 2, 3],
            [TODAY_S - DAY_S, 1, 2, 1, 2, 3],
          ],
          /1 of 2 rows/,
        ],
      ],
    }),
  ],
  views: [cryptoDeep],
  table: prices,
  rows: [
    { kind: "appeared", item, makes: day },
    { kind: "changed", item, makes: day },
    { kind: "gone", item, makes: null },
  ],
})

describe.skipIf(capturesAbsent)("captured candles", () => {
  const captured = (file: string) => collectedCapture(coinbaseCandles, "candles", file)
  const TEN_DAYS = "candles-btc-usd-86400s-10-days-2026-08-10.json"

  it("of ten days, at noon of the last: nine days that are over", () => {
    const { payload, contentAtMs } = normalised(coinbaseCandles, captured(TEN_DAYS), {
      observedAtMs: Date.parse("2026-08-10T12:00:00Z"),
    })
    expect(payload.items).toHaveLength(9)
    expect(payload.items[0]).toEqual({
      day: "2026-08-09",
      low: 64675.22,
      high: 65426,
      open: 64908.71,
      close: 64848.69,
      volumeBtc: 3044.21136585,
    })
    expect(payload.items[8]).toEqual({
      day: "2026-08-01",
      low: 62209.81,
      high: 63093,
      open: 62826.69,
      close: 62764.2,
      volumeBtc: 3060.55404241,
    })
    // The end of 9 August.
    expect(contentAtMs).toBe(Date.parse("2026-08-10T00:00:00Z"))
  })
  it.each(["2026-08-10T00:00:00.000Z", "2026-08-10T23:59:59.999Z", "2026-08-11T12:00:00Z", "2026-11-20T12:00:00Z"])(
    "of ten days end, at %s, with 9 August: the tenth was open when they were recorded, and its close is not known",
    (at) => {
      const { payload, contentAtMs } = normalised(coinbaseCandles, captured(TEN_DAYS), { observedAtMs: Date.parse(at) })
      expect(payload.items[0]?.day).toBe("2026-08-09")
      expect(contentAtMs).toBe(Date.parse("2026-08-10T00:00:00Z"))
    },
  )
  it("of minutes are no days", () => {
    const minutes = captured("candles-btc-usd-60s-first-2-rows-2026-06-19.json")
    expect(refusedBy(coinbaseCandles, minutes)?.message).toMatch(/2 of 2 rows/)
  })
})

describe("candles", () => {
  it("are the newest thirty days, each once, whatever the order and the repetitions of the answer", () => {
    const order = fc.shuffledSubarray(
      Array.from({ length: 60 }, (_, at) => at),
      { minLength: 2 },
    )
    fc.assert(
      fc.property(order, fc.boolean(), (ago, isTwice) => {
        const over = ago.toSorted((one, other) => one - other).slice(1)
        const rows = ago.map((days) => row(days))
        const expected = over
          .slice(0, BTC_CANDLES_MAX)
          .map((days) => new Date(TODAY_S * 1000 - days * DAY_MS).toISOString().slice(0, 10))
        expect(daysOf(isTwice ? [...rows, ...rows] : rows)).toEqual(expected)
      }),
    )
  })
  it("keep their gaps", () => {
    expect(daysOf([row(5), row(0), row(1), row(3)])).toEqual(["2026-11-19", "2026-11-17", "2026-11-15"])
  })
  it("repeat the first of two of one day", () => {
    const rows = [row(0), row(1), row(1, [5, 8, 6, 7, 1])]
    expect(normalised(coinbaseCandles, rows, { observedAtMs: NOW_MS }).payload.items).toMatchObject([{ close: 3 }])
  })
  it.each([
    ["a low above the open", [2.5, 4, 2, 3, 10]],
    ["a low above the close", [2.5, 4, 3, 2, 10]],
    ["a high below the close", [1, 2.5, 2, 3, 10]],
    ["a high below the open", [1, 2.5, 3, 2, 10]],
    ["a price of zero", [0, 4, 2, 3, 10]],
    ["a turnover below zero", [1, 4, 2, 3, -1]],
    ["a missing price", [1, null, 2, 3, 10]],
    ["a price that is no number", [1, 4, "two", 3, 10]],
    ["a missing member", [1, 4, 2, 3, undefined]],
  ])("with %s cannot be read, and leave a gap", (_, values) => {
    const broken = row(2, values)
    const { outcome, unreadable } = read([
      row(0),
      row(1),
      broken.includes(undefined) ? broken.slice(0, 5) : broken,
      row(3),
    ])
    expect(unreadable).toHaveLength(1)
    expect(outcome).toMatchObject({ payload: { items: [{ day: "2026-11-19" }, { day: "2026-11-17" }] } })
  })
  it("may be texts, whole numbers, flat, without a trade, and longer than known", () => {
    const rows = [row(0), [String(TODAY_S - DAY_S), "1", "4.00", "2", "3", "1e1", "new"], row(2, [5, 5, 5, 5, 0])]
    expect(normalised(coinbaseCandles, rows, { observedAtMs: NOW_MS }).payload.items).toEqual([
      { day: "2026-11-19", low: 1, high: 4, open: 2, close: 3, volumeBtc: 10 },
      { day: "2026-11-18", low: 5, high: 5, open: 5, close: 5, volumeBtc: 0 },
    ])
  })
  it.each([1, 30])("of a day %i days ahead cannot be read", (days) => {
    const { unreadable, outcome } = read([row(0), row(1), row(2), row(-days)])
    expect(unreadable).toMatchObject([{ problem: "its day lies in the future" }])
    expect(outcome).toMatchObject({ payload: { items: [{ day: "2026-11-19" }, { day: "2026-11-18" }] } })
  })
  it("of the newest day are left out, even where its day is over: the answer may be older than the poll", () => {
    expect(daysOf([row(0), row(1), row(2)])).toEqual(["2026-11-19", "2026-11-18"])
    expect(daysOf([row(1), row(2)])).toEqual(["2026-11-18"])
    expect(daysOf([row(2), row(1)])).toEqual(["2026-11-18"])
    expect(refusedBy(coinbaseCandles, [row(1)], { observedAtMs: NOW_MS })?.message).toMatch(/has no items/)
  })
  it("may be repeated by the hundred thousand", () => {
    const rows = [row(0), ...Array<unknown>(200_000).fill(row(1))]
    expect(daysOf(rows)).toEqual(["2026-11-19"])
  })
  it("of the world are those shown: a day opens where the day before closed", async () => {
    const { payload, contentAtMs } = await observed(coinbaseCandles, simulated, NOW_MS)
    expect(payload.items).toHaveLength(BTC_CANDLES_MAX)
    expect(contentAtMs).toBe(TODAY_S * 1000)
    const world = worldAt("test", NOW_MS)
    for (const { day, open, close } of payload.items) {
      const begin = Date.parse(`${day}T00:00:00Z`)
      expect(open).toBeCloseTo(bitcoinAt(world, begin), 1)
      expect(close).toBeCloseTo(bitcoinAt(world, begin + DAY_MS), 1)
    }
  })
})
