import * as Schema from "effect/Schema"
import type { Parameters } from "../../schemas/feed.ts"
import {
  annualizedPercent,
  CONTRACT_MAX_CHARACTERS,
  type FundingRate,
  fundingRates,
  PERIOD_HOURS,
} from "../../schemas/feeds/funding-rates.ts"
import { type ReadRow, type Unreadable, unreadable } from "../poll/read.ts"
import { instantOrNull } from "./instants.ts"
import { positive, within } from "./numbers.ts"
import { cleanText } from "./text.ts"
import { Decimal, maybe } from "./wire.ts"

/** Wire schema of a number that venues leave empty, or out, where it does not apply. */
export const EmptyOrDecimal = maybe(Schema.Union([Decimal, Schema.Literal("")]))

type EmptyOrNumber = number | "" | null | undefined

/** The number; null where the venue leaves it empty. */
export const numberOrNull = (value: EmptyOrNumber): number | null => (typeof value === "number" ? value : null)

/** The latest of some times, in milliseconds since the epoch; null where the venue gives none. */
export const latestMs = (times: ReadonlyArray<EmptyOrNumber>): number | null =>
  times.reduce<number | null>((latest, one) => {
    const ms = numberOrNull(one)
    return ms === null || (latest !== null && ms <= latest) ? latest : ms
  }, null)

/** What the sources of all venues declare alike; `organisation` is the venue as callers see it in `_meta`. */
export const fundingVenue = (organisation: string) => ({
  provider: `${organisation}.funding`,
  fills: fundingRates,
  serves: ({ venue }: Parameters) => venue === organisation.toLowerCase(),
  every: "1 minute" as const,
  facts: (_: unknown, read: ReadonlyArray<ReadRow<unknown, FundingRate>>) => ({
    markets: new Set(read.map(({ item }) => item.symbol)).size,
  }),
})

/** A member of a row that is not decoded yet; undefined where it has none of that name. */
export const memberOf = (row: unknown, name: string): unknown =>
  typeof row === "object" && row !== null ? (row as Readonly<Record<string, unknown>>)[name] : undefined

/** Wire schema of a list with a row that has this member, which distinguishes it from other lists of a venue. */
export const listWith = (member: string) =>
  Schema.Array(Schema.Unknown).check(
    Schema.makeFilter(
      (rows: ReadonlyArray<unknown>) =>
        rows.some((row) => memberOf(row, member) !== undefined) || `no row has the member ${member}`,
    ),
  )

/** A coin's name; names of dated contracts have a separator. */
const COIN = /^[\p{L}\p{N}]+$/u

/** The coin of a contract whose name is the coin and this ending; null for other contracts, dated ones included. */
export const coinBefore = (ending: string, symbol: string): string | null => {
  const coin = symbol.endsWith(ending) ? symbol.slice(0, symbol.length - ending.length) : ""
  return COIN.test(coin) ? coin : null
}

/** A perpetual contract as its venue lists it. */
export interface ListedPerpetual {
  readonly symbol: string
  readonly base: string
  /** Null where the venue does not say: a rate without its period means nothing. */
  readonly periodHours: number | null
  readonly rate: number
  readonly markPrice: EmptyOrNumber
  /** Milliseconds since the epoch. */
  readonly nextFundingMs: EmptyOrNumber
}

/** The item of a contract. Unreadable without the hours of its period, or with a name that is not clean. */
export const fundingRateOf = (listed: ListedPerpetual): FundingRate | Unreadable => {
  const { symbol, base, rate } = listed
  const periodHours = within(listed.periodHours, PERIOD_HOURS.minimum, PERIOD_HOURS.maximum)
  if (periodHours === null) return unreadable("the hours of its period are unknown")
  if (cleanText(symbol, CONTRACT_MAX_CHARACTERS) !== symbol) return unreadable("its name is not clean")
  const nextFundingMs = positive(numberOrNull(listed.nextFundingMs))
  return {
    symbol,
    base,
    periodHours,
    // The sum turns -0 into 0.
    periodRate: rate + 0,
    annualizedPercent: annualizedPercent(rate, periodHours),
    markPrice: within(positive(numberOrNull(listed.markPrice)), 0, 1e12),
    nextFundingTime: instantOrNull(nextFundingMs),
  }
}
