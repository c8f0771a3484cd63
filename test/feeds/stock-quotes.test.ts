import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { makePlan } from "../../ingestors/plan.ts"
import { finnhubAccess, stocksOnRequestMax } from "../../ingestors/providers/finnhub.ts"
import { stooqAccess } from "../../ingestors/providers/stooq.ts"
import finnhub from "../../ingestors/sources/finnhub.ts"
import stooq from "../../ingestors/sources/stooq.ts"
import stockQuotesTable from "../../processors/tables/stock_quotes/table.ts"
import stocks from "../../processors/views/stocks.ts"
import { type StockMover, type StockQuoteRow, stocksEndpoint } from "../../schemas/endpoints/stocks.ts"
import { followedSymbols, type StockQuote, stockQuotes, stockSymbolsOf } from "../../schemas/feeds/stock-quotes.ts"
import { rounded } from "../../schemas/number.ts"
import { stockAt } from "../world/stocks.ts"
import simulatedFinnhub from "../world/upstreams/finnhub.ts"
import simulatedStooq from "../world/upstreams/stooq.ts"
import { worldAt } from "../world/world.ts"
import { capturesAbsent, collectedCapture, decodedCapture } from "./support/captures.ts"
import { feedTest, polled } from "./support/feed-test.ts"
import { normalised, refusedBy } from "./support/read.ts"
import { OBSERVED_AT, PROVIDER } from "./support/rows.ts"
import { reading, shown } from "./support/shown.ts"
import { observed, upstreamOf } from "./support/world.ts"

// A Friday, before New York opens.
const NOW_MS = Date.parse("2026-11-20T12:34:56.789Z")
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const AAPL = { symbol: "AAPL" }

type Answer = Parameters<typeof finnhub.read>[0]
type Table = Parameters<typeof stooq.read>[0]
interface Shown {
  readonly gainers: ReadonlyArray<StockMover>
  readonly losers: ReadonlyArray<StockMover>
  readonly indices: ReadonlyArray<StockMover>
  readonly quotes: ReadonlyArray<StockQuoteRow>
  readonly not_followed: ReadonlyArray<string>
}

const answer = (members: object = {}) => ({
  c: 100,
  d: 1,
  dp: 1,
  h: 102,
  l: 98,
  o: 99,
  pc: 99,
  t: 1781294400,
  ...members,
})
const cells = (members: object = {}): Table["rows"][number] => ({
  Symbol: "AAPL.US",
  Date: "2026-06-12",
  Time: "22:00:01",
  Open: 99,
  High: 102,
  Low: 98,
  Close: 100,
  ...members,
})
const tableOf = (...rows: Table["rows"]): Table => ({ columns: Object.keys(cells()), rows })
const quoteOf = (members: object = {}, parameters = AAPL) =>
  normalised(finnhub, answer(members) as Answer, { parameters, observedAtMs: NOW_MS })
const quote = (symbol: string, price: number, previousClose: number | null): StockQuote => ({
  symbol,
  price,
  open: null,
  high: null,
  low: null,
  previousClose,
  tradedAt: "2026-11-19T21:00:00.000Z",
})
const show = (quotes: ReadonlyArray<StockQuote>, symbols?: string) =>
  shown(
    stocks,
    quotes.map((one) => reading(one, { symbol: one.symbol })),
    { nowMs: NOW_MS, parameters: symbols === undefined ? {} : { symbols } },
  ) as Shown
const symbolsOf = (rows: ReadonlyArray<{ readonly symbol: string }>) => rows.map(({ symbol }) => symbol)
const decodeSymbols = Schema.decodeUnknownExit(stocksEndpoint.parameters.symbols.schema)
/** The canonical text of a list, as a view gets it. */
const canonical = (text: string): string => {
  const { schema } = stocksEndpoint.parameters.symbols
  return Schema.encodeSync(schema)(Schema.decodeSync(schema)(text))
}

const item: StockQuote = { ...quote("AAPL", 291.15, 295.63), high: 297.14 }
const row = {
  symbol: "AAPL",
  price: 291.15,
  open: null,
  high: 297.14,
  low: null,
  previous_close: 295.63,
  traded_at: "2026-11-19T21:00:00.000Z",
  provider: PROVIDER,
  observed_at: OBSERVED_AT,
}

