import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { factsOfSeries } from "../../schemas/feeds/economic-series.ts"
import { type CollectFailed, document, UpstreamError } from "../document.ts"
import { blsAccess } from "../providers/bls.ts"
import { type SeriesRows, seriesSource, yearsOf } from "../readers/economic-series.ts"
import { maybe } from "../readers/wire.ts"
import { easternMs } from "../readers/zone-time.ts"
import { openTerms } from "../terms.ts"

/** The series of the bureau by the ids of the feed: both are seasonally adjusted. */
const codes = { CPIAUCSL: "CUSR0000SA0", UNRATE: "LNS14000000" } as const

const Series = Schema.Struct({ seriesID: Schema.String, data: Schema.Array(Schema.Unknown) })
const Results = Schema.Struct({ series: Schema.Array(Series) })
/** A refused query has no results, or empty ones. */
const Answer = Schema.Struct({
  status: Schema.String,
  message: maybe(Schema.Array(Schema.Unknown)),
  Results: maybe(Schema.Unknown),
})
type Answer = typeof Answer.Type
/** `Results` is an object, in documents also a list of one. */
const decodeResults = Schema.decodeUnknownOption(Schema.Union([Results, Schema.Array(Results)]))

const Period = Schema.Struct({
  year: Schema.Union([Schema.String, Schema.Int]),
  period: Schema.String,
  value: Schema.Unknown,
})
const decodePeriod = Schema.decodeUnknownOption(Period)

interface Query {
  readonly key: string | null
  readonly years: ReadonlyArray<number>
}

/** Both series in one query, whose answer their instances share: few queries a day are allowed. */
const query = ({ key, years }: Query) => ({
  seriesid: Object.values(codes),
  startyear: String(years.at(-1) ?? 0),
  endyear: String(years[0] ?? 0),
  ...(key === null ? {} : { registrationkey: key }),
})

const series = document({
  format: "json",
  wire: Answer,
  url: ({ key }: Query) => `https://api.bls.gov/publicAPI/${key === null ? "v1" : "v2"}/timeseries/data/`,
  method: "POST",
  body: query,
  sharedForMs: 20 * 60_000,
})

const DAY_MS = 86_400_000
/** Sixty months, and those that the newest of them lags behind. Below the ten years that are answered. */
const YEARS_DAYS = 65 * 31

/** Milliseconds until the next day of New York, at which the count of queries is reset. */
const untilTomorrowMs = (nowMs: number): number => {
  const midnights = [0, 1, 2].flatMap((days) => {
    const day = new Date(nowMs + days * DAY_MS)
    const civil = { year: day.getUTCFullYear(), month: day.getUTCMonth() + 1, day: day.getUTCDate() }
    return easternMs({ ...civil, hour: 0, minute: 0, second: 0 }) ?? []
  })
  return (midnights.find((ms) => ms > nowMs) ?? nowMs + DAY_MS) - nowMs
}

/** The failure of a refused query, by the bureau's message, which is not quoted; null for a good answer. */
const refusalOf = ({ status, message }: Answer, nowMs: number): UpstreamError | null => {
  const words = (message ?? []).filter((one) => typeof one === "string").join(" ")
  if (status === "REQUEST_SUCCEEDED")
    // A range longer than allowed is answered with its first years, without an error.
    return /range has been reduced|reduced to the system/i.test(words)
      ? new UpstreamError({ message: "the range of the query was cut" })
      : null
  if (/\bkey\b.*\b(invalid|not valid|not registered)/i.test(words))
    return new UpstreamError({ message: "the key is refused", reason: "key_refused" })
  return status === "REQUEST_NOT_PROCESSED" && /threshold|daily|limit/i.test(words)
    ? new UpstreamError({
        message: "the queries of the day are used up",
        reason: "budget_exhausted",
        retryAfterMs: untilTomorrowMs(nowMs),
      })
    : new UpstreamError({ message: "the query was not processed" })
}

/** The month of a row; none for another period, such as the mean of a year (`M13`). */
const rowOf = (row: unknown): ReadonlyArray<SeriesRows["rows"][number]> => {
  const read = Option.getOrNull(decodePeriod(row))
  // Passed on undecoded, so that it is counted as an unreadable row.
  if (read === null) return [{ date: undefined, value: null }]
  const [, month] = /^M(0[1-9]|1[0-2])$/.exec(read.period) ?? []
  const value = typeof read.value === "string" ? read.value.trim() : read.value
  return month === undefined ? [] : [{ date: `${read.year}-${month}-01`, value }]
}

const seriesIn = ({ Results: results }: Answer) =>
  [Option.getOrElse(decodeResults(results), () => [])].flat().flatMap((one) => one.series)

export default seriesSource({
  name: "bls",
  organisation: "BLS",
  series: ["CPIAUCSL", "UNRATE"],
  every: "2 hours",
  access: blsAccess,
  documents: { series },
  collect: (upstream, { parameters, key, observedAtMs }): Effect.Effect<SeriesRows, CollectFailed> => {
    const { id } = factsOfSeries(parameters)
    const code = id === "UNRATE" ? codes.UNRATE : codes.CPIAUCSL
    return Effect.flatMap(
      upstream.fetch(series, { key, years: yearsOf(observedAtMs, YEARS_DAYS) }),
      (answer): Effect.Effect<SeriesRows, UpstreamError> => {
        const refusal = refusalOf(answer, observedAtMs)
        if (refusal !== null) return Effect.fail(refusal)
        const asked = seriesIn(answer).find(({ seriesID }) => seriesID.toUpperCase() === code)
        return asked === undefined
          ? Effect.fail(new UpstreamError({ message: "the answer lacks the series that was asked for" }))
          : Effect.succeed({ rows: asked.data.flatMap(rowOf) })
      },
    )
  },
  recordedParameters: (wire) => {
    const codesIn = seriesIn(wire as Answer).map(({ seriesID }) => seriesID.toUpperCase())
    const [id] = Object.entries(codes).find(([, code]) => codesIn.includes(code)) ?? []
    return id === undefined ? null : { series: id }
  },
  attribution: {
    provider: "US Bureau of Labor Statistics",
    licence: "Public domain (U.S. Government work)",
    url: "https://www.bls.gov/",
  },
  terms: openTerms(
    "https://www.bls.gov/bls/linksite.htm",
    "public domain; citation and the date of retrieval are asked for",
    {
      credit:
        "Source: US Bureau of Labor Statistics. BLS.gov cannot vouch for the data or analyses derived from these data after the data have been retrieved from BLS.gov.",
    },
  ),
})
