import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { describe, expect, it } from "vitest"
import { makePlan } from "../../ingestors/poll/plan.ts"
import { finnhubAccess, stocksOnRequestMax } from "../../ingestors/providers/finnhub.ts"
import { stooqAccess } from "../../ingestors/providers/stooq.ts"
import finnhub from "../../ingestors/sources/finnhub.ts"
import stooq from "../../ingestors/sources/stooq.ts"
import stocks from "../../processors/views/stocks.ts"
import { followedSymbols, type StockQuote, stockQuotes, stockSymbolsOf } from "../../schemas/feeds/stock-quotes.ts"
import simulatedFinnhub from "../world/upstreams/finnhub.ts"
import simulatedStooq from "../world/upstreams/stooq.ts"
import { worldAt } from "../world/world.ts"
import { feedTest, polled } from "./support/feed-test.ts"
import { normalised, refusedBy } from "./support/read.ts"
import { OBSERVED_AT, PROVIDER } from "./support/rows.ts"
import { AAPL, type Answer, DAY_MS, HOUR_MS, NOW_MS, quote } from "./support/stock-quotes.ts"
import { upstreamOf } from "./support/world.ts"

type Table = Parameters<typeof stooq.read>[0]

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
  rows: [
    { kind: "changed", parameters: AAPL, item, makes: row },
    { kind: "gone", parameters: AAPL, item, makes: null },
  ],
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
    expect(atStooq?.url(parameters)).toBe("https://stooq.com/q/l/?s=brk-b.us&f=sd2t2ohlcvp&h&e=csv")
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
    expect(without.resting).toEqual([
      { source: "finnhub", reason: "not_configured", setting: "FINNHUB_KEY", clause: null },
    ])
    expect(without.demanded("stock-quotes", AAPL)?.candidates.map(({ provider }) => provider)).toEqual(["Stooq.aapl"])
  })
})
