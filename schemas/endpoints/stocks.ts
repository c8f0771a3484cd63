import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import { endpoint } from "../contract/endpoint.ts"
import { changeText, clause, itemWords, largest, numberText, unknown } from "../contract/glance.ts"
import { ranking } from "../contract/plot.ts"
import {
  indexSymbols,
  STOCK_SYMBOL_TEXT,
  STOCKS_FOLLOWED_MAX,
  StockQuote,
  stockQuotes,
  stockSymbolsOf,
} from "../feeds/stock-quotes.ts"
import { rounded } from "../number.ts"

/** How many symbols one request may name. */
export const STOCKS_ASKED_MAX = 35
/** How many gainers, and how many losers, are shown. */
export const STOCK_MOVERS_MAX = 10
const WRONG = `must be a comma list of 1 to ${STOCKS_ASKED_MAX} tickers, such as AAPL,BRK.B`
const askedIn = (text: string): ReadonlyArray<string> | null => stockSymbolsOf(text, STOCKS_ASKED_MAX)

/** Tickers in any case and order. Encoding gives them in capitals, sorted and each once, so that equal lists have one text. */
const Symbols: Schema.Codec<ReadonlyArray<string>, string> = Schema.String.check(
  Schema.makeFilter((text) => (askedIn(text) === null ? WRONG : undefined)),
).pipe(
  Schema.decodeTo(
    Schema.Array(StockQuote.fields.symbol)
      .check(Schema.isMinLength(1), Schema.isMaxLength(STOCKS_ASKED_MAX))
      .annotate({ description: WRONG }),
    {
      decode: SchemaGetter.transform((text) => (askedIn(text) ?? []).toSorted()),
      encode: SchemaGetter.transform((symbols) => symbols.join(",")),
    },
  ),
)

const { symbol, price, high, low, tradedAt } = StockQuote.fields

const described = {
  symbol,
  price: price.annotate({ description: "Price of the last trade, US dollars", unit: "USD" }),
  high: high.annotate({ description: "Highest price of the session, US dollars", unit: "USD" }),
  low: low.annotate({ description: "Lowest price of the session, US dollars", unit: "USD" }),
  as_of: tradedAt.annotate({ description: "When the last trade was; it repeats while the market is closed" }),
}

/** A quote whose change is known. */
const Mover = Schema.Struct({
  ...described,
  change_percent: Schema.Finite.annotate({ description: "Change against the previous close, percent" }),
  change: Schema.Finite.annotate({ description: "Change against the previous close, US dollars", unit: "USD" }),
  previous_close: price.annotate({ description: "Last price of the session before, US dollars", unit: "USD" }),
})
export type StockMover = typeof Mover.Type

const Quote = Schema.Struct({
  ...described,
  change_percent: Schema.NullOr(Mover.fields.change_percent).annotate({
    description: "Change against the previous close, percent; null where that is not known",
  }),
  change: Schema.NullOr(Mover.fields.change),
  previous_close: Schema.NullOr(Mover.fields.previous_close),
})
export type StockQuoteRow = typeof Quote.Type

export const stocksEndpoint = endpoint({
  path: "/api/stocks",
  name: "stocks",
  kind: "on-demand",
  tier: "free",
  subject: "markets",
  ttl: "15 seconds",
  summary: "US shares: gainers, losers, and funds that follow the three main indices",
  description: [
    "Without `symbols`, the shares that this service follows. Named symbols that it does not follow are fetched when they are",
    "requested, a few each minute for all callers together; those without a quote stand in `not_followed`. Prices may be",
    "delayed by 15 minutes or be those of a single venue. `indices` are SPY, QQQ and DIA, and always stand.",
  ].join(" "),
  parameters: {
    symbols: {
      schema: Symbols,
      text: { pattern: STOCK_SYMBOL_TEXT.source },
      description: `Tickers, 1 to ${STOCKS_ASKED_MAX}, comma separated, in any case`,
      optional: true,
      example: "AAPL,BRK.B",
    },
  },
  // All followed symbols.
  prepared: [{}],
  data: Schema.Struct({
    gainers: Schema.Array(Mover).check(Schema.isMaxLength(STOCK_MOVERS_MAX)).annotate({
      description: "Prices above the previous close, the largest change in percent first",
    }),
    losers: Schema.Array(Mover).check(Schema.isMaxLength(STOCK_MOVERS_MAX)).annotate({
      description: "Prices below the previous close, the largest change in percent first",
    }),
    indices: Schema.Array(Mover)
      .check(Schema.isMaxLength(indexSymbols.length))
      .annotate({ description: "SPY, QQQ and DIA in this order, without those whose change is not known" }),
    quotes: Schema.Array(Quote)
      .check(Schema.isMaxLength(STOCKS_FOLLOWED_MAX))
      .annotate({ description: "Every symbol that was named, or that is followed, and has a quote, by symbol" }),
    not_followed: Schema.Array(symbol).check(Schema.isMaxLength(STOCKS_ASKED_MAX)).annotate({
      description: "Named symbols without a quote: unknown to the source, or beyond what may be fetched on request",
    }),
  }),
  changes: [{ feed: stockQuotes, symbol: "symbol", title: ({ symbol, price }) => itemWords(symbol, price) }],
  glance: {
    title: "S&P 500 fund",
    plots: ({ gainers, losers, indices }) => [
      ranking(
        "Change on the previous close",
        "%",
        [...indices, ...gainers, ...losers]
          .toSorted((one, other) => other.change_percent - one.change_percent)
          .map(({ symbol, change_percent }) => ({ label: symbol, value: rounded(change_percent, 2) })),
      ),
    ],
    headline: ({ indices, gainers, losers }) => {
      const fund = indices.find(({ symbol }) => symbol === indexSymbols[0])
      const moved = largest([...gainers, ...losers], ({ change_percent }) => Math.abs(change_percent))?.item
      const mover = moved === undefined ? null : `the most ${moved.symbol} ${changeText(moved.change_percent)}`
      if (fund === undefined) return unknown(clause(`${indexSymbols[0]} has no quote`, mover))
      const price = `${fund.symbol} at ${numberText(fund.price, 2)} USD`
      return {
        value: rounded(fund.change_percent, 2),
        unit: "%",
        note: clause(price, "change on the previous close", mover),
      }
    },
  },
  example: {
    gainers: [],
    losers: [
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
    ],
    indices: [
      {
        symbol: "SPY",
        price: 676.66,
        change_percent: -0.6957,
        change: -4.74,
        high: 683.38,
        low: 676.42,
        previous_close: 681.4,
        as_of: "2026-06-12T20:00:00.000Z",
      },
    ],
    quotes: [
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
    ],
    not_followed: ["BRK.B"],
  },
})
