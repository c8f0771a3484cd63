import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { dayOf } from "../../schemas/day.ts"
import { ECONOMIC_NUMBERS_MAX, economicSeries, factsOfSeries } from "../../schemas/feeds/economic-series.ts"
import { type CollectFailed, document, UpstreamError } from "../document.ts"
import { notOurs } from "../poll/read.ts"
import { fredAccess } from "../providers/fred.ts"
import { daysBack } from "../readers/economic-series.ts"
import { newestMs } from "../readers/instants.ts"
import { Day, Decimal } from "../readers/wire.ts"
import { listSource } from "../source.ts"
import { termsOf } from "../terms.ts"

/** A day without a number: "." in answers and older files, empty in newer files. */
const Missing = Schema.Literals([".", ""])

const Row = Schema.Struct({ date: Day, value: Schema.Union([Missing, Decimal]) })
type Row = typeof Row.Type

/** https://fred.stlouisfed.org/docs/api/fred/series_observations.html */
const Observations = Schema.Struct({ units: Schema.Literal("lin"), observations: Schema.Array(Schema.Unknown) })
/** The answer to a wrong key, and to a series that does not exist, with status 400. */
const Refusal = Schema.Struct({ error_code: Schema.Int, error_message: Schema.String })

/** A file for download: its second column bears the name of the series. */
const Download = Schema.Struct({
  columns: Schema.Array(Schema.String).check(Schema.isBetweenLength(2, 2)),
  rows: Schema.Array(Schema.Record(Schema.String, Schema.String)),
})

/** One series, and the first requested day. */
interface DownloadRequest {
  readonly series: string
  readonly from: string
}

/** Holidays and days of which nothing was published are rows too. */
const ROWS_MAX = ECONOMIC_NUMBERS_MAX + 30

const observations = document({
  format: "json",
  wire: Schema.Union([Observations, Refusal]),
  acceptedStatuses: [400],
  url: ({ series, key }: { readonly series: string; readonly key: string }) =>
    `https://api.stlouisfed.org/fred/series/observations?series_id=${series}&file_type=json&sort_order=desc&limit=${ROWS_MAX}&api_key=${encodeURIComponent(key)}`,
})
const download = document({
  format: "csv",
  wire: Download,
  url: ({ series, from }: DownloadRequest) =>
    `https://fred.stlouisfed.org/graph/fredgraph.csv?id=${series}&cosd=${from}`,
})

const DAY_MS = 86_400_000

interface Collected {
  /** Rows as the answer holds them. */
  readonly rows: ReadonlyArray<unknown>
}

/** Rows of a file, whose header must name the series that was asked for. */
const rowsOfDownload = (
  series: string,
  { columns, rows }: typeof Download.Type,
): Effect.Effect<Collected, UpstreamError> => {
  const [date = "", name = ""] = columns
  return !/^(observation_)?date$/i.test(date) || name !== series
    ? Effect.fail(new UpstreamError({ message: "the file is not of the series that was asked for" }))
    : Effect.succeed({ rows: rows.map((row) => ({ date: row[date], value: row[name] })) })
}

const rowsOfAnswer = (
  answer: typeof Observations.Type | typeof Refusal.Type,
): Effect.Effect<Collected, UpstreamError> =>
  "observations" in answer
    ? Effect.succeed({ rows: answer.observations })
    : Effect.fail(
        /api_key/i.test(answer.error_message)
          ? new UpstreamError({ message: "the key is refused", reason: "key_refused" })
          : new UpstreamError({ message: `the series is refused with error ${answer.error_code}` }),
      )

export default listSource({
  name: "fred",
  provider: ({ series = "" }) => `FRED.${series.toLowerCase()}`,
  fills: economicSeries,
  // Ranked after the publishers themselves.
  rank: 3,
  // It lists the target range for each calendar day.
  serves: ({ series }) => series?.startsWith("DFEDTAR") === false,
  every: "1 hour",
  access: fredAccess,
  documents: { observations, download },
  collect: (upstream, { parameters, key, observedAtMs }): Effect.Effect<Collected, CollectFailed> => {
    const { id, period } = factsOfSeries(parameters)
    const from = dayOf(observedAtMs - daysBack[period] * DAY_MS)
    return key === null
      ? Effect.flatMap(upstream.fetch(download, { series: id, from }), (file) => rowsOfDownload(id, file))
      : Effect.flatMap(upstream.fetch(observations, { series: id, key }), rowsOfAnswer)
  },
  rows: ({ rows }) => rows,
  row: Row,
  toItem: ({ date, value }: Row) => (typeof value === "string" ? notOurs : { date, value }),
  contentAtMs: (_, read) => newestMs(read.map(({ item }) => `${item.date}T00:00:00.000Z`)),
  attribution: {
    provider: "Federal Reserve Bank of St. Louis (FRED)",
    licence: "FRED terms of use; mortgage rates (c) Freddie Mac, reprinted with permission",
    url: "https://fred.stlouisfed.org/",
  },
  terms: termsOf({
    use: "consent",
    url: "https://fred.stlouisfed.org/legal/",
    clause:
      "since June 2024: no storing, caching or archiving, no database, no use with language models, for anybody; a notice is required",
    kept: "no",
    sold: "no",
    models: "no",
    credit: "This product uses the FRED API but is not endorsed or certified by the Federal Reserve Bank of St. Louis.",
  }),
})
