import {
  STOCK_MOVERS_MAX,
  type StockMover,
  type StockQuoteRow,
  stocksEndpoint,
} from "../../schemas/endpoints/stocks.ts"
import type { Parameters } from "../../schemas/feed.ts"
import { followedSymbols, indexSymbols, type StockQuote, stockQuotes } from "../../schemas/feeds/stock-quotes.ts"
import { rounded } from "../../schemas/number.ts"
import { changesOf, fromEvery, view } from "../view/view.ts"

const isIndex = (symbol: string): boolean => (indexSymbols as ReadonlyArray<string>).includes(symbol)

/** The symbols that a request names; those that are followed where it names none. Sorted. */
const namedIn = ({ symbols }: Parameters): ReadonlyArray<string> =>
  symbols === undefined ? followedSymbols.toSorted() : symbols.split(",")

/** The instances behind a reply: of the named symbols, and of the indices that are followed. */
const instancesOf = (parameters: Parameters): ReadonlyArray<Parameters> =>
  [...new Set([...namedIn(parameters), ...indexSymbols.filter((one) => followedSymbols.includes(one))])].map(
    (symbol) => ({ symbol }),
  )

const rowOf = ({ symbol, price, high, low, previousClose, tradedAt }: StockQuote): StockQuoteRow => ({
  symbol,
  price,
  change_percent: previousClose === null ? null : rounded(100 * (price / previousClose - 1), 4),
  change: previousClose === null ? null : rounded(price - previousClose, 4),
  high,
  low,
  previous_close: previousClose,
  as_of: tradedAt,
})

const isMover = (row: StockQuoteRow): row is StockMover =>
  row.change_percent !== null && row.change !== null && row.previous_close !== null

/** The largest change in percent first; equal ones by symbol. */
const byChange = (one: StockMover, other: StockMover): number =>
  Math.abs(other.change_percent) - Math.abs(one.change_percent) || (one.symbol < other.symbol ? -1 : 1)

export default view({
  endpoint: stocksEndpoint,
  reads: { quotes: fromEvery(stockQuotes, instancesOf) },
  changes: [changesOf(stockQuotes, rowOf)],
  build: ({ quotes }, { parameters }) => {
    const rows = new Map(
      quotes.flatMap(({ reading }) => (reading === null ? [] : [[reading.payload.symbol, rowOf(reading.payload)]])),
    )
    const named = namedIn(parameters)
    const shown = named.flatMap((symbol) => rows.get(symbol) ?? [])
    const movers = shown.filter(isMover).filter(({ symbol }) => !isIndex(symbol))
    const first = (moved: (change: number) => boolean) =>
      movers
        .filter(({ change_percent }) => moved(change_percent))
        .sort(byChange)
        .slice(0, STOCK_MOVERS_MAX)
    return {
      gainers: first((change) => change > 0),
      losers: first((change) => change < 0),
      indices: indexSymbols.flatMap((symbol) => rows.get(symbol) ?? []).filter(isMover),
      quotes: shown,
      not_followed: parameters.symbols === undefined ? [] : named.filter((symbol) => !rows.has(symbol)),
    }
  },
})
