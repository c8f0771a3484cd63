import * as Exit from "effect/Exit"
import { describe, expect, it } from "vitest"
import type { Source } from "../../ingestors/source.ts"
import binance from "../../ingestors/sources/binance-futures.ts"
import bybit from "../../ingestors/sources/bybit.ts"
import hyperliquid from "../../ingestors/sources/hyperliquid.ts"
import okx from "../../ingestors/sources/okx.ts"
import type { FundingRate } from "../../schemas/feeds/funding-rates.ts"
import { type SimulatedUpstream, withOutages } from "../world/upstream.ts"
import binanceWorld from "../world/upstreams/binance-futures.ts"
import bybitWorld from "../world/upstreams/bybit.ts"
import hyperliquidWorld from "../world/upstreams/hyperliquid.ts"
import okxWorld from "../world/upstreams/okx.ts"
import { worldAt } from "../world/world.ts"
import { COMING_MS, interval, ofBinance, premium, swap } from "./support/perpetuals.ts"
import { normalised, readBy, refusedBy } from "./support/read.ts"
import { collect, observed, pollFailure, upstreamOf } from "./support/world.ts"

// Which contracts of a venue are kept, and what is known of them.

const NOW_MS = Date.parse("2026-11-20T12:34:56.789Z")
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

describe("the contracts of a venue", () => {
  it("are undated, traded and settled in USDT", () => {
    const symbols = (...premiums: ReadonlyArray<object>) => ofBinance(premiums).items.map(({ symbol }) => symbol)
    expect(
      symbols(
        premium(),
        premium({ symbol: "海龟USDT" }),
        premium({ symbol: "1000KELPUSDT" }),
        premium({ symbol: "BTCUSDT_270326", lastFundingRate: "", nextFundingTime: 0 }),
        premium({ symbol: "TIDEUSDT", lastFundingRate: "" }),
        premium({ symbol: "WRECKUSDT", lastFundingRate: "0", nextFundingTime: 0 }),
        premium({ symbol: "BTCUSDC" }),
        premium({ symbol: "USDT" }),
      ),
    ).toEqual(["1000KELPUSDT", "KELPUSDT", "海龟USDT"])
  })
  it("have no guessed period: of an interval that cannot be read a contract is left out, and counted", () => {
    const listed = (hours: unknown) =>
      readBy(binance, {
        premiums: [premium(), premium({ symbol: "HULLUSDT" }), premium({ symbol: "TIDEUSDT" })],
        intervals: [{ symbol: "TIDEUSDT", fundingIntervalHours: hours }],
      }).unreadable.map(({ problem }) => problem)
    expect(listed(4)).toEqual([])
    for (const hours of [null, undefined, "soon", 0, -8, 25])
      expect([hours, listed(hours)]).toEqual([hours, ["the hours of its period are unknown"]])
  })
  it("are none where the list of intervals fails, is empty, or names no contract", async () => {
    for (const body of [[], {}, [{ fundingIntervalHours: 4 }], [{ symbol: "TIDEUSDT" }]]) {
      const answer: typeof binanceWorld.answer = (request, world) =>
        request.path === "/fapi/v1/fundingInfo" ? { body } : binanceWorld.answer(request, world)
      const upstream = upstreamOf({ ...binanceWorld, answer }, worldAt("test", NOW_MS))
      expect(await pollFailure(binance, upstream, { venue: "binance" })).toMatchObject({
        value: { _tag: "Undecodable", document: "document" },
      })
    }
  })
  it("have a price of null where it is missing or zero, and no rate of null", () => {
    const read = (members: object) => ofBinance([premium(members)]).items[0]
    for (const markPrice of ["", "0.00000000", null]) expect(read({ markPrice }).markPrice).toBeNull()
    expect(read({ nextFundingTime: "" }).nextFundingTime).toBeNull()
    expect(Object.is(read({ lastFundingRate: "-0" }).periodRate, 0)).toBe(true)
    expect(refusedBy(binance, { premiums: [premium({ lastFundingRate: "1.5" })], intervals: [interval] })).toBeDefined()
  })
  it("of OKX have the period between two payments to the minute, and none without both", () => {
    const hours = (members: object) => {
      const { outcome } = readBy(okx, { swaps: [swap(members)], marks: [] })
      return "payload" in outcome ? outcome.payload.items[0].periodHours : null
    }
    const following = (ms: number) => ({ nextFundingTime: String(COMING_MS + ms) })
    expect(hours(following(4 * 60 * MINUTE_MS))).toBe(4)
    expect(hours(following(60 * MINUTE_MS + 3))).toBe(1)
    for (const members of [following(0), following(-MINUTE_MS), { nextFundingTime: "" }, { fundingTime: "" }])
      expect(hours(members)).toBeNull()
  })
  it("of OKX are shown without prices where those fail", async () => {
    for (const reply of [null, { body: { code: "50011", msg: "Too Many Requests", data: [] } }]) {
      const answer: typeof okxWorld.answer = (request, world) =>
        request.path === "/api/v5/public/mark-price" ? reply : okxWorld.answer(request, world)
      const { payload } = await observed(okx, { ...okxWorld, answer }, NOW_MS, { venue: "okx" })
      expect(payload.items.every(({ markPrice }) => markPrice === null)).toBe(true)
      expect(payload.facts.markets).toBe(63)
    }
    const unclear = normalised(okx, { swaps: [swap()], marks: [{ instId: "KELP-USDT-SWAP", markPx: "n/a" }, null] })
    expect(unclear.payload.items[0].markPrice).toBeNull()
  })
  it("of OKX are none in an error of status 200", async () => {
    const answer = () => ({ body: { code: "50011", msg: "Too Many Requests", data: [] } })
    const upstream = upstreamOf({ ...okxWorld, answer }, worldAt("test", NOW_MS))
    expect(await pollFailure(okx, upstream, { venue: "okx" })).toMatchObject({ value: { _tag: "UpstreamError" } })
  })
  it("are the fifty largest rates, and the three majors whatever theirs", () => {
    const small = ["BTCUSDT", "ETHUSDT", "SOLUSDT"].map((symbol) => premium({ symbol, lastFundingRate: "0" }))
    const others = Array.from({ length: 60 }, (_, at) =>
      premium({ symbol: `C${at + 10}USDT`, lastFundingRate: String((at % 2 === 0 ? 1 : -1) * (at + 1) * 1e-6) }),
    )
    const { items, facts } = ofBinance([...others, ...small])
    expect(facts.markets).toBe(63)
    expect(items).toHaveLength(53)
    expect(items.slice(0, 5).map(({ symbol }) => symbol)).toEqual([
      "BTCUSDT",
      "ETHUSDT",
      "SOLUSDT",
      "C69USDT",
      "C68USDT",
    ])
    expect(items.at(-1)?.symbol).toBe("C20USDT")
  })
})

