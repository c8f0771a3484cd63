import * as Schema from "effect/Schema"
import { Instant } from "../event.ts"
import { type Parameters, valueFeed } from "../feed.ts"
import { readInstallation } from "../installation.ts"

/** A ticker in capitals, perhaps with a class or an exchange behind it, such as BRK.B. */
export const STOCK_SYMBOL = /^[A-Z0-9]{1,6}([.-][A-Z]{1,2})?$/
/** The same as it may be written in a list: in any case, with a blank on either side. */
export const STOCK_SYMBOL_TEXT = /^ ?[A-Za-z0-9]{1,6}([.-][A-Za-z]{1,2})? ?$/
/** How many symbols are followed at the most: each is a request a minute, of 60 that the source allows. */
export const STOCKS_FOLLOWED_MAX = 50
/** The highest price that is accepted, several times that of the dearest share. */
export const STOCK_PRICE_MAX = 1e7

/** Funds that follow the S&P 500, the Nasdaq-100 and the Dow Jones Industrial Average. */
export const indexSymbols = ["SPY", "QQQ", "DIA"] as const

/** The symbols that are followed unless the setting STOCK_SYMBOLS names others. */
// biome-ignore format: a list
const symbolsByDefault = [
  ...indexSymbols, "IWM", "AAPL", "MSFT", "NVDA", "AMZN", "GOOGL", "META", "TSLA", "AVGO", "JPM", "V", "UNH", "XOM", "WMT",
  "MA", "PG", "JNJ", "HD", "COST", "NFLX", "AMD", "CRM", "COIN", "MSTR", "MARA", "RIOT", "HOOD", "PLTR",
]

/**
 * The symbols of a comma list, in capitals and each once; null for a list with a text that is none, and for an empty one.
 */
export const stockSymbolsOf = (text: string, symbolsMax: number): ReadonlyArray<string> | null => {
  const written = text.split(",")
  // Compared as written: some letters beyond ASCII become one of ASCII in capitals.
  if (written.length > symbolsMax || !written.every((one) => STOCK_SYMBOL_TEXT.test(one))) return null
  return [...new Set(written.map((one) => one.trim().toUpperCase()))]
}

/** The symbols that are polled on schedule. */
export const followedSymbols: ReadonlyArray<string> =
  stockSymbolsOf(readInstallation().stockSymbols, STOCKS_FOLLOWED_MAX) ?? symbolsByDefault

const Price = Schema.Finite.check(Schema.isGreaterThan(0), Schema.isLessThanOrEqualTo(STOCK_PRICE_MAX))

/** The last trade of one share or fund, in US dollars. */
export const StockQuote = Schema.Struct({
  symbol: Schema.String.check(Schema.isPattern(STOCK_SYMBOL)),
  price: Price,
  /** Prices of the session that the trade belongs to; null where the source does not give them. */
  open: Schema.NullOr(Price),
  high: Schema.NullOr(Price),
  low: Schema.NullOr(Price),
  /** The last price of the session before; null where the source does not give it. */
  previousClose: Schema.NullOr(Price),
  /** The time of the trade. It repeats while the market is closed. */
  tradedAt: Instant,
})
export type StockQuote = typeof StockQuote.Type

/** The symbol of an instance. Throws for an instance that is none of the feed's. */
export const symbolOf = ({ symbol }: Parameters): string => {
  if (symbol === undefined || !STOCK_SYMBOL.test(symbol)) throw new TypeError("not a symbol of this feed")
  return symbol
}

export const stockQuotes = valueFeed({
  name: "stock-quotes",
  description: "Last trades of shares and funds listed in the United States, an instance each; others on demand.",
  instances: followedSymbols.map((symbol) => ({ symbol })),
  judgedAs: "one",
  value: StockQuote,
  key: "quote",
  revision: ({ price, tradedAt }) => JSON.stringify([price, tradedAt]),
  happenedAt: ({ tradedAt }) => tradedAt,
  // From Friday's close to the opening on the Tuesday after a holiday.
  contentAgeMax: "4 days",
})
