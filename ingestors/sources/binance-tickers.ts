import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import {
  EXCHANGE_CHANGE_MAX_PERCENT,
  EXCHANGE_TICKER_QUOTE,
  exchangeTickerBases,
  exchangeTickers,
} from "../../schemas/feeds/exchange-tickers.ts"
import { percentChange, rounded } from "../../schemas/number.ts"
import { document } from "../document.ts"
import { notOurs, unreadable } from "../poll/read.ts"
import { binanceData, tickerMembers } from "../readers/binance.ts"
import { AHEAD_MAX_MS, instantOrNull, latestOf, newestMs } from "../readers/instants.ts"
import { positive, priceRange, within } from "../readers/numbers.ts"
import { Decimal, EpochMs, maybe } from "../readers/wire.ts"
import { listSource } from "../source.ts"

/** The 24 hours of one pair of many. */
const Ticker = Schema.Struct({
  ...tickerMembers,
  openTime: maybe(EpochMs),
  closeTime: EpochMs,
  /** Trades. */
  count: maybe(Decimal),
})

/** A ticker, and the newest close of all in its answer. */
const Row = Schema.Struct({ ticker: Ticker, newestCloseMs: Schema.Finite })
type Row = typeof Row.Type

const basesByPair = new Map(exchangeTickerBases.map((base) => [`${base}${EXCHANGE_TICKER_QUOTE}`, base]))

const symbolOf = (row: unknown): unknown =>
  typeof row === "object" && row !== null && "symbol" in row ? row.symbol : undefined
const closeMsOf = (row: unknown): number =>
  typeof row === "object" && row !== null && "closeTime" in row && typeof row.closeTime === "number" ? row.closeTime : 0

/** A list of which some row names a pair, which distinguishes it from other lists, such as candles. */
const Tickers = Schema.Array(Schema.Unknown).check(
  Schema.makeFilter((rows) => rows.some((row) => symbolOf(row) !== undefined) || "it holds no pair"),
)

const TICKERS = "https://api.binance.com/api/v3/ticker/24hr"

const followed = document({
  format: "json",
  wire: Tickers,
  url: `${TICKERS}?symbols=${encodeURIComponent(JSON.stringify([...basesByPair.keys()]))}`,
})
/** Every pair of the venue, some 3,000: requested if the venue refuses the short list, as it does if it lacks one of its pairs. */
const every = document({ format: "json", wire: Tickers, url: TICKERS })

const HOUR_MS = 3_600_000
/** A pair is dead whose statistics end this long before those of the others. */
const BEHIND_MAX_MS = HOUR_MS
/** The statistics cover 24 hours; if they begin longer before their end, the pair is no longer traded. */
const SPAN_MAX_MS = 25 * HOUR_MS

/** Whether a pair is traded: the statistics of a halted or delisted pair are zeros, or never change again. */
const isTraded = ({ ticker, newestCloseMs }: Row): boolean =>
  ticker.lastPrice !== 0 &&
  ticker.count !== 0 &&
  newestCloseMs - ticker.closeTime <= BEHIND_MAX_MS &&
  (ticker.openTime == null || newestCloseMs - ticker.openTime <= SPAN_MAX_MS)

export default listSource({
  name: "binance-tickers",
  recordedIn: "binance-spot",
  provider: "Binance.tickers",
  fills: exchangeTickers,
  every: "1 minute",
  documents: { followed, every },
  collect: (upstream) =>
    upstream
      .fetch(followed, undefined)
      .pipe(
        Effect.catch((failed) =>
          failed._tag === "HttpFailed" && failed.status === 400
            ? upstream.fetch(every, undefined)
            : Effect.fail(failed),
        ),
      ),
  rows: (collected, { observedAtMs }) => {
    const ours = collected.filter((row) => {
      const symbol = symbolOf(row)
      return typeof symbol !== "string" || basesByPair.has(symbol)
    })
    // A time in the future does not count as the newest.
    const closes = ours.map(closeMsOf).filter((ms) => ms <= observedAtMs + AHEAD_MAX_MS)
    const newestCloseMs = latestOf(closes)
    return ours.map((ticker) => ({ ticker, newestCloseMs }))
  },
  row: Row,
  toItem: (row) => {
    const { ticker } = row
    const base = basesByPair.get(ticker.symbol)
    if (base === undefined || !isTraded(row)) return notOurs
    const at = instantOrNull(ticker.closeTime)
    if (at === null) return unreadable("its time is beyond what is stored")
    const range = priceRange(ticker.lastPrice, positive(ticker.highPrice), positive(ticker.lowPrice))
    const volume = within(ticker.quoteVolume, 0, Number.MAX_VALUE)
    const trades = within(ticker.count, 1, Number.MAX_SAFE_INTEGER)
    const change = ticker.priceChangePercent ?? percentChange(ticker.openPrice ?? null, ticker.lastPrice, 3)
    return {
      pair: ticker.symbol,
      base,
      quote: EXCHANGE_TICKER_QUOTE,
      price: ticker.lastPrice,
      change24hPercent: within(change, -100, EXCHANGE_CHANGE_MAX_PERCENT),
      high24h: range.high,
      low24h: range.low,
      volume24h: volume === null ? null : rounded(volume, 2),
      trades24h: trades === null || !Number.isInteger(trades) ? null : trades,
      at,
    }
  },
  contentAtMs: (_, read) => newestMs(read.map(({ item }) => item.at)),
  ...binanceData("binance-spot-api-docs"),
})
