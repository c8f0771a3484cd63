import { type DailyWindow, weekdays } from "../../../schemas/feeds/faa-status.ts"
import { civilMs, monthOf } from "../../readers/civil-time.ts"
import { instantOrNull } from "../../readers/instants.ts"

/** What a notice to airmen about a closed airport says, as far as it is read. */
export interface ClosureNotam {
  readonly notam: string | null
  /** Whether it closes the airport to some users alone. */
  readonly isRestriction: boolean
  /** Null where the notice names no period. */
  readonly period: { readonly startsAt: string; readonly endsAt: string | null } | null
  readonly isAtCertainHours: boolean
  readonly dailyWindow: DailyWindow | null
}

const NUMBER = /^!?\s*[A-Z0-9]{3,4}\s+(\d{1,2}\/\d{1,4})\b/
/** Begin and end as YYMMDDHHMM, UTC; an end may be an estimate, or `PERM`. */
const PERIOD = /(?<!\d)(\d{10})-(?:(\d{10})(?:EST)?|PERM)(?!\d)/
const CLOSED_TO_SOME = /\bCLSD TO (?!ALL (?:ACFT|AIRCRAFT|OPS|OPERATIONS|TFC|TRAFFIC)\b)/
/** Open to scheduled flights: the same as closed to all others. */
const CLOSED_EXCEPT_SCHEDULED = /\bCLSD EXC(?:EPT)?\b[^.;]{0,40}?\b(?:SKED|SCHEDULED|AIR CARRIERS?|ACR|PART 121)\b/
/** Where a notice stands, before its words: airports may be called SAT or SUN. */
const HEAD = /^!?\s*(?:[A-Z0-9]{3,4}\s+\d{1,2}\/\d{1,4}\s+)?[A-Z0-9]{3,4}\s+AD AP\b/
const DAY_WORD = "(?:SUN|MON|TUE|WED|THU|FRI|SAT)"
/** Longer names of days, such as `MONDAYS` and `THUR`. */
const DAY_NAME = new RegExp(String.raw`\b(${DAY_WORD})(?:S|SDAY|NESDAY|R|RS|RSDAY|URDAY|DAY)S?\b`, "g")
/** Between two days: from one to the other. */
const THROUGH = new RegExp(String.raw`(?<=\b${DAY_WORD})\s+THRU\s+(?=${DAY_WORD}\b)`, "g")
const EVERY_DAY = "(?:DLY|DAILY|NIGHTLY)"
const EVERY_DAY_ALONE = new RegExp(`^${EVERY_DAY}$`)
const DAYS = String.raw`${DAY_WORD}(?:(?:\s*-\s*|[\s,]+)${DAY_WORD})*`
/** Hours as HHMM-HHMM, after the days on which they begin. No telephone number has such groups. */
const HOURS = new RegExp(
  String.raw`(?:\b(${EVERY_DAY}|${DAYS})\s+)?(?<![\d-])(\d{4})Z?\s*-\s*(\d{4})Z?(?![\d-])(?:\s+${EVERY_DAY}\b)?`,
  "g",
)
const MONTH =
  "(?:JAN(?:UARY)?|FEB(?:RUARY)?|MAR(?:CH)?|APR(?:IL)?|MAY|JUNE?|JULY?|AUG(?:UST)?|SEPT?(?:EMBER)?|OCT(?:OBER)?|NOV(?:EMBER)?|DEC(?:EMBER)?)"
/** Words of a schedule: days, which of them (`1ST`, `LAST`, `EVERY OTHER`, `EVEN`), months, holidays, sunrise and sunset. */
const SCHEDULE = new RegExp(
  String.raw`\b(?:${EVERY_DAY}|${DAY_WORD}|${MONTH}|\d{1,2}(?:ST|ND|RD|TH)|FIRST|SECOND|THIRD|FOURTH|FIFTH|LAST|EVERY|EACH|ALTERNATE|EVEN|ODD|WEEKS?|WKS?|WKLY|(?:BI-?)?WEEKLY|MONTHS?|MONTHLY|HOLS?|HOLIDAYS?|NIGHTS?|SR|SS|SUNRISE|SUNSET|DAWN|DUSK)\b`,
)
/** Days of a month, such as `15`, `01-05` or `03, 07`, at the end of a text. */
const DATES_AT_END = /(?:^|[\s,])\d{1,2}(?:\s*-\s*\d{1,2})?[\s,]*$/
/** A time of day that is no part of a telephone number, and no measure. */
const TIME = /(?<![\d-])(?:[01]\d|2[0-4])[0-5]\dZ?(?!\d|-?\d{3}\b|\s*(?:FT|LBS?|NM|SM)\b)/
/** With one of these the hours may be other ones than those of the closure, or in another time than UTC. */
const OF_OTHER_HOURS =
  /\b(?:NOT|OPN|OPEN|AVBL|ATND|ATTENDED|OTHER|OT|OUTSIDE|UNLESS|WHEN|IF|ALTN|NEXT|LCL|LOCAL|LT)\b|\bEXC(?:EPT)?(?:\s+(?:BTN|FROM|DURING|ON))?\s*$/
/** Words, or the end of a telephone number, after which hours or days are those of the notice. Others may say which days. */
const BEFORE_HOURS =
  /(?:^|\b(?:CLSD|HEL|HELI|ACFT|OPS|FLT|FLTS|TFC|PPR|EMERG|EMERGENCY|MEDEVAC|BTN|FROM|DURING|WIP)|-\d{4})[\s,.]*$/
/** What may stand behind hours, where a notice ends but for its period. */
const AFTER_HOURS = /^\s*(?:UTC)?[\s.]*$/

