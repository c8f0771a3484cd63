import type { InstanceCheckpoint } from "./checkpoint.ts"

/** Within this time after a start, everything that is due is polled for the first time. */
const SPREAD_MS = 2_000
/** Polls of one interval drift apart by this share of it, and by this much at most. */
const JITTER_SHARE = 0.05
const JITTER_MAX_MS = 5_000
/** The pause after the first failure of a source that is polled seldom. */
const RETRY_MIN_MS = 60_000
/** A failing source is asked again within this many intervals, or within this time where that is shorter by far. */
const BACKOFF_INTERVALS_MAX = 4
const BACKOFF_MAX_MS = 20 * 60_000
/** The longest that an upstream can send us away from one feed. */
const RETRY_AFTER_MAX_MS = 15 * 60_000
/** What a poll may take beyond its interval before its feed counts as late. */
const GRACE_MS = 15_000

/** The longest pause between two polls of a source, however often it fails: at most four intervals. */
export const pauseMaxMs = (everyMs: number): number =>
  Math.min(everyMs * BACKOFF_INTERVALS_MAX, Math.max(everyMs, BACKOFF_MAX_MS))

/** The longest that a schedule ever waits, an upstream's own wish included. Clocks may jump; schedules do not follow. */
export const waitMaxMs = (everyMs: number): number =>
  Math.max(RETRY_AFTER_MAX_MS, Math.floor(pauseMaxMs(everyMs) * (1 + JITTER_SHARE)))

/** When to poll first after a start: when it was due, or now, spread a little. `random` is in [0, 1). */
export const firstDueMs = (
  checkpoint: InstanceCheckpoint | null,
  everyMs: number,
  nowMs: number,
  random: number,
): number => {
  const soonMs = nowMs + Math.floor(random * Math.min(SPREAD_MS, everyMs / 2))
  if (checkpoint === null) return soonMs
  // An interval may have become shorter since, and a clock may have been wrong.
  const latestMs = Math.min(Date.parse(checkpoint.polledAt), nowMs) + pauseMaxMs(everyMs)
  return Math.max(soonMs, Math.min(Date.parse(checkpoint.dueAt), latestMs))
}

/** When to poll next after a success of a poll that began at `beganMs`. */
export const nextDueMs = (everyMs: number, beganMs: number, random: number): number =>
  beganMs + everyMs + Math.floor(random * Math.min(everyMs * JITTER_SHARE, JITTER_MAX_MS))

/** When to poll next after the `failures`th failure in a row, at `nowMs`. */
export const nextTryMs = (
  everyMs: number,
  nowMs: number,
  failures: number,
  retryAfterMs: number | null,
  random: number,
): number => {
  const firstMs = Math.min(everyMs, RETRY_MIN_MS)
  const backoffMs = Math.min(firstMs * 2 ** Math.min(failures - 1, 30), pauseMaxMs(everyMs))
  const askedMs = Math.min(retryAfterMs ?? 0, waitMaxMs(everyMs))
  return nowMs + Math.max(Math.floor(backoffMs * (1 - random * JITTER_SHARE)), askedMs)
}

/**
 * Until when a success keeps its feed's promise: twice the interval, and no longer than the content's age may be. All in
 * milliseconds since the epoch.
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
