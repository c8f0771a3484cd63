import { type CivilTime, civilMs } from "./civil-time.ts"

const HOUR_MS = 3_600_000

/**
 * Makes a reader of civil times in one zone: milliseconds since the epoch. `offsetsMs` are the offsets of the zone behind
 * UTC, summer first. The hour that occurs twice in autumn gives the earlier instant; the hour skipped in spring and invalid
 * times give null.
 */
const zoneTime = (timeZone: string, offsetsMs: ReadonlyArray<number>): ((time: CivilTime) => number | null) => {
  // The runtime has the rules of the zone, including those of past years.
  const wall = new Intl.DateTimeFormat("en-US", { timeZone, hourCycle: "h23", day: "numeric", hour: "numeric" })
  /** Day and hour in the zone, which distinguish its offsets. */
  const shown = (ms: number): string => {
    const parts = wall.formatToParts(ms)
    const partOf = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((part) => part.type === type)?.value)
    return `${partOf("day")} ${partOf("hour")}`
  }
  return (time) => {
    const asUtcMs = civilMs(time)
    if (asUtcMs === null) return null
    const offset = offsetsMs.find((one) => shown(asUtcMs + one) === `${time.day} ${time.hour}`)
    return offset === undefined ? null : asUtcMs + offset
  }
}

/** Milliseconds since the epoch of a civil time in US Eastern time. */
export const easternMs = zoneTime("America/New_York", [4 * HOUR_MS, 5 * HOUR_MS])

/** Milliseconds since the epoch of a civil time in Warsaw (Central European time). */
export const warsawMs = zoneTime("Europe/Warsaw", [-2 * HOUR_MS, -HOUR_MS])
