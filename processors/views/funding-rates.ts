import type { Parameters } from "../../schemas/feed.ts"
import {
  FUNDING_RATES_SHOWN_MAX,
  type FundingRate,
  type FundingVenue,
  fundingRates,
  fundingRatesEndpoint,
  fundingVenues,
  type VenueStatus,
} from "../../schemas/feeds/funding-rates.ts"
import { changesOf, fromEvery, nextAfter, until, view } from "../view/view.ts"

const MINUTE_MS = 60_000
/** From this age on a venue counts as failed: two polls were missed. */
const FAILED_AFTER_MS = 3 * MINUTE_MS
/** From this age on the contracts of a venue are not shown: most rates have changed. */
const SHOWN_FOR_MS = 10 * MINUTE_MS

const rateRow = (venue: FundingVenue, rate: FundingRate) => ({
  venue,
  symbol: rate.symbol,
  base: rate.base,
  period_hours: rate.periodHours,
  period_rate: rate.periodRate,
  annualized_pct: rate.annualizedPercent,
  mark_price: rate.markPrice,
  next_funding_time: rate.nextFundingTime,
})

/** The venue of an instance; undefined for one that is none of the feed's. */
const venueOf = ({ venue }: Parameters): FundingVenue | undefined => fundingVenues.find((one) => one === venue)

const ABSENT = { reading: null, rests: null } as const

/** The status of a venue that was read at `readMs`; null: never. */
const statusAt = (nowMs: number, readMs: number | null, isResting: boolean): VenueStatus => {
  if (isResting) return "rests"
  if (readMs === null) return "unread"
  return nowMs < readMs + FAILED_AFTER_MS ? "ok" : "failed"
}

export default view({
  endpoint: fundingRatesEndpoint,
  reads: { markets: fromEvery(fundingRates) },
  // A venue that is not read fails, and its contracts leave the list, without a new observation.
  clock: true,
  changes: [
    changesOf(fundingRates, (rate, { parameters }) => {
      const venue = venueOf(parameters)
      return venue === undefined ? null : rateRow(venue, rate)
    }),
  ],
  build: ({ markets }, { nowMs }) => {
    const read = fundingVenues.map((venue) => {
      const { reading, rests } = markets.find(({ parameters }) => parameters.venue === venue) ?? ABSENT
      const readMs = reading === null ? null : Date.parse(reading.observedAt)
      return { venue, payload: reading?.payload ?? null, readMs, status: statusAt(nowMs, readMs, rests !== null) }
    })
    const rates = read
      .filter(({ readMs }) => readMs !== null && nowMs < readMs + SHOWN_FOR_MS)
      .flatMap(({ venue, payload }) => (payload?.items ?? []).map((rate) => rateRow(venue, rate)))
      .sort((one, other) => Math.abs(other.annualized_pct) - Math.abs(one.annualized_pct))
      .slice(0, FUNDING_RATES_SHOWN_MAX)
    const failures = read.flatMap(({ readMs }) => (readMs === null ? [] : [readMs + FAILED_AFTER_MS]))
    return until(
      {
        rates,
        venues: read.map(({ venue, status, payload }) => ({ venue, status, markets: payload?.facts.markets ?? null })),
        failed_venues: read.filter(({ status }) => status !== "ok").map(({ venue }) => venue),
      },
      // A poll that only confirms a payload builds no view: the next tick notices that a failed venue has returned.
      read.some(({ status }) => status === "failed") ? nowMs + 1 : nextAfter(nowMs, failures),
    )
  },
})
