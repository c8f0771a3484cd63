import * as Schema from "effect/Schema"
import { isDay } from "../../schemas/day.ts"
import {
  REACTOR_POWER_MAX_PERCENT,
  REACTOR_UNIT_MAX_CHARACTERS,
  REACTORS_MIN,
  reactors,
} from "../../schemas/feeds/reactors.ts"
import { document, UpstreamError } from "../document.ts"
import { unreadable } from "../poll/read.ts"
import { csvTable } from "../readers/csv.ts"
import { isAhead } from "../readers/instants.ts"
import { within } from "../readers/numbers.ts"
import { cleanText } from "../readers/text.ts"
import { Decimal } from "../readers/wire.ts"
import { listSource } from "../source.ts"
import { openTerms } from "../terms.ts"

/** https://www.nrc.gov/reading-rm/doc-collections/event-status/reactor-status/ One unit on one day. */
const Row = Schema.Struct({ ReportDt: Schema.String, Unit: Schema.String, Power: Decimal })

/** A line of the file, its cells by their columns. Those of the newest day alone are decoded further. */
const Line = Schema.Record(Schema.String, Schema.String)
type Line = typeof Line.Type

const lastYear = document({
  format: "csv",
  // The required columns refuse an error page, which would otherwise read as a table without reactors.
  wire: csvTable(["ReportDt", "Unit", "Power"], Line),
  url: "https://www.nrc.gov/reading-rm/doc-collections/event-status/reactor-status/PowerReactorStatusForLast365Days.txt",
  // The host refuses longer ones.
  userAgentCharactersMax: 80,
})

const REPORT_DATE = /^(\d{1,2})\/(\d{1,2})\/(\d{4})(?: \d{1,2}:\d\d(?::\d\d)?(?: [AP]M)?)?$/

/** The day of `3/31/2024 12:00:00 AM` as YYYY-MM-DD; null if there is no such day. */
const reportDay = (text: string): string | null => {
  const [, month = "", day = "", year = ""] = REPORT_DATE.exec(text) ?? []
  return isDay(Number(year), Number(month), Number(day))
    ? `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`
    : null
}

const midnight = (day: string): string => `${day}T00:00:00.000Z`

/** The lines of the newest day, and those with a future or invalid day, which are then counted as unreadable. */
const newestLines = (lines: ReadonlyArray<Line>, observedAtMs: number): ReadonlyArray<Line> => {
  // Each day is parsed once: 34,000 lines have 365 different days.
  const texts = new Set(lines.map(({ ReportDt = "" }) => ReportDt))
  const days = new Map([...texts].map((text) => [text, reportDay(text)]))
  const newest = [...days.values()].reduce<string>(
    (best, day) => (day !== null && day > best && !isAhead(midnight(day), observedAtMs) ? day : best),
    "",
  )
  return lines.filter(({ ReportDt = "" }) => (days.get(ReportDt) ?? newest) >= newest)
}

export default listSource({
  name: "nrc-reactors",
  provider: "NRC.reactors",
  fills: reactors,
  every: "6 hours",
  documents: { lastYear },
  collect: (upstream) => upstream.fetch(lastYear, undefined),
  rows: ({ rows }, { observedAtMs }) => newestLines(rows, observedAtMs),
  row: Row,
  toItem: ({ ReportDt, Unit, Power }) => {
    const [reportDate, powerPercent] = [reportDay(ReportDt), within(Power, 0, REACTOR_POWER_MAX_PERCENT)]
    return reportDate === null || powerPercent === null
      ? unreadable("its day or its power cannot be read")
      : { unit: cleanText(Unit, REACTOR_UNIT_MAX_CHARACTERS), reportDate, powerPercent }
  },
  facts: (_, read) => {
    const reportDate = read[0]?.item.reportDate
    if (reportDate === undefined || new Set(read.map(({ item }) => item.unit)).size < REACTORS_MIN)
      return new UpstreamError({ message: `the newest report has fewer than ${REACTORS_MIN} units` })
    return read.every(({ item }) => item.powerPercent === 0)
      ? new UpstreamError({ message: "every unit is at 0 percent: an error, and no outage of all plants" })
      : { reportDate }
  },
  contentAtMs: (_, [first]) => (first === undefined ? null : Date.parse(midnight(first.item.reportDate))),
  attribution: {
    provider: "US Nuclear Regulatory Commission, power reactor status report",
    licence: "US government work, public domain",
    url: "https://www.nrc.gov/reading-rm/doc-collections/event-status/reactor-status/",
  },
  terms: openTerms("https://www.nrc.gov/site-help/copyright.html", "US government work, public domain"),
})
