import { type CivilTime, civilMs } from "./civil-time.ts"

const HOUR_MS = 3_600_000
/** Offsets of US Eastern time behind UTC: summer first, since it gives the earlier instant of an ambiguous time. */
const OFFSETS_MS = [4 * HOUR_MS, 5 * HOUR_MS] as const

// The runtime has the rules of the zone, including those of past years.
const wall = new Intl.DateTimeFormat("en-US", {
  timeZone: "America/New_York",
  hourCycle: "h23",
  day: "numeric",
  hour: "numeric",
})

/** Day and hour in New York, which distinguish the two offsets. */
const shown = (ms: number): string => {
  const parts = wall.formatToParts(ms)
  const partOf = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((part) => part.type === type)?.value)
  return `${partOf("day")} ${partOf("hour")}`
}

/**
 * Milliseconds since the epoch of a civil time in US Eastern time. The hour that occurs twice in autumn
 * gives the earlier instant; the hour skipped in spring and invalid times give null.
 */
export const easternMs = (time: CivilTime): number | null => {
  const asUtcMs = civilMs(time)
  if (asUtcMs === null) return null
  const offset = OFFSETS_MS.find((one) => shown(asUtcMs + one) === `${time.day} ${time.hour}`)
  return offset === undefined ? null : asUtcMs + offset
}
