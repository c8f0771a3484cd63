import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import coingecko from "../../ingestors/sources/coingecko.ts"
import coinQuotes from "../../processors/tables/coin_quotes/table.ts"
import cryptoMovers from "../../processors/views/crypto-movers.ts"
import { type CoinQuote, coins } from "../../schemas/feeds/coins.ts"
import simulated, { COINGECKO_WORLD_KEY, coinsOf } from "../world/upstreams/coingecko.ts"
import { worldAt } from "../world/world.ts"
import { capturesAbsent, collectedCapture, decodedCapture } from "./support/captures.ts"
import { feedTest, polled } from "./support/feed-test.ts"
import { normalised, readBy } from "./support/read.ts"
import { OBSERVED_AT, PROVIDER } from "./support/rows.ts"
import { reading, shown } from "./support/shown.ts"
import { observed, upstreamOf } from "./support/world.ts"

const NOW_MS = Date.parse("2026-11-20T12:34:56.789Z")
const DAY_MS = 86_400_000

const row = (id: string, members: object = {}) => ({
  id,
  symbol: "abc",
  name: "A Coin",
  current_price: 2,
  market_cap: 1000,
  market_cap_rank: 1,
  total_volume: 10,
  price_change_percentage_24h: 1,
  last_updated: "2026-11-20T12:34:00.000Z",
  ...members,
})
const itemsOf = (rows: ReadonlyArray<object>): ReadonlyArray<CoinQuote> =>
  normalised(coingecko, rows, { observedAtMs: NOW_MS }).payload.items
const moversOf = (items: ReadonlyArray<CoinQuote>) =>
  shown(cryptoMovers, [reading({ items, facts: {} })], { nowMs: NOW_MS }) as {
    readonly count: number
    readonly movers: ReadonlyArray<Record<string, unknown>>
  }

const quote = {
  id: "a-coin",
  symbol: "ABC",
  name: "A Coin",
  priceUsd: 2.5,
  change1hPercent: null,
  change24hPercent: -1.5,
  change7dPercent: 12,
  marketCapUsd: 1000,
  volume24hUsd: null,
  rank: 7,
  updatedAt: null,
} as const
const quoteRow = {
  id: "a-coin",
  symbol: "ABC",
  name: "A Coin",
  price_usd: 2.5,
  change_1h_percent: null,
  change_24h_percent: -1.5,
  change_7d_percent: 12,
  market_cap_usd: 1000,
  volume_24h_usd: null,
  rank: 7,
  updated_at: null,
  listed: true,
  provider: PROVIDER,
  observed_at: OBSERVED_AT,
}

feedTest({
  feed: coins,
  polls: [
    polled({
      source: coingecko,
      world: simulated,
      freeText: true,
      breakRow: (rows) => [...rows, row("broken", { current_price: "two" })],
      refused: [
        ["an answer without a coin", [], /has no items/],
        ["coins that have no price", [row("a", { current_price: null })], /has no items/],
      ],
    }),
  ],
  views: [cryptoMovers],
  table: coinQuotes,
  rows: [
    { kind: "changed", item: quote, makes: quoteRow },
    { kind: "gone", item: quote, makes: { ...quoteRow, listed: false } },
  ],
})

