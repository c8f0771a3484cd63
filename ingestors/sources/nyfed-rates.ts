import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { dayMs, dayOf } from "../../schemas/day.ts"
import { ECONOMIC_NUMBERS_MAX, factsOfSeries } from "../../schemas/feeds/economic-series.ts"
import { type CollectFailed, document, UpstreamError } from "../document.ts"
import { type SeriesRows, seriesSource } from "../readers/economic-series.ts"
import { Day, Decimal, maybe } from "../readers/wire.ts"
import { termsOf } from "../terms.ts"

/** A member without a value is absent. Before 16 December 2008 the target was one rate, and stands in `targetRateFrom`. */
const Rate = Schema.Struct({
  effectiveDate: Day,
  type: Schema.String,
  percentRate: maybe(Decimal),
  targetRateFrom: maybe(Decimal),
  targetRateTo: maybe(Decimal),
})
type Rate = typeof Rate.Type
const decodeRate = Schema.decodeUnknownOption(Rate)

const DAY_MS = 86_400_000

/** Rates of business days, the newest first. A day without a business day around it answers an empty list. */
const rates = document({
  format: "json",
  wire: Schema.Struct({ refRates: Schema.Array(Schema.Unknown) }),
  url: ({ from, to }: { readonly from: string; readonly to: string }) =>
    `https://markets.newyorkfed.org/api/rates/unsecured/effr/search.json?startDate=${from}&endDate=${to}`,
  sharedForMs: 10 * 60_000,
})

/** Business days are at most four days apart, around a weekend with a holiday; more is a hole. */
const GAP_MAX_MS = 5 * DAY_MS

/** The rates of days by the beginning of the day; null where a row has no rate that can be read. */
type RatesByDay = ReadonlyMap<number, number | null>

/** The month that a day begins, and the day after its last one. */
const monthFrom = (beginMs: number) => {
  const begin = new Date(beginMs)
  return { beginMs, endMs: Date.UTC(begin.getUTCFullYear(), begin.getUTCMonth() + 1, 1) }
}

const isWeekend = (ms: number): boolean => [0, 6].includes(new Date(ms).getUTCDay())

/** The last day of a month that is no Saturday and no Sunday. */
const lastWeekdayMs = (endMs: number): number => {
  let ms = endMs - DAY_MS
  while (isWeekend(ms)) ms -= DAY_MS
  return ms
}

/**
 * The mean of a month over each of its calendar days, as the Board of Governors computes it: a day without a rate has that of
 * the day before. Two decimals. Null unless the whole month is known: its first day, its last weekday or a later day, and no
 * hole between.
 */
const monthlyMean = (byDay: RatesByDay, newestMs: number, beginMs: number): number | null => {
  const { endMs } = monthFrom(beginMs)
  if (newestMs < lastWeekdayMs(endMs)) return null
  let [sum, days] = [0, 0]
  for (let ms = beginMs; ms < endMs; ms += DAY_MS) {
    let rateMs = ms
    while (!byDay.has(rateMs) && ms - rateMs < GAP_MAX_MS) rateMs -= DAY_MS
    const rate = byDay.get(rateMs) ?? null
    if (rate === null) return null
    // In hundredths, of which the rates are whole numbers.
    sum += Math.round(rate * 100)
    days += 1
  }
  return Math.round(sum / days) / 100
}

const monthlyMeans = (read: ReadonlyArray<Rate>): SeriesRows["rows"] => {
  const byDay = new Map<number, number | null>()
  for (const { effectiveDate, percentRate } of read) {
    const ms = dayMs(effectiveDate)
    // The first of a day stands: the list is newest first.
    if (ms !== null && !byDay.has(ms)) byDay.set(ms, percentRate ?? null)
  }
  const days = [...byDay.keys()]
  const newestMs = days.reduce((newest, ms) => Math.max(newest, ms), 0)
  const months = new Set(days.map((ms) => Date.UTC(new Date(ms).getUTCFullYear(), new Date(ms).getUTCMonth(), 1)))
  return [...months].flatMap((beginMs) => {
    const value = monthlyMean(byDay, newestMs, beginMs)
    return value === null ? [] : [{ date: dayOf(beginMs), value }]
  })
}

/** The day from which the months of all numbers are whole. */
const beginOf = (nowMs: number): string => {
  const now = new Date(nowMs)
  return dayOf(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - ECONOMIC_NUMBERS_MAX - 1, 1) - 7 * DAY_MS)
}

export default seriesSource({
  name: "nyfed-rates",
  organisation: "NewYorkFed",
  series: ["FEDFUNDS", "EFFR", "DFEDTARL", "DFEDTARU"],
  every: "2 hours",
  documents: { rates },
  collect: (upstream, { parameters, observedAtMs }): Effect.Effect<SeriesRows, CollectFailed> => {
    const { id } = factsOfSeries(parameters)
    return upstream.fetch(rates, { from: beginOf(observedAtMs), to: dayOf(observedAtMs) }).pipe(
      Effect.flatMap(({ refRates }): Effect.Effect<SeriesRows, UpstreamError> => {
        const decoded = refRates.map((row) => ({ row, rate: Option.getOrNull(decodeRate(row)) }))
        const effr = decoded.flatMap(({ rate }) => (rate?.type === "EFFR" ? [rate] : []))
        if (effr.length === 0 && refRates.length > 0)
          return Effect.fail(new UpstreamError({ message: "the answer is of another rate than the requested one" }))
        if (id === "FEDFUNDS") {
          // The mean is of every day of the month; without one of them there is none.
          const unreadable = decoded.some(({ rate }) => rate === null)
          return unreadable
            ? Effect.fail(new UpstreamError({ message: "a day of the months cannot be read" }))
            : Effect.succeed({ rows: monthlyMeans(effr) })
        }
        const numberOf = ({ percentRate, targetRateFrom, targetRateTo }: Rate) => {
          if (id === "EFFR") return percentRate ?? null
          // Before 2008-12-16 the target was one rate, and not a range.
          if (targetRateFrom == null || targetRateTo == null) return null
          return id === "DFEDTARL" ? targetRateFrom : targetRateTo
        }
        return Effect.succeed({
          rows: decoded.flatMap(({ rate }): SeriesRows["rows"] => {
            // Passed on undecoded, so that it is counted as an unreadable row.
            if (rate === null) return [{ date: undefined, value: null }]
            return rate.type === "EFFR" ? [{ date: rate.effectiveDate, value: numberOf(rate) }] : []
          }),
        })
      }),
    )
  },
  // The answer names the daily rate; its means are of months, of which a recorded answer seldom holds one.
  recordedParameters: () => ({ series: "EFFR" }),
  attribution: {
    provider: "Federal Reserve Bank of New York",
    licence: "Terms of Use of the Federal Reserve Bank of New York; not public domain",
    url: "https://www.newyorkfed.org/markets/reference-rates/effr",
  },
  terms: termsOf({
    use: "provider",
    url: "https://www.newyorkfed.org/privacy/termsofuse",
    clause:
      "use for business and derivative works are allowed with the line of credit, a disclaimer for reference rates, and the same terms passed on",
    shown: "yes",
    kept: "yes",
    sold: "yes",
    models: "yes",
    credit:
      "(c) Federal Reserve Bank of New York. Content from the New York Fed subject to the Terms of Use at newyorkfed.org. The New York Fed does not endorse this republication and is not liable for it.",
  }),
})
