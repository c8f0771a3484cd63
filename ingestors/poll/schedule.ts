import type { Feed } from "../../schemas/feed.ts"
import { AHEAD_MAX_MS } from "../readers/instants.ts"
import type { InstanceCheckpoint, LoggedBytes } from "./ingest-log.ts"
import type { Instance } from "./plan.ts"

// When an instance is polled next (by its interval, after failures, within its budget of log bytes), and how long the
// payload of a poll is fresh.

/** The first polls after a start are spread over this time. */
const SPREAD_MS = 2_000
/** Jitter that spreads polls of the same interval: a share of the interval, and its bound. */
const JITTER_SHARE = 0.05
const JITTER_MAX_MS = 5_000
/** The pause after a first failure, unless the interval is shorter. */
const RETRY_MIN_MS = 60_000
/** Upper bounds of the backoff: in intervals, and in time unless the interval itself is longer. */
const BACKOFF_INTERVALS_MAX = 4
const BACKOFF_MAX_MS = 20 * 60_000
/** The longest `Retry-After` that delays a feed. */
const RETRY_AFTER_MAX_MS = 15 * 60_000
/** The longest time for which an instance that logs too much is not polled. */
const THROTTLED_MAX_MS = 24 * 3_600_000
/** The shortest pause between two polls of one instance. */
const PAUSE_MIN_MS = 500
/** Time that a poll may take beyond its interval before its feed is stale. */
const GRACE_MS = 15_000

/** The longest pause between two polls of a source, however often it fails: at most four intervals. */
export const pauseMaxMs = (everyMs: number): number =>
  Math.min(everyMs * BACKOFF_INTERVALS_MAX, Math.max(everyMs, BACKOFF_MAX_MS))

/** The longest wait of a schedule, `Retry-After` included. It also bounds the effect of a clock that jumps. */
export const waitMaxMs = (everyMs: number): number =>
  Math.max(RETRY_AFTER_MAX_MS, Math.floor(pauseMaxMs(everyMs) * (1 + JITTER_SHARE)))

/** The end of a throttle, at most a day after the poll; 0 without one. */
const throttledMs = ({ throttledUntil }: InstanceCheckpoint, polledMs: number): number =>
  throttledUntil === null ? 0 : Math.min(Date.parse(throttledUntil), polledMs + THROTTLED_MAX_MS)

/** The first poll after a start: at the stored due time, but not before now plus a random spread. `random` is in [0, 1). */
export const firstDueMs = (
  checkpoint: InstanceCheckpoint | null,
  everyMs: number,
  nowMs: number,
  random: number,
): number => {
  const soonMs = nowMs + Math.floor(random * Math.min(SPREAD_MS, everyMs / 2))
  if (checkpoint === null) return soonMs
  // Bounds the stored due time: the interval may have been shortened, or the clock may have been wrong.
  const polledMs = Math.min(Date.parse(checkpoint.polledAt), nowMs)
  const latestMs = polledMs + pauseMaxMs(everyMs)
  return Math.max(soonMs, Math.min(Date.parse(checkpoint.dueAt), latestMs), throttledMs(checkpoint, polledMs))
}

/** The poll after one that was committed just now: after a short pause at least, and within the longest wait of a schedule. */
export const followingDueMs = (checkpoint: InstanceCheckpoint, everyMs: number, nowMs: number): number =>
  Math.max(
    Math.min(Math.max(Date.parse(checkpoint.dueAt), nowMs + PAUSE_MIN_MS), nowMs + waitMaxMs(everyMs)),
    throttledMs(checkpoint, nowMs),
  )

/** The next poll after a success that began at `beganMs`. */
export const nextDueMs = (everyMs: number, beganMs: number, random: number): number =>
  beganMs + everyMs + Math.floor(random * Math.min(everyMs * JITTER_SHARE, JITTER_MAX_MS))

/** The next poll after the `failures`th failure in a row, at `nowMs`. */
export const nextTryMs = (
  everyMs: number,
  nowMs: number,
  failures: number,
  retryAfterMs: number | null,
  random: number,
): number => {
  const firstMs = Math.min(everyMs, RETRY_MIN_MS)
  const backoffMs = Math.min(firstMs * 2 ** Math.min(failures - 1, 30), pauseMaxMs(everyMs))
  const retryAfterBoundedMs = Math.min(retryAfterMs ?? 0, waitMaxMs(everyMs))
  return nowMs + Math.max(Math.floor(backoffMs * (1 - random * JITTER_SHARE)), retryAfterBoundedMs)
}

/**
 * The end of a success's freshness: after twice the interval, or when the content exceeds its maximum age, whichever comes
 * first. All in milliseconds since the epoch.
 */
export const freshUntilMs = (
  everyMs: number,
  observedAtMs: number,
  contentAtMs: number | null,
  contentAgeMaxMs: number | null,
): number => {
  const byInterval = observedAtMs + 2 * everyMs + GRACE_MS
  return contentAtMs === null || contentAgeMaxMs === null
    ? byInterval
    : Math.min(byInterval, contentAtMs + contentAgeMaxMs)
}

/**
 * The upstream's content time, bounded by the clock. A time up to `AHEAD_MAX_MS` ahead counts as now. One further ahead is
 * replaced by the last known time: otherwise each poll would renew it, and a frozen upstream would look fresh for ever.
 */
export const contentTime = (contentAtMs: number | null, lastMs: number | null, timeMs: number): number | null => {
  if (contentAtMs === null || !Number.isFinite(contentAtMs) || contentAtMs < 0) return null
  return contentAtMs > timeMs + AHEAD_MAX_MS ? lastMs : Math.min(contentAtMs, timeMs)
}

/** The end of a success's freshness. With an impossible content time and no earlier valid one, it is stale at once. */
export const freshUntil = (
  instance: Instance,
  claimedMs: number | null,
  contentAtMs: number | null,
  timeMs: number,
): number => {
  const contentAgeMaxMs = instance.feed.contentAgeMaxMs(instance.parameters)
  const isImpossible = claimedMs !== null && claimedMs > timeMs + AHEAD_MAX_MS && contentAtMs === null
  return isImpossible && contentAgeMaxMs !== null
    ? timeMs
    : freshUntilMs(instance.everyMs, timeMs, contentAtMs, contentAgeMaxMs)
}

/** An instance may log this many times what one of its feed usually logs in a day. */
const BUDGET_FACTOR = 10
/** Until this share of its budget is used, an instance is polled at its interval whatever it logs. */
const UNPACED_SHARE = 0.5
/** Reserved of a budget for the events that say that it is spent. */
const RESERVE_BYTES = 4 * 1024
const DAY_MS = 86_400_000
/** Length of the day in an ISO instant. */
const DAY_LENGTH = 10

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