describe.skipIf(capturesAbsent)("captured coins", () => {
  const captured = (file: string) => normalised(coingecko, collectedCapture(coingecko, "markets", file))

  it("of a page of 250: the 100 largest, and those of them that moved the most", () => {
    const { payload, contentAtMs } = captured("coins-markets-usd-100-coins-2023-07-28.json")
    // The newest of all 250 rows of the page.
    expect(contentAtMs).toBe(Date.parse("2023-07-28T20:03:30.055Z"))
    expect(payload.items).toHaveLength(100)
    expect([payload.items[0]?.id, payload.items[99]?.id]).toEqual(["bitcoin", "arweave"])
    expect(payload.items[0]).toEqual({
      id: "bitcoin",
      symbol: "BTC",
      name: "Bitcoin",
      priceUsd: 29309,
      change1hPercent: null,
      change24hPercent: 0.49325,
      change7dPercent: null,
      marketCapUsd: 569778313238,
      volume24hUsd: 7555609615,
      rank: 1,
      updatedAt: "2023-07-28T20:03:29.093Z",
    })
    const { count, movers } = moversOf(payload.items)
    expect(count).toBe(15)
    // Rollbit, place 123, moved by 23 percent: beyond the hundred largest it is no mover.
    expect(movers.map(({ symbol, change_24h_percent }) => [symbol, change_24h_percent])).toEqual([
      ["SHIB", 7.43238],
      ["ICP", 5.82365],
      ["QNT", 5.21178],
      ["CSPR", 4.87361],
      ["FXS", 4.53847],
      ["TON", -3.59073],
      ["SNX", -3.27836],
      ["FLEX", 3.18397],
      ["XTZ", 3.15231],
      ["TRX", 2.98582],
      ["RNDR", 2.52048],
      ["UNI", 2.31105],
      ["XLM", 2.25085],
      ["BGB", 2.23706],
      ["IMX", 2.1225],
    ])
    // The price is written 8.36e-06 in the file.
    expect(movers[0]).toEqual({
      symbol: "SHIB",
      name: "Shiba Inu",
      price_usd: 0.00000836,
      market_cap: 4926680622,
      change_24h_percent: 7.43238,
      rank: 15,
      volume_24h_usd: 204009559,
    })
  })
  it("of one coin with its changes of an hour and of a week", () => {
    const { payload } = captured("coins-markets-bitcoin-with-1h-24h-7d-2024-10-01.json")
    expect(payload.items).toEqual([
      {
        id: "bitcoin",
        symbol: "BTC",
        name: "Bitcoin",
        priceUsd: 62648,
        change1hPercent: -1.597395697490496,
        change24hPercent: -2.09234,
        change7dPercent: -1.2535379112507992,
        marketCapUsd: 1237899902658,
        volume24hUsd: 34184618434,
        rank: 1,
        updatedAt: "2024-10-01T13:55:06.346Z",
      },
    ])
  })
  it("of a reduced answer: members that are absent are null, and the movers are in their order", () => {
    const { payload } = captured("coins-markets-3-coins-reduced-fields-2026-09-02.json")
    expect(moversOf(payload.items).movers).toEqual([
      {
        symbol: "ETH",
        name: "Ethereum",
        price_usd: 2391.22,
        market_cap: null,
        change_24h_percent: -1.12675,
        rank: null,
        volume_24h_usd: null,
      },
      {
        symbol: "SOL",
        name: "Solana",
        price_usd: 99.63,
        market_cap: null,
        change_24h_percent: -0.19472,
        rank: null,
        volume_24h_usd: null,
      },
      {
        symbol: "BTC",
        name: "Bitcoin",
        price_usd: 77356,
        market_cap: null,
        change_24h_percent: 0.02132,
        rank: null,
        volume_24h_usd: null,
      },
    ])
  })
  it("of plain prices are recorded only", () => {
    expect(decodedCapture(coingecko, "simplePrice", "simple-price-btc-eth-eur-2026-06-05.json")).toEqual({
      bitcoin: { eur: 53953 },
      ethereum: { eur: 1441.93 },
    })
  })
})

