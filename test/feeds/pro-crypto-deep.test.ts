import * as Schema from "effect/Schema"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { makeParameterReader } from "../../api/http/parameters.ts"
import binanceTickers from "../../ingestors/sources/binance-tickers.ts"
import coinbaseCandles from "../../ingestors/sources/coinbase-candles.ts"
import coingecko from "../../ingestors/sources/coingecko.ts"
import mempoolSpace from "../../ingestors/sources/mempool-space.ts"
import latest from "../../processors/folds/latest.ts"
import { foldingBench, observed as saw } from "../../processors/testing/folding.ts"
import { buildData, viewInstance } from "../../processors/view/build-view.ts"
import type { Reading } from "../../processors/view/view.ts"
import view from "../../processors/views/pro-crypto-deep.ts"
import {
  COINS_SHOWN_MAX,
  CryptoDeep,
  CryptoDeepFull,
  type CryptoDeepInput,
  cryptoDeepExample,
  proCryptoDeepEndpoint,
  selectCryptoDeep,
} from "../../schemas/endpoints/pro-crypto-deep.ts"
import type { CoinQuote } from "../../schemas/feeds/coins.ts"
import type { EthereumGas } from "../../schemas/feeds/ethereum-gas.ts"
import { eventReader } from "../../schemas/registry.ts"
import binanceWorld from "../world/upstreams/binance-tickers.ts"
import coinbaseWorld from "../world/upstreams/coinbase-candles.ts"
import coingeckoWorld from "../world/upstreams/coingecko.ts"
import mempoolWorld from "../world/upstreams/mempool-space.ts"
import { inputsOf, reading } from "./support/shown.ts"
import { nullPaths, unexplainedNulls } from "./support/unexplained-nulls.ts"
import { observed } from "./support/world.ts"

const NOW_MS = Date.parse("2026-11-20T12:34:56.789Z")
const strict = { onExcessProperty: "error" } as const
const inputs: ReadonlyArray<CryptoDeepInput> = ["coins", "tickers", "network", "gas", "candles"]

const gas: EthereumGas = {
  blockNumber: 25_123_456,
  baseFeeGwei: 0.29,
  lowGwei: 0.31,
  standardGwei: 0.46,
  fastGwei: 1.21,
}

const built = (readings: ReadonlyMap<string, Reading<unknown>>): CryptoDeepFull => {
  const { data } = view.build(
    inputsOf(view, {}, (feed) => readings.get(feed)),
    { parameters: {}, nowMs: NOW_MS },
  )
  return Schema.decodeUnknownSync(CryptoDeepFull, strict)(data)
}
const select = (full: CryptoDeepFull, history?: "30d", withheld: ReadonlySet<string> = new Set()) => {
  const selected = selectCryptoDeep(full, { history }, withheld)
  return { ...selected, data: Schema.decodeUnknownSync(CryptoDeep, strict)(selected.data) }
}
const nothing: CryptoDeepFull = {
  coins_top50: null,
  exchange_top20_usdt: null,
  network_btc: null,
  eth_gas: null,
  btc_30d: null,
}

/** The parts, and the input of each. */
const inputOf = {
  coins_top50: "coins",
  exchange_top20_usdt: "tickers",
  network_btc: "network",
  eth_gas: "gas",
  btc_30d: "candles",
} as const satisfies Readonly<Record<keyof CryptoDeepFull, CryptoDeepInput>>

const world = async (): Promise<CryptoDeepFull> =>
  built(
    new Map<string, Reading<unknown>>([
      ["coins", reading((await observed(coingecko, coingeckoWorld, NOW_MS)).payload)],
      ["exchange-tickers", reading((await observed(binanceTickers, binanceWorld, NOW_MS)).payload)],
      ["bitcoin-network", reading((await observed(mempoolSpace, mempoolWorld, NOW_MS)).payload)],
      ["ethereum-gas", reading(gas)],
      ["btc-candles", reading((await observed(coinbaseCandles, coinbaseWorld, NOW_MS)).payload)],
    ]),
  )

