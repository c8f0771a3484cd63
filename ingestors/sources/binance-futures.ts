import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { document } from "../document.ts"
import { notOurs } from "../poll/read.ts"
import { binanceData } from "../readers/binance.ts"
import {
  coinBefore,
  EmptyOrDecimal,
  fundingRateOf,
  fundingVenue,
  latestMs,
  listWith,
  memberOf,
  numberOrNull,
} from "../readers/perpetuals.ts"
import { Decimal, maybe } from "../readers/wire.ts"
import { listSource } from "../source.ts"

/** https://developers.binance.com/docs/derivatives/usds-margined-futures/market-data/rest-api/Mark-Price */
export const Premium = Schema.Struct({
  symbol: Schema.NonEmptyString,
  markPrice: EmptyOrDecimal,
  /** The estimate for the coming payment, a fraction; empty or "0" for dated contracts. */
  lastFundingRate: EmptyOrDecimal,
  /** Milliseconds since the epoch; 0 for dated contracts and for those that are no longer traded. */
  nextFundingTime: EmptyOrDecimal,
  time: EmptyOrDecimal,
})

/**
 * https://developers.binance.com/docs/derivatives/usds-margined-futures/market-data/rest-api/Get-Funding-Rate-Info
 * Contracts with an adjusted parameter. A contract that is absent is paid every 8 hours, so an empty list, or a row without
 * a name, is refused: it would say so of every contract.
 */
const Intervals = Schema.NonEmptyArray(
  Schema.Struct({
    symbol: Schema.NonEmptyString,
    fundingIntervalHours: maybe(Schema.Union([Decimal, Schema.Unknown])),
  }),
).check(
  Schema.makeFilter(
    (rows) => rows.some((row) => Object.hasOwn(row, "fundingIntervalHours")) || "no row has an interval",
  ),
)

const HOST = "https://fapi.binance.com"
const premiums = document({ format: "json", wire: listWith("lastFundingRate"), url: `${HOST}/fapi/v1/premiumIndex` })
const intervals = document({ format: "json", wire: Intervals, url: `${HOST}/fapi/v1/fundingInfo` })

/** The hours of a contract that is not in the list of intervals. */
const PERIOD_HOURS_UNLISTED = 8

/** A contract, and the hours of its period; null where they cannot be read. */
const Row = Schema.Struct({ listed: Premium, periodHours: Schema.NullOr(Schema.Finite) })

export default listSource({
  name: "binance-futures",
  ...fundingVenue("Binance"),
  documents: { premiums, intervals },
  collect: (upstream) =>
    Effect.gen(function* () {
      return {
        premiums: yield* upstream.fetch(premiums, undefined),
        intervals: yield* upstream.fetch(intervals, undefined),
      }
    }),
  rows: (collected) => {
    const hours = new Map<unknown, number | null>(
      collected.intervals.map(({ symbol, fundingIntervalHours: read }) => [
        symbol,
        typeof read === "number" ? read : null,
      ]),
    )
    return collected.premiums.map((listed) => {
      const listedHours = hours.get(memberOf(listed, "symbol"))
      return { listed, periodHours: listedHours === undefined ? PERIOD_HOURS_UNLISTED : listedHours }
    })
  },
  row: Row,
  toItem: ({ listed: { symbol, markPrice, lastFundingRate, nextFundingTime }, periodHours }) => {
    const base = coinBefore("USDT", symbol)
    const rate = numberOrNull(lastFundingRate)
    if (base === null || rate === null || nextFundingTime === 0) return notOurs
    return fundingRateOf({ symbol, base, periodHours, rate, markPrice, nextFundingMs: nextFundingTime })
  },
  contentAtMs: (_, read) => latestMs(read.map(({ row }) => row.listed.time)),
  ...binanceData("derivatives/usds-margined-futures"),
})
