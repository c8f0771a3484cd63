import fc from "fast-check"
import { describe, expect, it } from "vitest"
import binanceTickers from "../../ingestors/sources/binance-tickers.ts"
import prices from "../../processors/tables/prices/table.ts"
import cryptoDeep from "../../processors/views/pro-crypto-deep.ts"
import { type ExchangeTicker, exchangeTickerBases, exchangeTickers } from "../../schemas/feeds/exchange-tickers.ts"
import { coinPriceAt } from "../world/perpetuals.ts"
import simulated, { givenUpAt, haltedAt } from "../world/upstreams/binance-tickers.ts"
import { worldAt } from "../world/world.ts"
import { capturesAbsent, collectedCapture } from "./support/captures.ts"
import { feedTest, polled } from "./support/feed-test.ts"
import { normalised, readBy, refusedBy } from "./support/read.ts"
import { OBSERVED_AT, PROVIDER } from "./support/rows.ts"
import { observed } from "./support/world.ts"

const NOW_MS = Date.parse("2026-11-20T12:34:56.789Z")
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** A pair as the venue lists it. */
const row = (symbol: string, members: object = {}) => ({
  symbol,
  lastPrice: "2.00000000",
  openPrice: "1.00000000",
  highPrice: "3.00000000",
  lowPrice: "0.50000000",
  priceChangePercent: "100.000",
  quoteVolume: "1000.00000000",
  openTime: NOW_MS - DAY_MS,
  closeTime: NOW_MS,
  count: 7,
  ...members,
})
const read = (rows: ReadonlyArray<unknown>) => normalised(binanceTickers, rows, { observedAtMs: NOW_MS })
const itemOf = (members: object): ExchangeTicker | undefined =>
  read([row("BTCUSDT", members), row("ETHUSDT")]).payload.items.find(({ base }) => base === "BTC")

const item = {
  pair: "ETHUSDT",
  base: "ETH",
  quote: "USDT",
  price: 2_500,
  change24hPercent: -5.165,
  high24h: null,
  low24h: null,
  volume24h: 12.5,
  trades24h: 3,
  at: "2026-11-20T12:34:55.000Z",
} as const

feedTest({
  feed: exchangeTickers,
  polls: [
    polled({
      source: binanceTickers,
      world: simulated,
      freeText: false,
      breakRow: ([first, ...rest]) => [{ ...(first as object), lastPrice: "two" }, ...rest],
      refused: [
        ["pairs of which none is followed", [row("ETHBTC")], /has no items/],
        ["pairs that are all halted", [row("BTCUSDT", { lastPrice: "0.00000000", count: 0 })], /has no items/],
        ["prices that are no numbers", [row("BTCUSDT", { lastPrice: "" })], /1 of 1 rows/],
      ],
    }),
  ],
  views: [cryptoDeep],
  table: prices,
  rows: [
    {
      kind: "changed",
      item,
      makes: {
        feed: "exchange-tickers",
        asset: "ETH",
        currency: "USDT",
        provider: PROVIDER,
        period: "rolling",
        at: "2026-11-20T12:34:55.000Z",
        price: 2_500,
        change_24h_percent: -5.165,
        high_24h: null,
        low_24h: null,
        volume_24h: 12.5,
        volume_24h_units: null,
        trades_24h: 3,
        observed_at: OBSERVED_AT,
      },
    },
    { kind: "gone", item, makes: null },
  ],
})