describe("crypto-deep", () => {
  it("is null before the first feed has answered, and so is each part", () => {
    const none = () => undefined
    const empty = { feed: none, payload: none, declared: none, remembered: none }
    expect(buildData(viewInstance(view, {}), empty, NOW_MS)).toEqual({ _tag: "Missing" })
    expect(built(new Map())).toEqual(nothing)
    expect(built(new Map([["ethereum-gas", reading(gas)]]))).toEqual({
      ...nothing,
      eth_gas: { low_gwei: 0.31, standard_gwei: 0.46, fast_gwei: 1.21, base_fee_gwei: 0.29, last_block: 25_123_456 },
    })
  })

  it("of the world has all the contract's parts", async () => {
    const full = await world()
    const { data } = select(full, "30d")
    expect(data.coins_top50).toHaveLength(COINS_SHOWN_MAX)
    expect(data.exchange_top20_usdt?.map(({ pair }) => pair)).toEqual(expect.arrayContaining(["BTCUSDT", "ETHUSDT"]))
    const turnovers = data.exchange_top20_usdt?.map(({ volume_24h }) => volume_24h ?? 0) ?? []
    expect(turnovers).toEqual([...turnovers].sort((one, other) => other - one))
    for (const { price, high_24h, low_24h } of data.exchange_top20_usdt ?? []) {
      expect(price).toBeLessThanOrEqual(high_24h ?? Number.NaN)
      expect(price).toBeGreaterThanOrEqual(low_24h ?? Number.NaN)
    }
    expect(data.sample_size).toEqual({
      coins_top50: 50,
      exchange_top20_usdt: data.exchange_top20_usdt?.length,
      btc_30d: 30,
    })
    const days = data.series?.btc_30d?.map(({ ts }) => new Date(ts).toISOString()) ?? []
    expect(days).toEqual([...days].sort())
    // A day of the world has no candle: thirty candles reach back a day further, and none is made up.
    expect([days[0], days[29]]).toEqual(["2026-10-20T00:00:00.000Z", "2026-11-19T00:00:00.000Z"])
    expect(days).not.toContain("2026-11-01T00:00:00.000Z")
    // The world has a coin without changes among the fifty.
    expect(nullPaths(data).length).toBeGreaterThan(0)
    expect(unexplainedNulls(data)).toEqual([])
  })

  it("shows the fifty largest coins by the names of the contract", () => {
    const coin = (rank: number): CoinQuote => ({
      id: `coin-${rank}`,
      symbol: "TON",
      name: `Coin ${rank}`,
      priceUsd: 2,
      change1hPercent: 1,
      change24hPercent: -2,
      change7dPercent: 3,
      marketCapUsd: 1_000 - rank,
      volume24hUsd: 5,
      rank,
      updatedAt: null,
    })
    const items = Array.from({ length: 60 }, (_, at) => coin(at + 1))
    const { coins_top50 } = built(new Map([["coins", reading({ items, facts: {} })]]))
    expect(coins_top50?.map(({ rank }) => rank)).toEqual(Array.from({ length: 50 }, (_, at) => at + 1))
    expect(coins_top50?.[0]).toEqual({
      symbol: "TON",
      name: "Coin 1",
      price_usd: 2,
      change_1h_percent: 1,
      change_24h_percent: -2,
      change_7d_percent: 3,
      market_cap: 999,
      volume_24h: 5,
      rank: 1,
    })
  })

  it("is folded from the log, and the same after a restart", () => {
    const candle = { low: 1, high: 4, open: 2, close: 3, volumeBtc: 10 }
    const candles = ["2026-11-19", "2026-11-17"].map((day) => ({ day, ...candle }))
    const steps = [
      saw(NOW_MS, "btc-candles", { items: candles, facts: {} }),
      saw(NOW_MS + 1_000, "ethereum-gas", gas),
    ] as const
    const whole = foldingBench(latest, eventReader)
    whole.fold(...steps)
    const before = foldingBench(latest, eventReader)
    before.fold(steps[0])
    const restarted = foldingBench(latest, eventReader, before.checkpoint())
    restarted.fold(steps[1])
    const path = proCryptoDeepEndpoint.path
    expect(JSON.stringify(restarted.view(path))).toBe(JSON.stringify(whole.view(path)))
    const { data } = whole.view(path) as { readonly data: CryptoDeepFull }
    // The oldest first; the gap stays.
    expect(data.btc_30d?.map(({ ts }) => new Date(ts).toISOString().slice(0, 10))).toEqual(["2026-11-17", "2026-11-19"])
    expect(data.eth_gas?.last_block).toBe(25_123_456)
  })
})

