import { describe, expect, it } from "vitest"
import binance from "../../ingestors/sources/binance-futures.ts"
import bybit from "../../ingestors/sources/bybit.ts"
import hyperliquid from "../../ingestors/sources/hyperliquid.ts"
import okx from "../../ingestors/sources/okx.ts"
import { makeLatest } from "../../processors/folds/latest.ts"
import { declared, foldingBench, observed as saw } from "../../processors/testing/folding.ts"
import fundingRatesView from "../../processors/views/funding-rates.ts"
import type { RestReason } from "../../schemas/events/observations.ts"
import {
  type FundingRate,
  type FundingVenue,
  fundingRates,
  fundingRatesEndpoint,
  fundingVenues,
} from "../../schemas/feeds/funding-rates.ts"
import { eventReader, feeds } from "../../schemas/registry.ts"
import binanceWorld from "../world/upstreams/binance-futures.ts"
import bybitWorld from "../world/upstreams/bybit.ts"
import hyperliquidWorld from "../world/upstreams/hyperliquid.ts"
import okxWorld from "../world/upstreams/okx.ts"
import { capturesAbsent, decodedCapture } from "./support/captures.ts"
import { feedTest, polled } from "./support/feed-test.ts"
import { interval, type Of, ofBinance, premium, swap, ticker, tickers } from "./support/perpetuals.ts"
import { normalised, refusedBy } from "./support/read.ts"
import { OBSERVED_AT } from "./support/rows.ts"
import { reading, shown } from "./support/shown.ts"
import { observed } from "./support/world.ts"

const NOW_MS = Date.parse("2026-11-20T12:34:56.789Z")
const MINUTE_MS = 60_000

const item: FundingRate = {
  symbol: "KELPUSDT",
  base: "KELP",
  periodHours: 8,
  periodRate: 0.0001,
  annualizedPercent: 10.95,
  markPrice: 2.5,
  nextFundingTime: "2026-11-20T16:00:00.000Z",
}
const row = {
  venue: "okx",
  symbol: "KELPUSDT",
  base: "KELP",
  period_hours: 8,
  period_rate: 0.0001,
  annualized_percent: 10.95,
  mark_price: 2.5,
  next_funding_time: "2026-11-20T16:00:00.000Z",
  listed: true,
  observed_at: OBSERVED_AT,
}

feedTest({
  feed: fundingRates,
  glances: {
    funding_rates: [
      -459.9,
      "% a year",
      "TRBUSDT at binance, the largest, sellers pay buyers, not read: okx and hyperliquid",
    ],
  },
  polls: [
    polled({
      source: binance,
      world: binanceWorld,
      freeText: false,
      breakRow: (collected) => ({
        ...collected,
        premiums: [...collected.premiums, premium({ lastFundingRate: "n/a" })],
      }),
      refused: [
        [
          "dated contracts alone",
          { premiums: [premium({ symbol: "BTCUSDT_270326" })], intervals: [interval] },
          /no items/,
        ],
      ],
    }),
    polled({
      source: bybit,
      world: bybitWorld,
      freeText: false,
      breakRow: (collected) => ({
        ...collected,
        result: { ...collected.result, list: [...(collected.result?.list ?? []), ticker({ fundingIntervalHour: "" })] },
      }),
      refused: [
        ["an error with status 200", { retCode: 10006, result: {} }, /error 10006/],
        ["another category", { retCode: 0, result: { category: "inverse", list: [ticker()] } }, /another category/],
        ["intervals that are all missing", tickers(ticker({ fundingIntervalHour: "" })), /cannot be read/],
      ],
    }),
    polled({
      source: okx,
      world: okxWorld,
      freeText: false,
      breakRow: (collected) => ({ ...collected, swaps: [...collected.swaps, swap({ nextFundingTime: "" })] }),
      refused: [
        ["swaps of another margin alone", { swaps: [swap({ instId: "BTC-USD-SWAP" })], marks: [] }, /no items/],
      ],
    }),
    polled({
      source: hyperliquid,
      world: hyperliquidWorld,
      freeText: false,
      breakRow: ([{ universe }, states]) =>
        [{ universe: [...universe, { name: "BROKEN" }] }, [...states, { funding: null, markPx: "1" }]] as const,
      refused: [
        ["lists of different lengths", [{ universe: [{ name: "BTC" }] }, []], /different lengths/],
        ["another exchange", [{ universe: [{ name: "xyz:TSLA" }] }, [{ funding: "0.1", markPx: "1" }]], /no items/],
      ],
    }),
  ],
  views: [fundingRatesView],
  rows: [
    { kind: "changed", item, parameters: { venue: "okx" }, makes: row },
    { kind: "gone", item, parameters: { venue: "okx" }, makes: { ...row, listed: false } },
  ],
})