describe("coins", () => {
  it("are the largest by capitalisation, whatever the order of the answer; unknown ones come last", () => {
    const items = itemsOf([
      row("unknown", { market_cap: 0, market_cap_rank: null }),
      row("small", { market_cap: 5, market_cap_rank: 3 }),
      row("placed", { market_cap: null, market_cap_rank: 2 }),
      row("large", { market_cap: "6e+3", market_cap_rank: 1 }),
    ])
    expect(items.map(({ id, marketCapUsd, rank }) => [id, marketCapUsd, rank])).toEqual([
      ["large", 6000, 1],
      ["small", 5, 3],
      ["placed", null, 2],
      ["unknown", null, null],
    ])
  })
  it.each([
    ["no price", { current_price: null }, 0],
    ["a price of zero", { current_price: 0 }, 0],
    ["a negative price", { current_price: -1 }, 1],
    ["a price that is no number", { current_price: "two" }, 1],
    ["no name", { name: "\u200b" }, 1],
    ["no symbol", { symbol: "" }, 1],
    ["a time in the future", { last_updated: "2026-11-20T13:34:00Z" }, 1],
  ])("with %s are left out", (_, members, unreadableRows) => {
    const { outcome, unreadable } = readBy(coingecko, [row("a"), row("b"), row("c", members)], {
      observedAtMs: NOW_MS,
    })
    expect(outcome).toMatchObject({ payload: { items: [{ id: "a" }, { id: "b" }] } })
    expect(unreadable).toHaveLength(unreadableRows)
  })
  it("have null for a change that is absent, null or impossible, and no place among the movers then", () => {
    const { price_change_percentage_24h: _, ...absent } = row("absent")
    const items = itemsOf([
      absent,
      row("null", { price_change_percentage_24h: null, price_change_percentage_1h_in_currency: null }),
      row("impossible", { price_change_percentage_24h: -100.5 }),
      row("other member", { price_change_percentage_24h: null, price_change_percentage_24h_in_currency: 3.5 }),
      row("unchanged", { price_change_percentage_24h: 0 }),
    ])
    expect(new Map(items.map(({ id, change24hPercent }) => [id, change24hPercent]))).toEqual(
      new Map([
        ["absent", null],
        ["null", null],
        ["impossible", null],
        ["other member", 3.5],
        ["unchanged", 0],
      ]),
    )
    expect(moversOf(items).movers.map(({ change_24h_percent }) => change_24h_percent)).toEqual([3.5, 0])
  })
  it("move equally up or down by rank, the unranked last", () => {
    const items = itemsOf([
      row("a", { symbol: "none", market_cap_rank: null, price_change_percentage_24h: 2 }),
      row("b", { symbol: "second", market_cap_rank: 2, price_change_percentage_24h: -2 }),
      row("c", { symbol: "first", market_cap_rank: 1, price_change_percentage_24h: 2 }),
    ])
    expect(moversOf(items).movers.map(({ symbol }) => symbol)).toEqual(["FIRST", "SECOND", "NONE"])
  })
  it("share symbols and keep their ids", () => {
    const items = itemsOf([row("one", { symbol: "ton" }), row("two", { symbol: "TON" })])
    expect(items.map(({ id, symbol }) => [id, symbol])).toEqual([
      ["one", "TON"],
      ["two", "TON"],
    ])
  })
  it("have changed with price, change or capitalisation, and not with turnover or time", () => {
    const [before] = itemsOf([row("a")])
    const isRevised = (members: object) =>
      coins.isRevised(before as CoinQuote, itemsOf([row("a", members)])[0] as CoinQuote)
    expect(isRevised({ total_volume: 11, last_updated: "2026-11-20T12:33:00Z", market_cap_rank: 2 })).toBe(false)
    expect(isRevised({ current_price: 2.1 })).toBe(true)
    expect(isRevised({ price_change_percentage_24h: 1.1 })).toBe(true)
    expect(isRevised({ market_cap: 1001 })).toBe(true)
  })
  it("come with a key and without one; a wrong key is refused", async () => {
    const world = worldAt("test", NOW_MS)
    const collect = (key: string | null) =>
      Effect.runPromise(
        Effect.result(coingecko.collect(upstreamOf(simulated, world), { parameters: {}, key, observedAtMs: NOW_MS })),
      )
    expect(await collect(COINGECKO_WORLD_KEY)).toEqual(await collect(null))
    expect(await collect("wrong")).toMatchObject({ failure: { status: 401 } })
  })
  it("of the world are those shown", async () => {
    const { payload } = await observed(coingecko, simulated, NOW_MS)
    const world = coinsOf(worldAt("test", NOW_MS)).slice(0, 100)
    expect(payload.items.map(({ id }) => id)).toEqual(world.map(({ id }) => id))
    expect(payload.items.map(({ change1hPercent }) => change1hPercent)).toEqual(
      world.map(({ change1hPercent }) => change1hPercent),
    )
    const moving = world.filter(({ change24hPercent }) => change24hPercent !== null)
    expect(moving.length).toBeLessThan(world.length)
    const largest = Math.max(...moving.map(({ change24hPercent }) => Math.abs(change24hPercent ?? 0)))
    const [first] = moversOf(payload.items).movers
    expect(Math.abs(Number(first?.change_24h_percent))).toBeCloseTo(largest, 4)
  })
  it("of each day of the world hold two of one symbol and one without a change", () => {
    for (let day = 0; day < 7; day++) {
      const world = coinsOf(worldAt("test", NOW_MS + day * DAY_MS)).slice(0, 100)
      expect(new Set(world.map(({ symbol }) => symbol)).size).toBeLessThan(100)
      expect(world.some(({ change24hPercent }) => change24hPercent === null)).toBe(true)
    }
  })
})
