import { DAY_MS, dayOf } from "./days.ts"

/** How often something happened to an account on the latest day (UTC, since the epoch) on which it did. */
export interface DayCount {
  readonly day: number
  readonly count: number
}

/** The count of a new account. */
export const noneYet: DayCount = { day: 0, count: 0 }

const countOn = ({ day, count }: DayCount, atMs: number): number => (day === dayOf(atMs) ? count : 0)

/** Counts one more. */
export const countedAt = (counted: DayCount, atMs: number): DayCount => ({
  day: dayOf(atMs),
  count: countOn(counted, atMs) + 1,
})

/** Counts one less; none on a day that has none. */
export const countedBackAt = (counted: DayCount, atMs: number): DayCount => ({
  day: dayOf(atMs),
  count: Math.max(0, countOn(counted, atMs) - 1),
})

/** Milliseconds until midnight UTC if the day's count has reached `max`; null if one more may happen now. */
export const waitMsOf = (counted: DayCount, max: number, nowMs: number): number | null =>
  countOn(counted, nowMs) < max ? null : (dayOf(nowMs) + 1) * DAY_MS - nowMs