describe("what is selected", () => {
  it("is, whatever was read, is withheld and is asked for, exactly that, and each null is explained", async () => {
    const whole = await world()
    const subset = fc.subarray([...inputs])
    fc.assert(
      fc.property(subset, subset, fc.constantFrom(undefined, "30d" as const), (unread, kept, history) => {
        const withheld = new Set<string>(kept)
        const full = Object.fromEntries(
          Object.entries(inputOf).map(([part, input]) => [
            part,
            unread.includes(input) ? null : whole[part as keyof CryptoDeepFull],
          ]),
        ) as unknown as CryptoDeepFull
        const before = JSON.stringify(full)
        const { data, inputs: of } = select(full, history, withheld)
        expect(JSON.stringify(full)).toBe(before)
        const { series, sample_size, notes, ...always } = data
        const shown = { ...always, ...(series === undefined ? {} : { btc_30d: series.btc_30d }) }
        const parts = Object.keys(inputOf).filter((part) => part !== "btc_30d" || history === "30d")
        expect(Object.keys(shown).sort()).toEqual([...parts].sort())
        for (const part of parts as ReadonlyArray<keyof typeof inputOf>)
          expect(Reflect.get(shown, part)).toEqual(withheld.has(inputOf[part]) ? null : full[part])
        expect([...of].sort()).toEqual(
          (parts as ReadonlyArray<keyof typeof inputOf>)
            .map((part) => inputOf[part])
            .filter((input) => !withheld.has(input))
            .sort(),
        )
        expect(Object.keys(view.reads)).toEqual(expect.arrayContaining([...of]))
        expect(unexplainedNulls(data)).toEqual([])
        expect(Object.keys(notes).sort()).toEqual([...parts].sort())
        const lists = Object.entries(shown).filter(([, value]) => Array.isArray(value))
        expect(Object.keys(sample_size).sort()).toEqual(lists.map(([part]) => part).sort())
      }),
      { numRuns: 300 },
    )
  })

  it("says of a part that is withheld another reason than of one that was never read", () => {
    const { data } = select({ ...cryptoDeepExample, network_btc: null }, "30d", new Set(["coins", "candles"]))
    expect(data.notes.coins_top50).toBe("Null: the data of CoinGecko may not be resold by this installation.")
    expect(data.notes.btc_30d).toBe("Null: the data of Coinbase Exchange may not be resold by this installation.")
    expect(data.notes.network_btc).toBe("Null: nothing was read of mempool.space yet.")
    expect(data.notes.exchange_top20_usdt).toMatch(/^Binance/)
    expect(data.sample_size).toEqual({ exchange_top20_usdt: 1 })
    expect(JSON.stringify(data)).not.toContain("62648")
  })

  it("while cold is the same members, null, with their notes", () => {
    const { data, inputs: of } = select(nothing, "30d")
    const { notes, ...members } = data
    expect(members).toEqual({
      coins_top50: null,
      exchange_top20_usdt: null,
      network_btc: null,
      eth_gas: null,
      series: { btc_30d: null },
      sample_size: {},
    })
    expect(unexplainedNulls(data)).toEqual([])
    expect(of).toEqual(inputs)
    expect(proCryptoDeepEndpoint.cold).toEqual(nothing)
  })
})

describe("its parameters and its price", () => {
  const read = makeParameterReader(proCryptoDeepEndpoint)

  it("take 30d and no other history, which may be left out", () => {
    expect(read({ history: "30d" })).toMatchObject({ _tag: "Accepted", parameters: { history: "30d" } })
    expect(read({})).toMatchObject({ _tag: "Accepted", parameters: {} })
    for (const history of ["24h", "30D", "", "30d,24h"])
      expect(read({ history })).toMatchObject({ _tag: "Refused", parameter: "history", allowed: ["30d"] })
  })
  it("are two credits and a minute", () => {
    expect([proCryptoDeepEndpoint.tier, proCryptoDeepEndpoint.credits]).toEqual(["premium", 2])
    expect(proCryptoDeepEndpoint.ttlMs({})).toBe(60_000)
  })
})