describe.skipIf(capturesAbsent)("captured pairs", () => {
  const captured = (document: string, file: string) => collectedCapture(binanceTickers, document, file)

  it("of a list of two: numbers that are texts, the larger turnover first", () => {
    const { payload, contentAtMs } = normalised(
      binanceTickers,
      captured("followed", "ticker-24hr-symbols-btcusdt-ethusdt-2024-11-01.json"),
    )
    expect(payload.items).toEqual([
      {
        pair: "BTCUSDT",
        base: "BTC",
        quote: "USDT",
        price: 69624,
        change24hPercent: -3.691,
        high24h: 72700,
        low24h: 68830,
        volume24h: 2354076638.6,
        trades24h: 5019250,
        at: "2024-11-01T05:30:18.472Z",
      },
      {
        pair: "ETHUSDT",
        base: "ETH",
        quote: "USDT",
        price: 2509.72,
        change24hPercent: -5.165,
        high24h: 2652.38,
        low24h: 2467.67,
        volume24h: 1131373139.27,
        trades24h: 3679523,
        at: "2024-11-01T05:30:18.420Z",
      },
    ])
    expect(contentAtMs).toBe(1730439018472)
  })
  it("of every pair, cut to some against bitcoin: none is followed, so that nothing is shown", () => {
    const every = captured("every", "ticker-24hr-all-symbols-trimmed-2024-11-01.json")
    expect(refusedBy(binanceTickers, every)?.message).toMatch(/has no items/)
    expect(readBy(binanceTickers, every).unreadable).toEqual([])
  })
  it("of bitcoin in the crash month of 2020, among those that are listed now", () => {
    const bitcoin = {
      // Written by hand of ticker-24hr-btcusdt-2020-04-15.json, which is one pair and no list.
      ...row("BTCUSDT", { openTime: 1586904878494, closeTime: 1586991278494 }),
      lastPrice: "6705.82000000",
      openPrice: "6872.64000000",
      highPrice: "6933.00000000",
      lowPrice: "6680.10000000",
      priceChangePercent: "-2.427",
      quoteVolume: "392659910.62660750",
      count: 554428,
    }
    expect(normalised(binanceTickers, [bitcoin]).payload.items).toMatchObject([
      {
        price: 6705.82,
        change24hPercent: -2.427,
        high24h: 6933,
        low24h: 6680.1,
        volume24h: 392659910.63,
        trades24h: 554428,
      },
    ])
    // The same change, computed of the prices where the short form lacks it.
    const { priceChangePercent: _, ...short } = bitcoin
    expect(normalised(binanceTickers, [short]).payload.items[0]?.change24hPercent).toBe(-2.427)
  })
})

