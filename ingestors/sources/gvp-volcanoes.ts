import * as Schema from "effect/Schema"
import { dayOf } from "../../schemas/day.ts"
import { VOLCANO_NAME_MAX_CHARACTERS, VOLCANO_REPORT_MAX_CHARACTERS, volcanoes } from "../../schemas/feeds/volcanoes.ts"
import { document } from "../document.ts"
import { unreadable } from "../poll/read.ts"
import { civilMs, monthOf } from "../readers/civil-time.ts"
import { oneOrMany, XmlText } from "../readers/formats.ts"
import { georssPoint } from "../readers/georss.ts"
import { instantOrNull, newestMs } from "../readers/instants.ts"
import { cleanHtml, cleanText, cleanTextOrNull, httpUrl } from "../readers/text.ts"
import { rfc822Ms } from "../readers/text-dates.ts"
import { listSource } from "../source.ts"
import { termsOf } from "../terms.ts"

const PAGE = "https://volcano.si.edu/reports_weekly.cfm"

const Report = Schema.Struct({
  title: XmlText,
  /** HTML: paragraphs, the last of which lists the sources. */
  description: XmlText,
  /** The page of the issue at this volcano; `link` is the same for all. */
  guid: Schema.optionalKey(XmlText),
  pubDate: Schema.optionalKey(XmlText),
  "georss:point": Schema.optionalKey(XmlText),
})
type Report = typeof Report.Type

const issue = document({
  format: "xml",
  wire: Schema.Struct({
    rss: Schema.Struct({
      channel: Schema.Struct({
        title: XmlText,
        pubDate: Schema.optionalKey(XmlText),
        item: Schema.optionalKey(oneOrMany(Schema.Unknown)),
      }),
    }),
  }),
  url: "https://volcano.si.edu/news/WeeklyVolcanoRSS.xml",
})

const TITLE = /^(.+?)\s+-\s+Report for\s+(.+)$/i
const COUNTRY = /^(.+?)\s*\(([^()]+)\)$/
/** A dash that the provider's character set lacks arrives as a question mark. */
const DASH = String.raw`\s*[-\u2013\u2014?]\s*`
/** Two days; the first may leave its month or its year to the second. */
const PERIOD = new RegExp(
  String.raw`^(\d{1,2})(?:\s+([a-z]{3,9}))?(?:\s+(\d{4}))?${DASH}(\d{1,2})\s+([a-z]{3,9})\s+(\d{4})\b`,
  "i",
)
const CATEGORY = new RegExp(String.raw`^${DASH}(\S.*)$`)

const dayMs = (year: number, month: number, day: number): number | null =>
  civilMs({ year, month, day, hour: 0, minute: 0, second: 0 })

/** The period and the category behind it. Words that are no period are kept, without days. */
const periodOf = (text: string) => {
  const [written, firstDay, firstMonth, firstYear, lastDay, lastMonth = "", lastYear] = PERIOD.exec(text) ?? []
  if (written === undefined) {
    const [, period = text, category = null] = /^(.+)\s-\s+(\S.*)$/.exec(text) ?? []
    return { period, start: null, end: null, category }
  }
  const category = CATEGORY.exec(text.slice(written.length))?.[1] ?? null
  const [month, year] = [monthOf(lastMonth), Number(lastYear)]
  const startMonth = firstMonth === undefined ? month : monthOf(firstMonth)
  // The week in which the year changes names the new year alone.
  const startYear = firstYear === undefined ? (startMonth > month ? year - 1 : year) : Number(firstYear)
  const [start, end] = [dayMs(startYear, startMonth, Number(firstDay)), dayMs(year, month, Number(lastDay))]
  return start === null || end === null || start > end
    ? { period: written, start: null, end: null, category }
    : { period: written, start: dayOf(start), end: dayOf(end), category }
}

/** The longest description that is read, in characters. */
const DESCRIPTION_MAX_CHARACTERS = 50_000
const PARAGRAPH_END = /<\/p\s*>|<br\s*\/?>/i
const SOURCES = /^sources?\s*:/i

/** The paragraphs of a report without those that list its sources. */
const textOf = (html: string): string =>
  html
    .slice(0, DESCRIPTION_MAX_CHARACTERS)
    .split(PARAGRAPH_END)
    .map((paragraph) => cleanHtml(paragraph, VOLCANO_REPORT_MAX_CHARACTERS))
    .filter((paragraph) => paragraph !== "" && !SOURCES.test(paragraph))
    .join(" ")

const volcanoReport = ({ title, description, guid, pubDate, "georss:point": point }: Report) => {
  const [, head, rest] = TITLE.exec(cleanText(title, 400)) ?? []
  if (head === undefined || rest === undefined) return unreadable("its title names no volcano or no period")
  const [, name = head, country] = COUNTRY.exec(head) ?? []
  const { period, start, end, category } = periodOf(rest)
  const report = cleanText(textOf(description), VOLCANO_REPORT_MAX_CHARACTERS)
  const publishedAt = instantOrNull(rfc822Ms(pubDate))
  if (report === "" || publishedAt === null) return unreadable("it has no text or no time")
  const number = /#vn_(\d{6})$/.exec(guid?.trim() ?? "")?.[1]
  const place = georssPoint(point)
  return {
    volcanoNumber: number === undefined || number.startsWith("0") ? null : Number(number),
    name: cleanText(name, VOLCANO_NAME_MAX_CHARACTERS),
    country: cleanTextOrNull(country, VOLCANO_NAME_MAX_CHARACTERS),
    category: cleanTextOrNull(category, 60),
    period: cleanText(period, 80),
    periodStart: start,
    periodEnd: end,
    report,
    url: httpUrl(guid) ?? PAGE,
    latitude: place?.latitude ?? null,
    longitude: place?.longitude ?? null,
    publishedAt,
  }
}

export default listSource({
  name: "gvp-volcanoes",
  provider: "GVP.weekly_report",
  fills: volcanoes,
  every: "1 hour",
  documents: { issue },
  collect: (upstream) => upstream.fetch(issue, undefined),
  rows: ({ rss }) => rss.channel.item ?? [],
  row: Report,
  toItem: volcanoReport,
  // The channel's own time is one hour off in summer: same clock, another zone.
  contentAtMs: (_, read) => newestMs(read.map(({ item }) => item.publishedAt)),
  attribution: {
    provider: "Smithsonian Institution, Global Volcanism Program, and US Geological Survey",
    licence: "Smithsonian terms of use: with attribution, commercial use by permission",
    url: PAGE,
  },
  terms: termsOf({
    use: "restricted",
    url: "https://volcano.si.edu/gvp_termsofuse.cfm",
    clause: "Smithsonian: personal, educational, non-commercial",
    sold: "no",
  }),
})