describe.skipIf(capturesAbsent)("captured answers", () => {
  it("of Binance in 2020: five contracts of eight hours, as none is in the list of other intervals", () => {
    const premiums = decodedCapture<Of<typeof binance>["premiums"]>(
      binance,
      "premiums",
      "premium-index-all-symbols-trimmed-2020-10-16.json",
    )
    const intervals = decodedCapture<Of<typeof binance>["intervals"]>(
      binance,
      "intervals",
      "funding-info-25-rows-2025-07.json",
    )
    expect(intervals).toHaveLength(25)
    const { payload, contentAtMs } = normalised(binance, { premiums, intervals })
    expect(contentAtMs).toBe(1602819970000)
    expect(payload.facts).toEqual({ markets: 5 })
    expect(payload.items.map(({ symbol }) => symbol)).toEqual(["BALUSDT", "BTTUSDT", "EOSUSDT", "KNCUSDT", "SUSHIUSDT"])
    expect(payload.items[1]).toEqual({
      symbol: "BTTUSDT",
      base: "BTT",
      periodHours: 8,
      periodRate: 0.0001,
      annualizedPercent: 10.95,
      markPrice: 0.00034024,
      nextFundingTime: "2020-10-16T08:00:00.000Z",
    })
  })
  it("of Binance, one contract each, with the interval that the list of July 2025 has for another", () => {
    const one = (file: string) => decodedCapture<object>(binance, "premium", file)
    const intervals = decodedCapture<Of<typeof binance>["intervals"]>(
      binance,
      "intervals",
      "funding-info-25-rows-2025-07.json",
    )
    const of = (...premiums: ReadonlyArray<object>) => ofBinance(premiums, intervals).items[0]
    const bitcoin = one("premium-index-btcusdt-2023-06-20.json")
    expect(of(bitcoin)).toMatchObject({
      periodHours: 8,
      periodRate: 0.00001226,
      annualizedPercent: 1.3425,
      markPrice: 26780.82240476,
      nextFundingTime: "2023-06-20T08:00:00.000Z",
    })
    expect(of(one("documentation-example-premium-index-btcusdt.json"))).toMatchObject({
      annualizedPercent: 41.8794,
      markPrice: 11793.63104562,
    })
    // The same rate every four hours is twice as much a year: 0.00001226 x 2190 x 100.
    expect(of({ ...bitcoin, symbol: "TRBUSDT" })).toMatchObject({ periodHours: 4, annualizedPercent: 2.6849 })
  })
  it("of Bybit: one linear contract; the list of inverse contracts is refused", () => {
    const list = (file: string) => decodedCapture<Of<typeof bybit>>(bybit, "tickers", file)
    const { payload, contentAtMs } = normalised(bybit, list("v5-market-tickers-linear-btcusdt-2026-09-08.json"))
    expect(contentAtMs).toBe(1788909273627)
    expect(payload).toEqual({
      items: [
        {
          symbol: "BTCUSDT",
          base: "BTC",
          periodHours: 8,
          periodRate: 0.0000523,
          // 0.0000523 x 1095 x 100 = 5.72685, as a binary number just below it.
          annualizedPercent: 5.7268,
          markPrice: 78472.44,
          nextFundingTime: "2026-09-09T00:00:00.000Z",
        },
      ],
      facts: { markets: 1 },
    })
    const inverse = list("documentation-example-v5-market-tickers-inverse-btcusd.json")
    expect(refusedBy(bybit, inverse)?.message).toMatch(/another category/)
  })
  it("of OKX: the coming payment, its period, and the mark price of another answer", () => {
    const rows = (document: string, file: string) =>
      decodedCapture<{ readonly data: ReadonlyArray<unknown> }>(okx, document, file).data
    const swaps = rows("swaps", "public-funding-rate-btc-usdt-swap-2026-08-19.json")
    const marks = rows("marks", "public-mark-price-btc-usdt-swap-2025-04-14.json")
    const { payload, contentAtMs } = normalised(okx, { swaps, marks })
    expect(contentAtMs).toBe(1787160689190)
    expect(payload.items).toEqual([
      {
        symbol: "BTC-USDT-SWAP",
        base: "BTC",
        periodHours: 8,
        periodRate: 0.0001,
        annualizedPercent: 10.95,
        markPrice: 84660.1,
        nextFundingTime: "2026-08-20T00:00:00.000Z",
      },
    ])
    const old = rows("swaps", "documentation-example-public-funding-rate-btc-usdt-swap.json")
    expect(normalised(okx, { swaps: old, marks: [] }).payload.items).toMatchObject([
      { periodRate: 0.000079238688534, annualizedPercent: 8.6766, markPrice: null, periodHours: 8 },
    ])
  })
  it("of Hyperliquid: 171 of 203 assets are traded, each joined with its own state", () => {
    const collected = decodedCapture<Of<typeof hyperliquid>>(
      hyperliquid,
      "assets",
      "meta-and-asset-ctxs-2025-08-22.json",
    )
    const { payload, contentAtMs } = normalised(hyperliquid, collected)
    expect(contentAtMs).toBeNull()
    expect(payload.facts).toEqual({ markets: 171 })
    expect(payload.items).toHaveLength(53)
    expect(payload.items.slice(0, 6).map((one) => [one.symbol, one.periodRate, one.annualizedPercent])).toEqual([
      ["ETH", 0.0000224376, 19.6553],
      ["BTC", 0.0000125, 10.95],
      ["SOL", 0.0000125, 10.95],
      ["OMNI", -0.0005681771, -497.7231],
      ["BIO", -0.0001958526, -171.5669],
      ["UMA", -0.0001501579, -131.5383],
    ])
    expect(payload.items[3]).toEqual({
      symbol: "OMNI",
      base: "OMNI",
      periodHours: 1,
      periodRate: -0.0005681771,
      annualizedPercent: -497.7231,
      markPrice: 3.7751,
      nextFundingTime: null,
    })
    const other = decodedCapture<Of<typeof hyperliquid>>(
      hyperliquid,
      "assets",
      "meta-and-asset-ctxs-dex-xyz-2026-02-06.json",
    )
    expect(refusedBy(hyperliquid, other)?.message).toMatch(/no items/)
  })
})

