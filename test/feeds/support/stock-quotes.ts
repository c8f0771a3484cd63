import type finnhub from "../../../ingestors/sources/finnhub.ts"
import stocks from "../../../processors/views/stocks.ts"
import type { StockMover, StockQuoteRow } from "../../../schemas/endpoints/stocks.ts"
import type { StockQuote } from "../../../schemas/feeds/stock-quotes.ts"
import { reading, shown } from "./shown.ts"

/** A Friday, before New York opens. */
export const NOW_MS = Date.parse("2026-11-20T12:34:56.789Z")
export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS
export const AAPL = { symbol: "AAPL" }

export type Answer = Parameters<typeof finnhub.read>[0]
interface Shown {
  readonly gainers: ReadonlyArray<StockMover>
  readonly losers: ReadonlyArray<StockMover>
  readonly indices: ReadonlyArray<StockMover>
  readonly quotes: ReadonlyArray<StockQuoteRow>
  readonly not_followed: ReadonlyArray<string>
}

export const quote = (symbol: string, price: number, previousClose: number | null): StockQuote => ({
  symbol,
  price,
  open: null,
  high: null,
  low: null,
  previousClose,
  tradedAt: "2026-11-19T21:00:00.000Z",
})
export const show = (quotes: ReadonlyArray<StockQuote>, symbols?: string) =>
  shown(
    stocks,
    quotes.map((one) => reading(one, { symbol: one.symbol })),
    { nowMs: NOW_MS, parameters: symbols === undefined ? {} : { symbols } },
  ) as Shown
