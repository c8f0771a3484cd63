import * as Schema from "effect/Schema"
import { document, UpstreamError } from "../document.ts"
import { notOurs } from "../poll/read.ts"
import { coinBefore, EmptyOrDecimal, fundingRateOf, fundingVenue, numberOrNull } from "../readers/perpetuals.ts"
import { maybe } from "../readers/wire.ts"
import { listSource } from "../source.ts"
import { termsOf } from "../terms.ts"

/** https://bybit-exchange.github.io/docs/v5/market/tickers Errors have status 200 too, and an empty result. */
const Tickers = Schema.Struct({
  retCode: Schema.Int,
  result: maybe(
    Schema.Struct({
      category: Schema.optionalKey(Schema.String),
      list: Schema.optionalKey(Schema.Array(Schema.Unknown)),
    }),
  ),
  time: EmptyOrDecimal,
})

/** One contract. All members are texts, empty where they do not apply: a dated contract has no funding rate. */
const Ticker = Schema.Struct({
  symbol: Schema.NonEmptyString,
  markPrice: EmptyOrDecimal,
  fundingRate: EmptyOrDecimal,
  nextFundingTime: EmptyOrDecimal,
  /** Absent in older answers. */
  fundingIntervalHour: EmptyOrDecimal,
})

const CATEGORY = "linear"

const tickers = document({
  format: "json",
  wire: Tickers,
  url: `https://api.bybit.com/v5/market/tickers?category=${CATEGORY}`,
})

export default listSource({
  name: "bybit",
  ...fundingVenue("Bybit"),
  documents: { tickers },
  collect: (upstream) => upstream.fetch(tickers, undefined),
  rows: ({ retCode, result }) => {
    if (retCode !== 0) return new UpstreamError({ message: `the venue answers with error ${retCode}` })
    if (result?.category !== CATEGORY || result.list === undefined)
      return new UpstreamError({ message: "the answer is of another category" })
    return result.list
  },
  row: Ticker,
  toItem: ({ symbol, markPrice, fundingRate, nextFundingTime, fundingIntervalHour }) => {
    const base = coinBefore("USDT", symbol)
    const rate = numberOrNull(fundingRate)
    if (base === null || rate === null) return notOurs
    const periodHours = numberOrNull(fundingIntervalHour)
    return fundingRateOf({ symbol, base, periodHours, rate, markPrice, nextFundingMs: nextFundingTime })
  },
  contentAtMs: ({ time }) => numberOrNull(time),
  attribution: {
    provider: "Bybit",
    licence: "Bybit API terms of use",
    url: "https://bybit-exchange.github.io/docs/v5/intro",
  },
  terms: termsOf({
    use: "restricted",
    url: "https://www.bybit.com/app/terms-service/information",
    clause: "API terms of 2026-01-16, 6.7 and 6.9: no repackaging, no commercial use",
    sold: "no",
  }),
})