describe("a day of the world", () => {
  it("has one hour in which Binance refuses callers by law, with a status that the source reports", async () => {
    const dayMs = Math.floor(NOW_MS / DAY_MS) * DAY_MS
    for (let day = 0; day < 7; day++) {
      const refused = Array.from({ length: 24 * 60 }, (_, minute) => dayMs + day * DAY_MS + minute * MINUTE_MS).filter(
        (atMs) => binanceWorld.outage?.(worldAt("test", atMs)) !== null,
      )
      expect(refused).toHaveLength(60)
      const [atMs = 0] = refused
      const upstream = upstreamOf(withOutages(binanceWorld), worldAt("test", atMs))
      expect(await pollFailure(binance, upstream, { venue: "binance" })).toMatchObject({
        value: { _tag: "HttpFailed", status: 451 },
      })
    }
  })
  it("lists dated contracts, delisted ones, and those of another margin, of which none is kept", async () => {
    const polledAt = async <Collected, Payload extends { readonly items: ReadonlyArray<FundingRate> }>(
      source: Source<Collected, Payload>,
      simulated: SimulatedUpstream,
    ) => {
      const [parameters = {}] = source.instances
      const exit = await collect(source, upstreamOf(simulated, worldAt("test", NOW_MS)), parameters)
      if (Exit.isFailure(exit)) throw new Error(String(exit.cause))
      const { payload } = normalised(source, exit.value, { parameters })
      return { raw: JSON.stringify(exit.value), symbols: payload.items.map(({ symbol }) => symbol).join(" ") }
    }
    const atBinance = await polledAt(binance, binanceWorld)
    expect(atBinance.raw).toMatch(/"BTCUSDC".*"BTCUSDT_270326".*"WRECKUSDT"/s)
    expect(atBinance.symbols).not.toMatch(/_|USDC|WRECK/)
    const atBybit = await polledAt(bybit, bybitWorld)
    expect(atBybit.raw).toMatch(/"BTC-26MAR27".*"BTCPERP"/s)
    expect(atBybit.symbols).not.toMatch(/-|PERP/)
    const atOkx = await polledAt(okx, okxWorld)
    expect(atOkx.raw).toMatch(/"BTC-USD-SWAP".*"BTC-USDC-SWAP"/s)
    expect(atOkx.symbols).not.toMatch(/-USDC?-SWAP/)
    const atHyperliquid = await polledAt(hyperliquid, hyperliquidWorld)
    expect(atHyperliquid.raw).toContain('"isDelisted":true')
    expect(atHyperliquid.symbols).not.toContain("WRECK")
  })
})
