import * as Schema from "effect/Schema"
import type { Feed } from "../schemas/feed.ts"

/** An instance may log this many times what one of its feed usually logs in a day. */
const BUDGET_FACTOR = 10
/** Until this share of its budget is used, an instance is polled at its interval whatever it logs. */
const UNPACED_SHARE = 0.5
/** The end of a budget, for the events that say that it is spent. */
const RESERVE_BYTES = 4 * 1024
const DAY_MS = 86_400_000
/** Length of the day in an ISO instant. */
const DAY_LENGTH = 10

/** The bytes that an instance logged in a day (UTC). */
export const LoggedBytes = Schema.Struct({
  /** `YYYY-MM-DD` */
  day: Schema.String,
  bytes: Schema.Natural,
})
export type LoggedBytes = typeof LoggedBytes.Type

/** The bytes that an instance of a feed may log in a day (UTC): events of its polls, and what is quarantined of them. */
export const logBudgetBytes = ({ logBytesPerDay }: Pick<Feed, "logBytesPerDay">): number =>
  logBytesPerDay * BUDGET_FACTOR

/** The bytes of the day of an instant (ISO); 0 where the last were logged on another day. */
export const bytesOn = (time: string, logged: LoggedBytes | undefined): number =>
  logged?.day === time.slice(0, DAY_LENGTH) ? logged.bytes : 0

/** The bytes of the day after some more. */
export const withBytes = (time: string, logged: LoggedBytes | undefined, bytes: number): LoggedBytes => ({
  day: time.slice(0, DAY_LENGTH),
  bytes: bytesOn(time, logged) + bytes,
})

/** Whether a poll of this size still fits into the budget of its day. */
export const fitsBudget = (budgetBytes: number, spentBytes: number, bytes: number): boolean =>
  spentBytes + bytes <= budgetBytes - RESERVE_BYTES

/** The end of the day (UTC) of an instant, in milliseconds since the epoch. */
export const dayEndMs = (timeMs: number): number => (Math.floor(timeMs / DAY_MS) + 1) * DAY_MS

/**
 * When an instance is polled next if polls like its last one shall not exceed the day's budget: the time that is left is
 * divided among the polls that the bytes that are left allow. Null while half of the budget is not used.
 */
export const pacedUntilMs = (
  budgetBytes: number,
  spentBytes: number,
  lastBytes: number,
  timeMs: number,
): number | null => {
  if (spentBytes <= budgetBytes * UNPACED_SHARE) return null
  const endMs = dayEndMs(timeMs)
  const leftBytes = budgetBytes - RESERVE_BYTES - spentBytes
  return leftBytes <= lastBytes ? endMs : timeMs + Math.ceil(((endMs - timeMs) * lastBytes) / leftBytes)
}