feedTest({
  feed: stockQuotes,
  polls: [
    polled({
      source: finnhub,
      world: simulatedFinnhub,
      freeText: false,
      breakRow: null,
      refused: [
        ["a symbol that is not known", { c: 0, h: 0, l: 0, o: 0, pc: 0, t: 0 }, /no quote/],
        ["a quote without a price", { c: null, t: 1781294400 }, /no quote/],
        ["a quote without a time", { c: 5 }, /no quote/],
        ["a symbol beyond the plan", { error: "You don't have access to this resource." }, /symbol is refused/],
        ["a price beyond any share's", { c: 1e8, t: 1781294400 }, /no quote/],
        ["a trade in the future", { c: 5, t: NOW_MS / 1000 + 3600 }, /lies in the future/],
      ],
    }),
    polled({
      source: stooq,
      world: simulatedStooq,
      freeText: false,
      breakRow: null,
      refused: [
        ["a quote of another symbol", tableOf(cells()), /another symbol/],
        ["a symbol that is not known", tableOf(cells({ Symbol: "SPY.US", Close: "N/D" })), /no quote/],
        ["a quote without a time", tableOf(cells({ Symbol: "SPY.US", Time: "N/D" })), /no quote/],
        ["an empty table", tableOf(), /another symbol/],
      ],
    }),
  ],
  views: [stocks],
  table: stockQuotesTable,
  rows: [
    { kind: "changed", parameters: AAPL, item, makes: row },
    { kind: "gone", parameters: AAPL, item, makes: null },
  ],
})

describe.skipIf(capturesAbsent)("captured quotes", () => {
  it("of Finnhub: the last trade of a day on which the S&P 500 fell", () => {
    const collected = collectedCapture(finnhub, "quote", "quote-spy-2022-12-28.json")
    const { payload, contentAtMs } = normalised(finnhub, collected, { parameters: { symbol: "SPY" } })
    expect(contentAtMs).toBe(Date.parse("2022-12-28T21:00:00Z"))
    expect(show([payload]).indices).toEqual([
      {
        symbol: "SPY",
        price: 376.66,
        change_percent: -1.2428,
        change: -4.74,
        high: 383.38,
        low: 376.42,
        previous_close: 381.4,
        as_of: "2022-12-28T21:00:00.000Z",
      },
    ])
  })
  it("of Finnhub: a share whose symbol the request names", () => {
    const collected = collectedCapture(finnhub, "quote", "quote-symbol-not-stated-2026-06-12.json")
    const { payload } = normalised(finnhub, collected, { parameters: AAPL })
    expect(payload.open).toBe(296.04)
    expect(show([payload]).losers).toEqual([
      {
        symbol: "AAPL",
        price: 291.15,
        change_percent: -1.5154,
        change: -4.48,
        high: 297.14,
        low: 289.62,
        previous_close: 295.63,
        as_of: "2026-06-12T20:00:00.000Z",
      },
    ])
  })
  it("of Finnhub that refuse a symbol, or do not know it", () => {
    const refused = (file: string) =>
      refusedBy(finnhub, decodedCapture<Answer>(finnhub, "quote", file), { parameters: AAPL })
    expect(refused("quote-unknown-symbol-zeros-and-nulls.json")?.message).toMatch(/no quote/)
    expect(refused("error-subscription-required.json")).toMatchObject({ message: "the symbol is refused" })
  })
  it("of Stooq: a share at the close of New York, whose time is that of Warsaw, without a previous close", () => {
    const file = "light-quote-with-name-nvr-us-2021-12-31.csv"
    const collected = collectedCapture(stooq, "light", file)
    const parameters = stooq.recordedParameters(decodedCapture(stooq, "light", file))
    expect(parameters).toEqual({ symbol: "NVR" })
    const { payload, contentAtMs } = normalised(stooq, collected, { parameters: { symbol: "NVR" } })
    expect(contentAtMs).toBe(Date.parse("2021-12-31T21:00:37Z"))
    expect(payload).toMatchObject({ open: 5884.1, previousClose: null })
    expect(show([payload], "NVR")).toEqual({
      gainers: [],
      losers: [],
      indices: [],
      quotes: [
        {
          symbol: "NVR",
          price: 5908.87,
          change_percent: null,
          change: null,
          high: 5917.7,
          low: 5850.5,
          previous_close: null,
          as_of: "2021-12-31T21:00:37.000Z",
        },
      ],
      not_followed: [],
    })
  })
  it("of Stooq for a symbol that it does not know are none", () => {
    const file = "light-quote-unknown-symbol-nd.csv"
    const parameters = stooq.recordedParameters(decodedCapture(stooq, "light", file)) ?? {}
    expect(parameters).toEqual({ symbol: "APPL" })
    expect(refusedBy(stooq, collectedCapture(stooq, "light", file), { parameters })?.message).toMatch(/no quote/)
  })
  it("of Stooq by day are recorded only", () => {
    const daily = decodedCapture<{ readonly rows: ReadonlyArray<Record<string, string>> }>(
      stooq,
      "daily",
      "daily-tsm-us-2005-to-2025-01-08.csv",
    )
    expect(daily.rows.at(-1)).toMatchObject({ Date: "2025-01-08", Close: "206.58", Volume: "4259856" })
  })
})

