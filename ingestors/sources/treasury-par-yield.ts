import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import { factsOfSeries } from "../../schemas/feeds/economic-series.ts"
import { type CollectFailed, document, isOfDocument, type Upstream } from "../document.ts"
import { BUSINESS_DAYS_SPAN_DAYS, type SeriesRows, seriesSource, yearsOf } from "../readers/economic-series.ts"
import { openTerms } from "../terms.ts"

const PAGES = "https://home.treasury.gov/resource-center/data-chart-center/interest-rates"
const DATASET = "daily_treasury_yield_curve"

/** The yields of one trading day, as text; empty where the day has none of that tenor. */
const Curve = Schema.Struct({ date: Schema.String, twoYears: Schema.String, tenYears: Schema.String })
type Curve = typeof Curve.Type
const Curves = Schema.Array(Curve)

const plain = (name: string): string => name.toLowerCase().replaceAll(/\s+/g, " ").trim()
/** The column of a tenor, by its words: they are written "2 Yr", and "1.5 Month" beside "2 Mo". */
const columnOf = (columns: ReadonlyArray<string>, tenor: RegExp): string | undefined =>
  columns.find((name) => tenor.test(plain(name)))
const columnsOf = (columns: ReadonlyArray<string>) => ({
  date: columnOf(columns, /^date$/),
  twoYears: columnOf(columns, /^2 (yr|year)s?$/),
  tenYears: columnOf(columns, /^10 (yr|year)s?$/),
})

/** `MM/DD/YYYY` as a day; other texts unchanged, which then fail the schema of a row. */
const dayOfAmerican = (text: string): string => text.trim().replace(/^(\d\d)\/(\d\d)\/(\d{4})$/, "$3-$1-$2")

/** A file has both columns: that of real yields begins at five years, and has the ten years of another measure. */
const isCurveFile = ({ columns }: { readonly columns: ReadonlyArray<string> }): boolean =>
  Object.values(columnsOf(columns)).every((name) => name !== undefined)

const file = document({
  format: "csv",
  wire: Schema.Struct({
    columns: Schema.Array(Schema.String),
    rows: Schema.Array(Schema.Record(Schema.String, Schema.String)),
  })
    .check(Schema.makeFilter((table) => isCurveFile(table) || "the file is not of the par yield curve"))
    .pipe(
      Schema.decodeTo(Curves, {
        decode: SchemaGetter.transform(({ columns, rows }): ReadonlyArray<Curve> => {
          const { date = "", twoYears = "", tenYears = "" } = columnsOf(columns)
          return rows.map((row) => ({
            date: dayOfAmerican(row[date] ?? ""),
            twoYears: row[twoYears] ?? "",
            tenYears: row[tenYears] ?? "",
          }))
        }),
        encode: SchemaGetter.forbidden(() => "a file is read only"),
      }),
    ),
  url: (year: number) =>
    `${PAGES}/daily-treasury-rates.csv/${year}/all?type=${DATASET}&field_tdr_date_value=${year}&page&_format=csv`,
  sharedForMs: 10 * 60_000,
})

/** How deep the entries of a feed lie, with the elements of a page around it. */
const DEPTH_MAX = 12
const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The element of a local name: namespaces are declared on the feed, or on each element under other prefixes. */
const localOf = (element: Readonly<Record<string, unknown>>, name: string): unknown =>
  Object.entries(element).find(([key]) => key.split(":").at(-1) === name)?.[1]

const textOf = (value: unknown): string => {
  const text = isRecord(value) ? value["#text"] : value
  return typeof text === "string" ? text.trim() : ""
}

/** The property lists of a feed, wherever they stand. */
const propertiesIn = (value: unknown, depth = 0): ReadonlyArray<Readonly<Record<string, unknown>>> => {
  if (depth > DEPTH_MAX) return []
  if (Array.isArray(value)) return value.flatMap((one) => propertiesIn(one, depth + 1))
  if (!isRecord(value)) return []
  return localOf(value, "NEW_DATE") === undefined
    ? Object.values(value).flatMap((one) => propertiesIn(one, depth + 1))
    : [value]
}

/** Whether a document is a feed of the curve: entries of real yields or bills have other members, or it has no entries yet. */
const isCurveFeed = (value: unknown): boolean => {
  const days = propertiesIn(value)
  return days.length === 0
    ? isRecord(value) && localOf(value, "feed") !== undefined
    : days.some((day) => localOf(day, "BC_10YEAR") !== undefined || localOf(day, "BC_2YEAR") !== undefined)
}

/** The same as a feed: some twenty times as long. */
const feed = document({
  format: "xml",
  wire: Schema.Unknown.check(
    Schema.makeFilter((value) => isCurveFeed(value) || "the feed is not of the par yield curve"),
  ).pipe(
    Schema.decodeTo(Curves, {
      decode: SchemaGetter.transform(
        (value: unknown): ReadonlyArray<Curve> =>
          propertiesIn(value).map((day) => ({
            date: textOf(localOf(day, "NEW_DATE")).replace(/T00:00:00(\.0+)?Z?$/, ""),
            twoYears: textOf(localOf(day, "BC_2YEAR")),
            tenYears: textOf(localOf(day, "BC_10YEAR")),
          })),
      ),
      encode: SchemaGetter.forbidden(() => "a feed is read only"),
    }),
  ),
  url: (year: number) => `${PAGES}/pages/xml?data=${DATASET}&field_tdr_date_value=${year}`,
  sharedForMs: 10 * 60_000,
})

/** The curves of a year by its file, or by its feed where the file has changed its place or form. */
const curvesOf = (upstream: Upstream, year: number): Effect.Effect<ReadonlyArray<Curve>, CollectFailed> =>
  Effect.catch(upstream.fetch(file, year), (failed) =>
    isOfDocument(failed)
      ? Effect.mapError(upstream.fetch(feed, year), () => failed)
      : Effect.fail<CollectFailed>(failed),
  )

/** For so long after New Year the file of the new year may be missing: its first trading day is the 4th at the latest. */
const YEAR_BEGINS_DAYS = 7

const isYearBeginning = (year: number, nowMs: number): boolean => nowMs < Date.UTC(year, 0, 1 + YEAR_BEGINS_DAYS)

export default seriesSource({
  name: "treasury-par-yield",
  organisation: "Treasury",
  series: ["DGS10", "DGS2"],
  every: "1 hour",
  documents: { file, feed },
  collect: (upstream, { parameters, observedAtMs }): Effect.Effect<SeriesRows, CollectFailed> => {
    const { id } = factsOfSeries(parameters)
    return Effect.map(
      Effect.all(
        yearsOf(observedAtMs, BUSINESS_DAYS_SPAN_DAYS).map((year) =>
          Effect.catch(curvesOf(upstream, year), (failed) =>
            isOfDocument(failed) && isYearBeginning(year, observedAtMs) ? Effect.succeed([]) : Effect.fail(failed),
          ),
        ),
      ),
      (years) => ({
        rows: years
          .flat()
          .map(({ date, twoYears, tenYears }) => ({ date, value: id === "DGS2" ? twoYears : tenYears })),
      }),
    )
  },
  attribution: {
    provider: "US Department of the Treasury, daily par yield curve",
    licence: "Public domain (U.S. Government work)",
    url: "https://home.treasury.gov/policy-issues/financing-the-government/interest-rate-statistics",
  },
  terms: openTerms(
    "https://fiscaldata.treasury.gov/api-documentation/",
    "a federal work: free, without restriction, commercial or not",
    {
      credit: "Source: US Department of the Treasury",
    },
  ),
})
