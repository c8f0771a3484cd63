import { FREE_ENDS_PER_DAY } from "../../schemas/contract/refusal.ts"
import { DAY_MS, dayOf } from "./days.ts"

/** Debits of an account that ended uncharged by what its callers did, on the latest day with one. */
export interface FreeEnds {
  readonly day: number
  readonly count: number
}

/** The count of a new account. */
export const noFreeEnds: FreeEnds = { day: 0, count: 0 }

const countOn = ({ day, count }: FreeEnds, atMs: number): number => (day === dayOf(atMs) ? count : 0)

/** Counts one more. */
export const withFreeEnd = (ends: FreeEnds, atMs: number): FreeEnds => ({
  day: dayOf(atMs),
  count: countOn(ends, atMs) + 1,
})

/** Milliseconds until the account may have another one; null if it may have one now. */
export const freeEndDueMs = (ends: FreeEnds, nowMs: number): number | null =>
  countOn(ends, nowMs) < FREE_ENDS_PER_DAY ? null : (dayOf(nowMs) + 1) * DAY_MS - nowMs
