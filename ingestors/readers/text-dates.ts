import { civilMs, monthOf } from "./civil-time.ts"

const MINUTE_MS = 60_000

/** The zone names of RFC 822, in minutes east of UTC. */
const zones: Readonly<Record<string, number>> = {
  ut: 0,
  utc: 0,
  gmt: 0,
  z: 0,
  est: -300,
  edt: -240,
  cst: -360,
  cdt: -300,
  mst: -420,
  mdt: -360,
  pst: -480,
  pdt: -420,
}

/** Minutes east of UTC of `+0130`, `-05:00` or a zone's name; null if it is unknown. */
const zoneMinutes = (zone: string): number | null => {
  const [, sign, hours, minutes] = /^([+-])(\d\d):?(\d\d)$/.exec(zone) ?? []
  if (sign === undefined) return zones[zone.toLowerCase()] ?? null
  const east = Number(hours) * 60 + Number(minutes)
  return Number(hours) > 14 || Number(minutes) > 59 ? null : sign === "-" ? -east : east
}

const RFC_822 =
  /^\s*(?:[a-z]{3,9},\s*)?(\d{1,2})\s+([a-z]{3,9})\s+(\d{2}|\d{4})\s+(\d{1,2}):(\d\d)(?::(\d\d))?\s+([a-z]{1,3}|[+-]\d\d:?\d\d)\s*$/i

/** Years of two digits below 50 are in this century (RFC 2822, 4.3). */
const fullYear = (text: string): number => (text.length > 2 ? 0 : Number(text) < 50 ? 2000 : 1900) + Number(text)

/**
 * Milliseconds since the epoch of a date as RSS and e-mail write it (RFC 822 and its successors: `Thu, 24 Sep 2026
 * 16:00:00 -0400`); null if it is invalid or has no zone. The name of the weekday is not checked.
 */
export const rfc822Ms = (text: string | null | undefined): number | null => {
  const [, day, month = "", year = "", hour, minute, second = "0", zone = ""] = RFC_822.exec(text ?? "") ?? []
  const east = zoneMinutes(zone)
  const ms = civilMs({
    year: fullYear(year),
    month: monthOf(month),
    day: Number(day),
    hour: Number(hour),
    minute: Number(minute),
    second: Number(second),
  })
  return ms === null || east === null || ms - east * MINUTE_MS < 0 ? null : ms - east * MINUTE_MS
}

const ASCTIME = /^\s*[a-z]{3}\s+([a-z]{3})\s+(\d{1,2})\s+(\d\d):(\d\d):(\d\d)\s+(\d{4})(?:\s+(gmt|utc|z))?\s*$/i

/**
 * Milliseconds since the epoch of a date as C's `asctime` writes it (`Wed Jul 29 14:41:01 2026`, also with `GMT` behind
 * it), in UTC; null if it is invalid.
 */
export const asctimeMs = (text: string | null | undefined): number | null => {
  const [, month = "", day, hour, minute, second, year] = ASCTIME.exec(text ?? "") ?? []
  return civilMs({
    year: Number(year),
    month: monthOf(month),
    day: Number(day),
    hour: Number(hour),
    minute: Number(minute),
    second: Number(second),
  })
}
