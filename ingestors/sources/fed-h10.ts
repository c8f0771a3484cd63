import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import { dayMs } from "../../schemas/day.ts"
import { type CollectFailed, document, isOfDocument } from "../document.ts"
import { monthOf } from "../readers/civil-time.ts"
import { type SeriesRows, seriesSource } from "../readers/economic-series.ts"
import { htmlTables } from "../readers/html-tables.ts"
import { openTerms } from "../terms.ts"

const RELEASE = "https://www.federalreserve.gov/releases/h10"

/** Days of the nominal broad dollar index, as text. */
const Rows = Schema.Array(Schema.Struct({ date: Schema.String, value: Schema.String }))
type Rows = typeof Rows.Type

const isoDay = (year: number, month: number, day: number): string =>
  `${year}-${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}`

/** A day of a page: "02-JAN-06", "2-Jan-2026", or as elsewhere. Null for a text that is no day. */
const dayOfPage = (text: string): string | null => {
  const iso = /^\d{4}-\d\d-\d\d$/.exec(text)?.[0]
  if (iso !== undefined) return dayMs(iso) === null ? null : iso
  const [, day, name = "", year = ""] = /^(\d{1,2})[- ]([a-z]{3,9})[- ](\d{2}|\d{4})$/i.exec(text) ?? []
  // The index begins in 2006.
  const date = isoDay(Number(year) + (year.length === 2 ? 2000 : 0), monthOf(name), Number(day))
  return dayMs(date) === null ? null : date
}

const historyOf = (html: string): Rows =>
  htmlTables(html).flatMap((grid) =>
    grid.flatMap(([first = "", value = ""]) => {
      const date = dayOfPage(first)
      return date === null ? [] : [{ date, value }]
    }),
  )

/** A page of the index: those of its real values and of narrower indices have the same form. */
const isBroad = (html: string): boolean => /\bnominal\b[^<]{0,40}\bbroad\b|\bbroad\b[^<]{0,40}\bnominal\b/i.test(html)

/** The whole history, a row a day. */
const history = document({
  format: "text",
  wire: Schema.String.check(
    Schema.makeFilter(
      (html: string) => (isBroad(html) && historyOf(html).length > 0) || "the page is not of the nominal broad index",
    ),
  ).pipe(
    Schema.decodeTo(Rows, {
      decode: SchemaGetter.transform(historyOf),
      encode: SchemaGetter.forbidden(() => "a page is read only"),
    }),
  ),
  url: `${RELEASE}/summary/jrxwtfb_nb.htm`,
})

const DAY_MS = 86_400_000
/** The days of a release end with the Friday before it. */
const RELEASE_AGE_MAX_DAYS = 20

const releasedOn = (html: string): number | null => {
  const [, name = "", day, year] =
    /Release Dates?:(?:\s|<[^>]*>|&nbsp;)*(?:[a-z]+day,? )?([a-z]{3,9})\.? (\d{1,2}), (\d{4})/i.exec(html) ?? []
  return dayMs(isoDay(Number(year), monthOf(name), Number(day)))
}

/** A day of the release's header, which has no year: that of the release, or of the year before it. */
const dayOfHeader = (text: string, releasedMs: number): string | null => {
  const [, named = "", dayBehind] = /^([a-z]{3,9})\.? ?(\d{1,2})$/i.exec(text) ?? []
  const [, dayBefore, behind = ""] = /^(\d{1,2})[- ]([a-z]{3,9})\.?$/i.exec(text) ?? []
  const year = new Date(releasedMs).getUTCFullYear()
  const dates = [year, year - 1].map((one) => isoDay(one, monthOf(named || behind), Number(dayBehind ?? dayBefore)))
  return (
    dates.find((date) => {
      const ageMs = releasedMs - (dayMs(date) ?? Number.NEGATIVE_INFINITY)
      return ageMs >= 0 && ageMs <= RELEASE_AGE_MAX_DAYS * DAY_MS
    }) ?? null
  )
}

/** The row of the index in the newest release, below the days of its week. */
const weekOf = (html: string): Rows => {
  const releasedMs = releasedOn(html)
  if (releasedMs === null) return []
  for (const grid of htmlTables(html)) {
    const row = grid.find(
      (cells) => /^1\) ?broad\b/i.test(cells[0] ?? "") && cells.some((cell) => /JAN ?06 ?= ?100/i.test(cell)),
    )
    if (row === undefined) continue
    for (const header of grid) {
      const days = header.map((cell) => dayOfHeader(cell, releasedMs))
      if (days.filter((date) => date !== null).length < 2) continue
      return days.flatMap((date, column) => (date === null ? [] : [{ date, value: row[column] ?? "" }]))
    }
  }
  return []
}

/** The newest week, where the history has changed its place or form. */
const week = document({
  format: "text",
  wire: Schema.String.check(
    Schema.makeFilter((html: string) => weekOf(html).length > 0 || "the page has no week of the broad index"),
  ).pipe(
    Schema.decodeTo(Rows, {
      decode: SchemaGetter.transform(weekOf),
      encode: SchemaGetter.forbidden(() => "a page is read only"),
    }),
  ),
  url: `${RELEASE}/current/`,
})

export default seriesSource({
  name: "fed-h10",
  organisation: "FederalReserve",
  series: ["DTWEXBGS"],
  // Released on Mondays; every past day can be revised.
  every: "2 hours",
  documents: { history, week },
  collect: (upstream): Effect.Effect<SeriesRows, CollectFailed> =>
    Effect.catch(upstream.fetch(history, undefined), (failed) =>
      isOfDocument(failed)
        ? Effect.mapError(upstream.fetch(week, undefined), () => failed)
        : Effect.fail<CollectFailed>(failed),
    ).pipe(Effect.map((rows) => ({ rows }))),
  attribution: {
    provider: "Board of Governors of the Federal Reserve System, H.10",
    licence: "Public domain (U.S. Government work)",
    url: "https://www.federalreserve.gov/releases/h10/",
  },
  terms: openTerms(
    "https://www.federalreserve.gov/disclaimer.htm",
    "public domain unless otherwise indicated; citation is requested",
    {
      credit: "Source: Board of Governors of the Federal Reserve System (US), H.10",
    },
  ),
})