describe("pairs", () => {
  it.each([
    ["halted: zeros for prices", { lastPrice: "0.00000000", highPrice: "0", lowPrice: "0", count: 0, firstId: -1 }],
    ["without a trade in 24 hours", { count: 0, quoteVolume: "0.00000000" }],
    ["given up: of times long past", { openTime: NOW_MS - 9 * DAY_MS, closeTime: NOW_MS - 8 * DAY_MS }],
    ["that end an hour before the others", { closeTime: NOW_MS - HOUR_MS - 1 }],
    ["that begin long before the others end", { openTime: NOW_MS - 25 * HOUR_MS - 1 }],
  ])("%s are no prices, and no unreadable rows either", (_, members) => {
    const { outcome, unreadable } = readBy(binanceTickers, [row("BTCUSDT"), row("FILUSDT", members)], {
      observedAtMs: NOW_MS,
    })
    expect(unreadable).toEqual([])
    expect(outcome).toMatchObject({ payload: { items: [{ pair: "BTCUSDT" }] } })
  })
  it.each([
    ["a price below zero", { lastPrice: "-1" }],
    ["a price that is no number", { lastPrice: "NaN" }],
    ["no price", { lastPrice: null }],
    ["no time", { closeTime: null }],
    ["a time in the future", { closeTime: NOW_MS + 2 * DAY_MS }],
    ["no name", { symbol: null }],
  ])("with %s are counted as unreadable, and do not touch the others", (_, members) => {
    const rows = [row("BTCUSDT"), row("ETHUSDT"), row("FILUSDT", members)]
    const { outcome, unreadable } = readBy(binanceTickers, rows, { observedAtMs: NOW_MS })
    expect(unreadable).toHaveLength(1)
    expect(outcome).toMatchObject({ payload: { items: [{ pair: "BTCUSDT" }, { pair: "ETHUSDT" }] } })
  })
  it("of an old answer are all there: it is stale as a whole, not dead pair by pair", () => {
    const old = { openTime: NOW_MS - 11 * DAY_MS, closeTime: NOW_MS - 10 * DAY_MS }
    const { payload, contentAtMs } = read([row("BTCUSDT", old), row("ETHUSDT", old)])
    expect(payload.items).toHaveLength(2)
    expect(contentAtMs).toBe(NOW_MS - 10 * DAY_MS)
  })
  it.each([
    [{ highPrice: "1.9" }, { high24h: null, low24h: null }],
    [{ lowPrice: "2.1" }, { high24h: null, low24h: null }],
    [
      { highPrice: "0", lowPrice: "0.5" },
      { high24h: null, low24h: 0.5 },
    ],
    [
      { highPrice: "2", lowPrice: "2" },
      { high24h: 2, low24h: 2 },
    ],
    [{ quoteVolume: "-1" }, { volume24h: null }],
    [{ quoteVolume: null }, { volume24h: null }],
    [{ count: 1.5 }, { trades24h: null }],
    [{ count: null }, { trades24h: null }],
    [{ priceChangePercent: "-101" }, { change24hPercent: null }],
    [{ priceChangePercent: null }, { change24hPercent: 100 }],
    [{ priceChangePercent: null, openPrice: "0" }, { change24hPercent: null }],
    [{ openTime: null }, { price: 2 }],
  ])("with %j have %j: null, never zero, for what is impossible or absent", (members, expected) => {
    expect(itemOf(members)).toMatchObject(expected)
  })
  it("among 200,000 rows that are none are refused, and not a defect", () => {
    const rows = [row("BTCUSDT"), ...Array<unknown>(200_000).fill(1)]
    expect(refusedBy(binanceTickers, rows, { observedAtMs: NOW_MS })?.message).toMatch(/200000 of 200001 rows/)
  })
  it("are ordered by turnover, whatever the order of the answer; unknown ones come last", () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([...exchangeTickerBases], { minLength: 1 }), (bases) => {
        const rows = bases.map((base, at) => row(`${base}USDT`, { quoteVolume: at === 0 ? null : String(at) }))
        const { items } = read(rows).payload
        expect(items.map(({ base }) => base)).toEqual([...bases.slice(1).reverse(), bases[0]])
      }),
    )
  })
  it("have changed with price or turnover, and not with their time", () => {
    const before = itemOf({})
    const isRevised = (members: object) =>
      exchangeTickers.isRevised(before as ExchangeTicker, itemOf(members) as ExchangeTicker)
    expect(isRevised({ closeTime: NOW_MS - 1_000, count: 8 })).toBe(false)
    expect(isRevised({ lastPrice: "2.1" })).toBe(true)
    expect(isRevised({ quoteVolume: "1001" })).toBe(true)
  })

  it("of the world are those shown, without the one that is halted and the one that was given up", async () => {
    for (const atMs of [NOW_MS, NOW_MS - 30 * 60_000, NOW_MS + 40 * DAY_MS]) {
      const world = worldAt("test", atMs)
      const { payload } = await observed(binanceTickers, simulated, atMs)
      const left = exchangeTickerBases.filter((base) => base !== haltedAt(world) && base !== givenUpAt(world))
      expect(payload.items.map(({ base }) => base).sort()).toEqual([...left].sort())
      const ether = payload.items.find(({ base }) => base === "ETH")
      expect(Math.abs((ether?.price ?? 0) / coinPriceAt(world, "ETH", atMs) - 1)).toBeLessThan(0.001)
    }
    expect(haltedAt(worldAt("test", NOW_MS - 30 * 60_000))).not.toBeNull()
  })
})
