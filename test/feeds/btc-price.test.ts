import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import { UpstreamError } from "../../ingestors/document.ts"
import type { Source } from "../../ingestors/source.ts"
import binance from "../../ingestors/sources/binance-spot.ts"
import coinbase from "../../ingestors/sources/coinbase-exchange.ts"
import kraken from "../../ingestors/sources/kraken.ts"
import prices from "../../processors/tables/prices/table.ts"
import btcPriceView from "../../processors/views/btc-price.ts"
import { type BitcoinPrice, btcPrice } from "../../schemas/feeds/btc-price.ts"
import { bitcoinAt } from "../world/bitcoin.ts"
import binanceWorld from "../world/upstreams/binance-spot.ts"
import coinbaseWorld from "../world/upstreams/coinbase-exchange.ts"
import krakenWorld from "../world/upstreams/kraken.ts"
import { worldAt } from "../world/world.ts"
import { capturesAbsent, collectedCapture, decodedCapture } from "./support/captures.ts"
import { feedTest, polled } from "./support/feed-test.ts"
import { normalised, refusedBy } from "./support/read.ts"
import { OBSERVED_AT, PROVIDER } from "./support/rows.ts"
import { reading, shown } from "./support/shown.ts"
import { observed } from "./support/world.ts"

const NOW_MS = Date.parse("2026-11-20T12:34:56.789Z")

const inTether: BitcoinPrice = {
  currency: "USDT",
  price: 1,
  change24hPercent: null,
  high24h: 2,
  low24h: null,
  volume24h: 3,
}

feedTest({
  feed: btcPrice,
  glances: {
    btc_price: [63_213, "USD", "one bitcoin, up 0.97% in 24 hours"],
  },
  polls: [
    polled({
      source: coinbase,
      world: coinbaseWorld,
      freeText: false,
      breakRow: null,
      refused: [["a price of zero", { ticker: { price: 0 }, stats: { open: 1 } }, /not above zero/]],
    }),
    polled({
      source: kraken,
      world: krakenWorld,
      freeText: false,
      breakRow: null,
      refused: [
        ["an error", { error: ["EAPI:Rate limit exceeded"] }, /is an error/],
        ["an answer without the pair", { error: [], result: {} }, /no price of bitcoin/],
      ],
    }),
    polled({
      source: binance,
      world: binanceWorld,
      freeText: false,
      breakRow: null,
      refused: [
        ["a price of zero", { symbol: "BTCUSDT", lastPrice: 0 }, /no price of bitcoin/],
        ["another pair", { symbol: "ETHUSDT", lastPrice: 2500 }, /no price of bitcoin/],
      ],
    }),
  ],
  views: [btcPriceView],
  table: prices,
  rows: [
    {
      kind: "changed",
      item: inTether,
      makes: {
        feed: "btc-price",
        asset: "BTC",
        currency: "USDT",
        provider: PROVIDER,
        period: "rolling",
        at: OBSERVED_AT,
        price: 1,
        change_24h_percent: null,
        high_24h: 2,
        low_24h: null,
        volume_24h: 3,
        volume_24h_units: null,
        trades_24h: null,
        observed_at: OBSERVED_AT,
      },
    },
    { kind: "gone", item: inTether, makes: null },
  ],
})

