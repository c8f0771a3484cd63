import { describe, expect, it } from "vitest"
import finnhub from "../../ingestors/sources/finnhub.ts"
import stooq from "../../ingestors/sources/stooq.ts"
import { capturesAbsent, collectedCapture, decodedCapture } from "./support/captures.ts"
import { normalised, refusedBy } from "./support/read.ts"
import { AAPL, type Answer, show } from "./support/stock-quotes.ts"

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