describe("a quote", () => {
  it("has null where the source has zero, null or nothing, and where its prices contradict each other", () => {
    expect(quoteOf({ h: 0, l: 0, o: 0, pc: 0 }).payload).toMatchObject({
      price: 100,
      open: null,
      high: null,
      low: null,
      previousClose: null,
    })
    expect(quoteOf({ h: null, l: undefined, o: null, pc: null }).payload).toMatchObject({ high: null, low: null })
    expect(quoteOf({ h: 99, l: 98 }).payload).toMatchObject({ high: null, low: null })
  })
  it("is changed by price or time, and not by the rest", () => {
    const isRevised = (members: object) => stockQuotes.isRevised(quoteOf().payload, quoteOf(members).payload)
    expect([isRevised({ h: 103, o: 98.5 }), isRevised({ c: 100.5 }), isRevised({ t: 1781294401 })]).toEqual([
      false,
      true,
      true,
    ])
  })
  it("of Stooq is in Warsaw's summer and winter time", () => {
    const tradedAt = (date: string, time: string) =>
      normalised(stooq, tableOf(cells({ Date: date, Time: time })), { parameters: AAPL }).payload.tradedAt
    expect(tradedAt("2026-06-12", "22:00:01")).toBe("2026-06-12T20:00:01.000Z")
    expect(tradedAt("2026-12-11", "22:00:01")).toBe("2026-12-11T21:00:01.000Z")
  })
  it("of a share with a class is requested by each source's own name of it", () => {
    const [atFinnhub, atStooq] = [finnhub.documents.quote, stooq.documents.light]
    const parameters = { symbol: "BRK.B" }
    expect(atFinnhub?.url({ parameters, key: "k", observedAtMs: 0 })).toBe(
      "https://finnhub.io/api/v1/quote?symbol=BRK.B",
    )
    expect(atStooq?.url(parameters)).toBe("https://stooq.com/q/l/?s=brk-b.us&f=sd2t2ohlcv&h&e=csv")
    expect([finnhub.provider(parameters), stooq.provider(parameters)]).toEqual(["Finnhub.brk_b", "Stooq.brk_b"])
    const brk = cells({ Symbol: "BRK-B.US" })
    expect(normalised(stooq, tableOf(brk), { parameters }).payload.symbol).toBe("BRK.B")
  })
  it.each([
    ["a wrong key", "wrong-key", "AAPL", { _tag: "HttpFailed", status: 401 }],
    ["no key", null, "AAPL", { _tag: "HttpFailed", status: 401 }],
  ])("is refused with %s", async (_, key, symbol, failure) => {
    const exit = await Effect.runPromiseExit(
      finnhub.collect(upstreamOf(simulatedFinnhub, worldAt("test", NOW_MS)), {
        parameters: { symbol },
        key,
        observedAtMs: NOW_MS,
      }),
    )
    expect(Exit.findErrorOption(exit)).toMatchObject({ value: failure })
  })
  it("that the plan does not hold says nothing against the key; an answer that names the key does", async () => {
    const collected = await Effect.runPromise(
      finnhub.collect(upstreamOf(simulatedFinnhub, worldAt("test", NOW_MS)), {
        parameters: { symbol: "RY.TO" },
        key: "a-key",
        observedAtMs: NOW_MS,
      }),
    )
    const reasonOf = (one: Answer) => {
      const refusal = refusedBy(finnhub, one, { parameters: AAPL })
      return refusal !== undefined && "reason" in refusal ? refusal.reason : undefined
    }
    expect(refusedBy(finnhub, collected, { parameters: AAPL })?.message).toBe("the symbol is refused")
    expect(reasonOf(collected)).toBeUndefined()
    expect(reasonOf({ error: "Invalid API key" })).toBe("key_refused")
  })
})

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
  it("are named 35 at the most, repeated ones once", () => {
    const many = Array.from({ length: 36 }, (_, index) => `A${index}`)
    expect(Exit.isFailure(decodeSymbols(many.join(",")))).toBe(true)
    expect(Exit.isSuccess(decodeSymbols(many.slice(1).join(",")))).toBe(true)
    expect(Exit.isSuccess(decodeSymbols([...many.slice(1), "a1"].join(",")))).toBe(true)
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
  it("of the world are the same from both sources while the market is closed, but for the previous close", async () => {
    const [one, other] = await Promise.all([
      observed(finnhub, simulatedFinnhub, NOW_MS, AAPL),
      observed(stooq, simulatedStooq, NOW_MS, AAPL),
    ])
    expect(other).toEqual({ ...one, payload: { ...one.payload, previousClose: null } })
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

describe("the list of followed symbols", () => {
  it("has 31 by default, and is read from a setting of up to 50", () => {
    expect(followedSymbols).toHaveLength(31)
    expect(stockQuotes.instances).toEqual(followedSymbols.map((symbol) => ({ symbol })))
    expect(stockSymbolsOf(" aapl, brk.b,AAPL", 50)).toEqual(["AAPL", "BRK.B"])
    for (const wrong of ["", "AAPL,,MSFT", "A*"]) expect(stockSymbolsOf(wrong, 50)).toBeNull()
    const many = (count: number) => Array.from({ length: count }, (_, index) => `S${index}`).join(",")
    expect(stockSymbolsOf(many(50), 50)).toHaveLength(50)
    expect(stockSymbolsOf(many(51), 50)).toBeNull()
  })
  it("leaves room for requests within the quota of a minute", () => {
    expect(stocksOnRequestMax).toBe(25)
    const [quota] = finnhubAccess.quotas
    expect(followedSymbols.length + (quota?.onRequestMax ?? 0)).toBeLessThanOrEqual(quota?.requestsMax ?? 0)
    const aDay = (followedSymbols.length * DAY_MS) / stooq.everyMs(AAPL)
    expect(aDay).toBeLessThanOrEqual((stooqAccess.quotas.find(({ per }) => per === "day")?.requestsMax ?? 0) - 50)
  })
  it("is polled from Stooq without a key, seldom, and from Finnhub with one", () => {
    const planOf = (key: string | null) => makePlan([finnhub, stooq] as never, () => key, null)
    const [withKey] = planOf("a-key").scheduled
    expect(withKey?.candidates.map(({ provider }) => provider)).toEqual(["Finnhub.spy", "Stooq.spy"])
    expect(withKey?.everyMs).toBe(60_000)
    const without = planOf(null)
    expect(without.scheduled.map(({ candidates: [first] }) => first.provider)[0]).toBe("Stooq.spy")
    expect(without.scheduled[0]?.everyMs).toBe(2 * HOUR_MS)
    expect(without.resting).toEqual([{ source: "finnhub", reason: "not_configured", setting: "FINNHUB_KEY" }])
    expect(without.demanded("stock-quotes", AAPL)?.candidates.map(({ provider }) => provider)).toEqual(["Stooq.aapl"])
  })
})