describe.skipIf(capturesAbsent)("captured prices", () => {
  it("of Coinbase: the ticker's price against the opening price of 24 hours ago", () => {
    const untyped = coinbase as Source<never, unknown>
    const made = normalised(coinbase, {
      ticker: decodedCapture(untyped, "ticker", "ticker-btc-usd-2026-06-19.json"),
      stats: decodedCapture(untyped, "stats", "stats-btc-usd-2026-06-19.json"),
    })
    expect(made.payload).toEqual({
      currency: "USD",
      price: 63212.97,
      change24hPercent: 0.9702,
      high24h: 63351.3,
      low24h: 62159.76,
      volume24h: 310902703.39,
    })
    // Nanoseconds are cut.
    expect(made.contentAtMs).toBe(Date.parse("2026-06-19T16:43:33.016Z"))
  })
  it("of Coinbase in the form of 2015: what it leaves out is null", () => {
    const untyped = coinbase as Source<never, unknown>
    const stats = decodedCapture<{ volume: number }>(untyped, "stats", "stats-btc-usd-2015-minimal-fields.json")
    const made = normalised(coinbase, { ticker: { price: 250 }, stats })
    expect(made.payload).toEqual({
      currency: "USD",
      price: 250,
      change24hPercent: -1.5903,
      high24h: 255.47,
      low24h: 244.29,
      volume24h: 1924345.72,
    })
    expect(made.contentAtMs).toBeNull()
    expect(decodedCapture(untyped, "candles", "candles-btc-usd-60s-first-2-rows-2026-06-19.json")).toHaveLength(2)
  })
  it.each([
    ["ticker-xxbtzusd-2026-09-08.json", 78493.8, 79498, 77609.4, 161990580.2],
    ["ticker-all-pairs-assetversion1-trimmed-2026-07-23.json", 65670.3, 66351.2, 65287.2, 76548395.61],
  ])(
    "of Kraken, %s: the pair by any of its names, no change over 24 hours",
    (file, price, high24h, low24h, volume24h) => {
      const { payload } = normalised(kraken, collectedCapture(kraken, "ticker", file))
      expect(payload).toEqual({ currency: "USD", price, change24hPercent: null, high24h, low24h, volume24h })
    },
  )
  it("of Binance: in Tether, with its own time", () => {
    const made = normalised(binance, collectedCapture(binance, "ticker", "ticker-24hr-btcusdt-2020-04-15.json"))
    expect(made.payload).toEqual({
      currency: "USDT",
      price: 6705.82,
      change24hPercent: -2.427,
      high24h: 6933,
      low24h: 6680.1,
      volume24h: 392659910.63,
    })
    expect(made.contentAtMs).toBe(1586991278494)
  })
  it("of Binance where several pairs are listed: the one of bitcoin alone", () => {
    const file = "ticker-24hr-symbols-btcusdt-ethusdt-2024-11-01.json"
    type Ticker = Parameters<typeof binance.read>[0]
    const [bitcoin, ether] = decodedCapture<ReadonlyArray<Ticker>>(binance, "tickers", file)
    if (bitcoin === undefined || ether === undefined) throw new Error("a pair is missing")
    const made = normalised(binance, bitcoin)
    expect(made.payload).toEqual({
      currency: "USDT",
      price: 69624,
      change24hPercent: -3.691,
      high24h: 72700,
      low24h: 68830,
      volume24h: 2354076638.6,
    })
    expect(made.contentAtMs).toBe(1730439018472)
    expect(refusedBy(binance, ether)).toBeInstanceOf(UpstreamError)
  })
  it("of Binance without bitcoin in Tether are refused, each of them", () => {
    const file = "ticker-24hr-all-symbols-trimmed-2024-11-01.json"
    const pairs = decodedCapture<ReadonlyArray<Parameters<typeof binance.read>[0]>>(binance, "tickers", file)
    expect(pairs.map(({ symbol, lastPrice }) => [symbol, lastPrice])).toContainEqual(["ETHBTC", 0.03606])
    for (const pair of pairs) expect(refusedBy(binance, pair)).toBeInstanceOf(UpstreamError)
  })
})

describe("bitcoin's price", () => {
  it("is null, never zero, in what a venue leaves out", () => {
    const { payload } = normalised(coinbase, { ticker: { price: 50_000 }, stats: { high: 51_000, open: 0, low: null } })
    expect(shown(btcPriceView, [reading(payload)], { nowMs: NOW_MS })).toEqual({
      price_usd: 50_000,
      change_24h_percent: null,
      high_24h: 51_000,
      low_24h: null,
      volume_24h_usd: null,
    })
  })

  it.each([
    [51_100, 51_100, 49_000],
    [48_900, 51_000, 48_900],
    [60_000, null, null],
    [40_000, null, null],
  ])(
    "of %i has a range that holds it, or none: a newer trade lies a little beyond the statistics",
    (price, high, low) => {
      const { payload } = normalised(coinbase, { ticker: { price }, stats: { high: 51_000, low: 49_000 } })
      expect([payload.high24h, payload.low24h]).toEqual([high, low])
    },
  )

  it("has no range where a venue contradicts itself", () => {
    const pair = { c: ["50000", "1"], h: ["1", "49000"], l: ["1", "48000"] } as const
    const wire = Schema.decodeUnknownSync(kraken.documents.ticker?.wire ?? Schema.Never)({
      error: [],
      result: { XXBTZUSD: pair },
    }) as Parameters<typeof kraken.read>[0]
    expect(normalised(kraken, wire).payload).toMatchObject({ price: 50_000, high24h: null, low24h: null })
    const ticker = { symbol: "BTCUSDT", lastPrice: 50_000, highPrice: 51_000, lowPrice: 50_500 }
    expect(normalised(binance, ticker).payload).toMatchObject({ high24h: null, low24h: null })
  })

  it("is the world's at each of its venues", async () => {
    const polls = [
      await observed(coinbase, coinbaseWorld, NOW_MS),
      await observed(kraken, krakenWorld, NOW_MS),
      await observed(binance, binanceWorld, NOW_MS),
    ]
    const world = bitcoinAt(worldAt("test", NOW_MS), NOW_MS)
    for (const { payload } of polls) {
      expect(Math.abs(payload.price - world)).toBeLessThan(10)
      expect(payload.high24h).toBeGreaterThanOrEqual(payload.low24h ?? Number.POSITIVE_INFINITY)
      const data = shown(btcPriceView, [reading(payload)], { nowMs: NOW_MS })
      expect(data).toMatchObject({ price_usd: payload.price, volume_24h_usd: payload.volume24h })
    }
    expect(polls.map(({ payload }) => payload.change24hPercent === null)).toEqual([false, true, false])
    expect(polls.map(({ contentAtMs }) => contentAtMs !== null && NOW_MS - contentAtMs < 5_000)).toEqual([
      true,
      false,
      true,
    ])
  })

  it("is read at the venues in the order of their ranks", () => {
    expect([coinbase.rank, kraken.rank, binance.rank]).toEqual([1, 2, 3])
  })
})
