import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import finnhub from "../../ingestors/sources/finnhub.ts"
import stooq from "../../ingestors/sources/stooq.ts"
import stocks from "../../processors/views/stocks.ts"
import { stocksEndpoint } from "../../schemas/endpoints/stocks.ts"
import { followedSymbols } from "../../schemas/feeds/stock-quotes.ts"
import { rounded } from "../../schemas/number.ts"
import { stockAt } from "../world/stocks.ts"
import simulatedFinnhub from "../world/upstreams/finnhub.ts"
import simulatedStooq from "../world/upstreams/stooq.ts"
import { worldAt } from "../world/world.ts"
import { AAPL, DAY_MS, HOUR_MS, NOW_MS, quote, show } from "./support/stock-quotes.ts"
import { observed } from "./support/world.ts"

const symbolsOf = (rows: ReadonlyArray<{ readonly symbol: string }>) => rows.map(({ symbol }) => symbol)
const decodeSymbols = Schema.decodeUnknownExit(stocksEndpoint.parameters.symbols.schema)
/** The canonical text of a list, as a view gets it. */
const canonical = (text: string): string => {
  const { schema } = stocksEndpoint.parameters.symbols
  return Schema.encodeSync(schema)(Schema.decodeSync(schema)(text))
}

describe("stocks", () => {
  const listed = [
    quote("DIA", 400, 404),
    quote("SPY", 600, 590),
    quote("QQQ", 500, 500),
    ...Array.from({ length: 12 }, (_, index) => quote(followedSymbols[4 + index] ?? "", 100 + index, 100)),
    ...Array.from({ length: 11 }, (_, index) => quote(followedSymbols[16 + index] ?? "", 99 - index, 100)),
    quote("PLTR", 50, null),
  ]

  it("are ten gainers and ten losers, the largest first, with the indices apart in their order", () => {
    const data = show(listed)
    expect(data.gainers.map(({ change_percent }) => change_percent)).toEqual([11, 10, 9, 8, 7, 6, 5, 4, 3, 2])
    expect(data.losers.map(({ change_percent }) => change_percent)).toEqual([-11, -10, -9, -8, -7, -6, -5, -4, -3, -2])
    expect(data.indices.map(({ symbol, change }) => [symbol, change])).toEqual([
      ["SPY", 10],
      ["QQQ", 0],
      ["DIA", -4],
    ])
    // What has not moved, or is not known to have, stands among the quotes alone.
    const still = quote(followedSymbols[4] ?? "", 100, 100).symbol
    expect(symbolsOf([...data.gainers, ...data.losers])).not.toContain(still)
    expect(symbolsOf(data.quotes)).toEqual(symbolsOf(listed).toSorted())
    expect(data.quotes.find(({ symbol }) => symbol === "PLTR")).toMatchObject({ change: null, change_percent: null })
    expect(data.not_followed).toEqual([])
  })
  it("leave out an index without a quote or without a previous close", () => {
    expect(symbolsOf(show([quote("SPY", 600, null), quote("DIA", 400, 404)]).indices)).toEqual(["DIA"])
  })
  it("move equally by symbol", () => {
    expect(symbolsOf(show([quote("V", 11, 10), quote("AMD", 22, 20), quote("MA", 33, 30)]).gainers)).toEqual([
      "AMD",
      "MA",
      "V",
    ])
  })
  it("that were named are those shown, beside the indices, and those without a quote are listed", () => {
    const data = show([...listed, quote("IBM", 12, 10)], "AMZN,IBM,SPY,ZZZZ")
    expect(symbolsOf(data.gainers)).toEqual(["IBM", "AMZN"])
    expect(symbolsOf(data.quotes)).toEqual(["AMZN", "IBM", "SPY"])
    expect(symbolsOf(data.indices)).toEqual(["SPY", "QQQ", "DIA"])
    expect(data.not_followed).toEqual(["ZZZZ"])
  })
  it("of any list are those of a plain filter over the same quotes", () => {
    const pool = [...symbolsOf(listed), "IBM", "ZZZZ", "BRK.B"]
    const spelled = fc
      .constantFrom(...pool)
      .chain((symbol) => fc.constantFrom(symbol, symbol.toLowerCase(), ` ${symbol} `))
    fc.assert(
      fc.property(fc.array(spelled, { minLength: 1, maxLength: 60 }), (given) => {
        const text = canonical(given.join(","))
        const named = new Set(given.map((one) => one.trim().toUpperCase()))
        expect(text).toBe([...named].toSorted().join(","))
        const data = show(listed, text)
        const all = show(listed).quotes
        expect(data.quotes).toEqual(all.filter(({ symbol }) => named.has(symbol)))
        const moved = data.quotes.filter(
          ({ symbol, change_percent }) => !["SPY", "QQQ", "DIA"].includes(symbol) && (change_percent ?? 0) !== 0,
        )
        const ten = (sign: number) =>
          moved
            .filter(({ change_percent }) => (change_percent ?? 0) * sign > 0)
            .toSorted((one, other) => ((other.change_percent ?? 0) - (one.change_percent ?? 0)) * sign)
            .slice(0, 10)
        expect(data.gainers).toEqual(ten(1))
        expect(data.losers).toEqual(ten(-1))
        expect(data.indices).toEqual(show(listed).indices)
        expect(data.not_followed).toEqual([...named].filter((one) => !symbolsOf(all).includes(one)).toSorted())
      }),
    )
  })
  it.each(["", " ", "AAPL,", "TOOLONGX", "A B", "AAPL;MSFT", "BRK.BBB", "../x", "AAPL,\u0410APL", "x".repeat(501)])(
    "are refused for the list %j",
    (text) => {
      expect(Exit.isFailure(decodeSymbols(text))).toBe(true)
    },
  )
  it("are named 35 at the most, repeated ones too", () => {
    const many = Array.from({ length: 36 }, (_, index) => `A${index}`)
    expect(Exit.isFailure(decodeSymbols(many.join(",")))).toBe(true)
    expect(Exit.isSuccess(decodeSymbols(many.slice(1).join(",")))).toBe(true)
    expect(Exit.isFailure(decodeSymbols([...many.slice(1), "a1"].join(",")))).toBe(true)
  })
  it("read the named symbols and the indices that are followed, each once", () => {
    const read = (parameters: Readonly<Record<string, string>>) =>
      stocks.reads.quotes?.instances(parameters).map(({ symbol }) => symbol)
    expect(read({ symbols: "AAPL,SPY" })).toEqual(["AAPL", "SPY", "QQQ", "DIA"])
    expect(read({})?.toSorted()).toEqual(followedSymbols.toSorted())
  })
  it("of the world are those of Finnhub, and rise and fall", async () => {
    const quotes = await Promise.all(
      followedSymbols.map(async (symbol) => (await observed(finnhub, simulatedFinnhub, NOW_MS, { symbol })).payload),
    )
    const data = show(quotes)
    expect(data.gainers.length).toBeGreaterThan(0)
    expect(data.losers.length).toBeGreaterThan(0)
    expect(symbolsOf(data.indices)).toEqual(["SPY", "QQQ", "DIA"])
    for (const { symbol, price, change, previous_close } of data.quotes) {
      const stock = stockAt(worldAt("test", NOW_MS), symbol, NOW_MS)
      expect([price, previous_close]).toEqual([stock?.price, stock?.previousClose])
      expect(change).toBe(rounded(price - (previous_close ?? 0), 4))
    }
  })
  it("of the world are the same from both sources while the market is closed", async () => {
    const [one, other] = await Promise.all([
      observed(finnhub, simulatedFinnhub, NOW_MS, AAPL),
      observed(stooq, simulatedStooq, NOW_MS, AAPL),
    ])
    expect(other).toEqual(one)
  })
  it("of each day of the world hold a closed market, whose last trade repeats", () => {
    for (let day = 0; day < 7; day++) {
      const at = (hour: number) => {
        const atMs = Math.floor(NOW_MS / DAY_MS + day) * DAY_MS + hour * HOUR_MS
        return stockAt(worldAt("test", atMs), "AAPL", atMs)
      }
      expect(at(12)?.tradedMs).toBe(at(13)?.tradedMs)
      const isWeekend = [1, 2].includes(day)
      expect(at(16)?.tradedMs === at(17)?.tradedMs).toBe(isWeekend)
    }
  })
})