const timeOfDay = (digits: string): string | null =>
  /^([01]\d|2[0-3])[0-5]\d$/.test(digits) ? `${digits.slice(0, 2)}:${digits.slice(2)}` : null

const weekdayOf = (word: string): number => (weekdays as ReadonlyArray<string>).indexOf(word)

/** The days of a text such as `MON-FRI` or `SAT SUN`; null for every day. */
const daysOf = (text: string): DailyWindow["weekdays"] => {
  const named = new Set<number>()
  for (const [, first = "", last = first] of text.matchAll(/([A-Z]{3})(?:\s*-\s*([A-Z]{3}))?/g)) {
    const [from, to] = [weekdayOf(first), weekdayOf(last)]
    if (from === -1 || to === -1) return null
    for (let day = from; ; day = (day + 1) % weekdays.length) {
      named.add(day)
      if (day === to) break
    }
  }
  return named.size === 0 ? null : weekdays.filter((_, day) => named.has(day))
}

/** The words of a notice that may state a schedule, with its days in one form, such as `MON-FRI` for `WKDAYS`. */
const scheduleOf = (text: string): string =>
  text
    .replace(PERIOD, " ")
    .replace(HEAD, " ")
    .replace(/\bW(?:EE)?KDAYS?\b/g, "MON-FRI")
    .replace(/\bW(?:EE)?KENDS?\b/g, "SAT-SUN")
    .replace(DAY_NAME, "$1")
    .replace(THROUGH, "-")

/**
 * The daily window of a notice: its hours stand at its end, before the period. Null if it has none or several, if it names the
 * hours during which the airport is open, and if other words may say of which days they are, such as `1ST MON` or `EXC SUN`.
 */
const windowOf = (text: string): DailyWindow | null => {
  const [only, ...others] = [...text.matchAll(HOURS)]
  if (only === undefined || others.length > 0) return null
  const [whole, days = "", begin = "", end = ""] = only
  const [before, after] = [text.slice(0, only.index), text.slice(only.index + whole.length)]
  if (!AFTER_HOURS.test(after) || !(EVERY_DAY_ALONE.test(days) || BEFORE_HOURS.test(before))) return null
  if ([SCHEDULE, TIME, DATES_AT_END, OF_OTHER_HOURS].some((pattern) => pattern.test(before))) return null
  const [from, to] = [timeOfDay(begin), timeOfDay(end === "2400" ? "0000" : end)]
  return from === null || to === null ? null : { from, to, weekdays: daysOf(days) }
}

const notamInstant = (digits: string): string | null => {
  const [year, month, day, hour, minute] = (digits.match(/\d\d/g) ?? []).map(Number)
  if (year === undefined || month === undefined || day === undefined || hour === undefined || minute === undefined)
    return null
  return instantOrNull(civilMs({ year: 2000 + year, month, day, hour, minute, second: 0 }))
}

const periodOf = (text: string): ClosureNotam["period"] => {
  const [, begin, end] = PERIOD.exec(text) ?? []
  const startsAt = begin === undefined ? null : notamInstant(begin)
  return startsAt === null ? null : { startsAt, endsAt: end === undefined ? null : notamInstant(end) }
}

/** Reads the reason of a closure, which is a notice to airmen or plain words. */
export const readClosureNotam = (reason: string): ClosureNotam => {
  const text = reason.toUpperCase()
  const isNotice = text.startsWith("!") || /\bAD AP\b/.test(text)
  const schedule = scheduleOf(text)
  const hasHours = schedule.search(HOURS) !== -1
  // Plain words may name a day or a month for another reason.
  const isAtCertainHours =
    hasHours || (isNotice && [SCHEDULE, TIME, DATES_AT_END].some((pattern) => pattern.test(schedule)))
  return {
    notam: NUMBER.exec(text)?.[1] ?? null,
    // A notice about an airport that does not say "closed" restricts its use.
    isRestriction:
      CLOSED_TO_SOME.test(text) || CLOSED_EXCEPT_SCHEDULED.test(text) || (isNotice && !/\bCLSD\b/.test(text)),
    period: periodOf(text),
    isAtCertainHours,
    dailyWindow: isNotice ? windowOf(schedule) : null,
  }
}

const MONTH_DAY = /^\s*([a-z]{3,9})\s+(\d{1,2})\s+at\s+(\d{1,2}):(\d\d)\s+UTC\b/i

/** The instants of a date without a year (`Jul 07 at 04:30 UTC.`) around the year of `nearMs`, earliest first. */
const monthDayMs = (text: string, nearMs: number): ReadonlyArray<number> => {
  const [, month = "", day, hour, minute] = MONTH_DAY.exec(text) ?? []
  const year = new Date(nearMs).getUTCFullYear()
  return [year - 1, year, year + 1].flatMap(
    (one) =>
      civilMs({
        year: one,
        month: monthOf(month),
        day: Number(day),
        hour: Number(hour),
        minute: Number(minute),
        second: 0,
      }) ?? [],
  )
}

/** The period of dates without a year: the start nearest to the time of the list, and the first end after it. */
export const periodWithoutYear = (start: string, end: string, nearMs: number) => {
  const [startMs = null] = monthDayMs(start, nearMs).toSorted(
    (one, other) => Math.abs(one - nearMs) - Math.abs(other - nearMs),
  )
  const endMs = monthDayMs(end, startMs ?? nearMs).find((ms) => ms > (startMs ?? nearMs)) ?? null
  return { startsAt: instantOrNull(startMs), endsAt: instantOrNull(endMs) }
}