describe("a contract", () => {
  it("changes when the next payment or a tenth of a percent a year does", () => {
    const differs = (members: Partial<FundingRate>) => fundingRates.isRevised(item, { ...item, ...members })
    expect(differs({ markPrice: 3, annualizedPercent: 10.949 })).toBe(false)
    expect(differs({ annualizedPercent: 11.06 })).toBe(true)
    expect(differs({ nextFundingTime: "2026-11-21T00:00:00.000Z" })).toBe(true)
  })
})

describe("the reply", () => {
  interface Reply {
    readonly rates: ReadonlyArray<{ readonly venue: string; readonly symbol: string; readonly annualized_pct: number }>
    readonly venues: ReadonlyArray<{ readonly venue: string; readonly status: string; readonly markets: number | null }>
    readonly failed_venues: ReadonlyArray<string>
  }
  const of = (venue: FundingVenue, atMs: number, percents: ReadonlyArray<number>) =>
    reading(
      {
        items: percents.map((annualizedPercent, at) => ({ ...item, symbol: `${venue}${at}`, annualizedPercent })),
        facts: { markets: 100 },
      },
      { venue },
      atMs,
    )
  const shownAt = (nowMs: number, ...readings: ReadonlyArray<ReturnType<typeof of>>) =>
    shown(fundingRatesView, readings, { nowMs }) as Reply

  it("holds the twenty largest rates of all venues, whichever side pays", () => {
    const many = Array.from({ length: 30 }, (_, at) => at - 15)
    const { rates, failed_venues } = shownAt(
      NOW_MS,
      ...fundingVenues.map((venue, at) => of(venue, NOW_MS, at === 2 ? [-400, 0.5] : many)),
    )
    expect(rates).toHaveLength(20)
    expect(rates.slice(0, 4).map(({ venue, annualized_pct }) => [venue, annualized_pct])).toEqual([
      ["okx", -400],
      ["binance", -15],
      ["bybit", -15],
      ["hyperliquid", -15],
    ])
    expect(failed_venues).toEqual([])
  })
  it("says which venues fail and which were never read, and keeps the contracts of those that fail for ten minutes", () => {
    const at = (minutes: number) => {
      const nowMs = NOW_MS + minutes * MINUTE_MS
      return shownAt(nowMs, of("binance", NOW_MS, [50]), of("bybit", nowMs, [10]))
    }
    const status = (minutes: number) => at(minutes).venues.map((one) => one.status)
    expect(status(2.9)).toEqual(["ok", "ok", "unread", "unread"])
    expect(status(3)).toEqual(["failed", "ok", "unread", "unread"])
    expect(at(9.9).rates.map(({ venue }) => venue)).toEqual(["binance", "bybit"])
    expect(at(10).rates.map(({ venue }) => venue)).toEqual(["bybit"])
    expect(at(10).failed_venues).toEqual(["binance", "okx", "hyperliquid"])
    expect(at(10).venues.map(({ markets }) => markets)).toEqual([100, 100, null, null])
  })
  it("is built when a venue fails, and then at each tick until it is read again", () => {
    const changesAt = (nowMs: number) =>
      fundingRatesView.build(
        { markets: [{ parameters: { venue: "okx" }, reading: of("okx", NOW_MS, [1]), rests: null }] },
        { parameters: {}, nowMs },
      ).changesAtMs
    expect(changesAt(NOW_MS)).toBe(NOW_MS + 3 * MINUTE_MS)
    expect(changesAt(NOW_MS + 4 * MINUTE_MS)).toBe(NOW_MS + 4 * MINUTE_MS + 1)
  })
  it("says of a venue that it rests, and shows nothing that was read of it once its terms forbid that", () => {
    const bench = foldingBench(makeLatest([fundingRatesView], feeds), eventReader)
    const venues = (rests: RestReason | null) =>
      declared(
        NOW_MS,
        fundingVenues.map((venue) => ({
          feed: "funding-rates",
          provider: `${venue}.funding`,
          parameters: { venue },
          ...(venue !== "okx" || rests === null ? {} : { rests }),
        })),
      )
    const read = (venue: FundingVenue) =>
      saw(NOW_MS, "funding-rates", of(venue, NOW_MS, [50]).payload as never, { parameters: { venue } })
    const shownBy = () => (bench.view("/api/funding-rates") as { readonly data: Reply } | undefined)?.data
    const statusOf = (wanted: FundingVenue) => shownBy()?.venues.find(({ venue }) => venue === wanted)?.status
    bench.fold(venues(null), read("okx"), read("hyperliquid"))
    expect(statusOf("okx")).toBe("ok")
    expect(shownBy()?.rates.map(({ venue }) => venue)).toEqual(["okx", "hyperliquid"])
    bench.fold(venues("not_licensed"))
    expect(statusOf("okx")).toBe("rests")
    expect(shownBy()?.rates.map(({ venue }) => venue)).toEqual(["hyperliquid"])
    expect(shownBy()?.failed_venues).toContain("okx")
  })
  it("shows the same contract at two venues by its own rate at each", async () => {
    const payloads = [
      reading((await observed(binance, binanceWorld, NOW_MS)).payload, { venue: "binance" }, NOW_MS),
      reading((await observed(bybit, bybitWorld, NOW_MS)).payload, { venue: "bybit" }, NOW_MS),
      reading((await observed(okx, okxWorld, NOW_MS)).payload, { venue: "okx" }, NOW_MS),
      reading((await observed(hyperliquid, hyperliquidWorld, NOW_MS)).payload, { venue: "hyperliquid" }, NOW_MS),
    ]
    const data = shown(fundingRatesView, payloads, { nowMs: NOW_MS }) as (typeof fundingRatesEndpoint)["example"]
    const { rates, venues } = data
    expect(venues.map(({ markets }) => markets)).toEqual([63, 63, 63, 63])
    expect(new Set(rates.map(({ venue }) => venue)).size).toBeGreaterThan(1)
    // Drawn by coin and venue, each rate in its place.
    const [drawn] = fundingRatesEndpoint.glance?.plots?.(data) ?? []
    if (drawn?.kind !== "matrix") throw new Error("no matrix")
    expect(drawn.columns).toEqual(fundingVenues)
    const [unread] = fundingRatesEndpoint.glance?.plots?.({ ...data, failed_venues: fundingVenues }) ?? []
    expect(unread).toMatchObject({ note: expect.stringMatching(/not read now: binance, bybit, okx and hyperliquid$/) })
    expect(drawn.rows.some(({ values }) => values.filter((value) => value !== null).length > 1)).toBe(true)
    for (const { label, values } of drawn.rows)
      for (const [at, venue] of fundingVenues.entries()) {
        const own = rates.find((one) => one.base === label && one.venue === venue)?.annualized_pct
        if (own === undefined) expect(values[at]).toBe(null)
        else expect(values[at]).toBeCloseTo(own, 0)
      }
    const sizes = rates.map(({ annualized_pct }) => Math.abs(annualized_pct))
    expect(sizes).toEqual(sizes.toSorted((one, other) => other - one))
  })
})
