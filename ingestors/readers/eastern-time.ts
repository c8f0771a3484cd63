import { type CivilTime, civilMs } from "./civil-time.ts"

const HOUR_MS = 3_600_000
/** How far US Eastern time lies behind UTC, the earlier instant of a wall clock's time first: in summer, in winter. */
const OFFSETS_MS = [4 * HOUR_MS, 5 * HOUR_MS] as const

// The runtime knows the zone's rules, also those of years past.
const wall = new Intl.DateTimeFormat("en-US", {
  timeZone: "America/New_York",
  hourCycle: "h23",
  day: "numeric",
  hour: "numeric",
})

/** Day and hour that a clock in New York shows: enough to tell the two offsets apart. */
const shown = (ms: number): string => {
  const parts = wall.formatToParts(ms)
  const partOf = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((part) => part.type === type)?.value)
  return `${partOf("day")} ${partOf("hour")}`
}

/**
 * Milliseconds since the epoch of a civil time in US Eastern time. Of an hour that a clock shows twice, in autumn, the
 * earlier one; null for the hour that is left out in spring, and for what is no time at all.
 */
export const easternMs = (time: CivilTime): number | null => {
  const asUtcMs = civilMs(time)
  if (asUtcMs === null) return null
  const offset = OFFSETS_MS.find((one) => shown(asUtcMs + one) === `${time.day} ${time.hour}`)
  return offset === undefined ? null : asUtcMs + offset
}
