import { DELTAS_WINDOW_MS } from "../../schemas/endpoints/pro-world-deltas.ts"
import type { LearntDelta } from "../../schemas/payloads/world-delta.ts"

/** Events of the window, at most. An hour brings at most 600 of fifty markets, and some dozens of others. */
export const WINDOW_EVENTS_MAX = 2_000
/** UTF-16 units of the window's text, at most: a view may have twice as many. */
export const WINDOW_UNITS_MAX = 2 * 1024 * 1024

/** The window at an instant. */
export interface DeltaWindow {
  /** Oldest first. */
  readonly kept: ReadonlyArray<LearntDelta>
  readonly dropped: ReadonlyArray<LearntDelta>
  /** The events after it are all kept, in milliseconds. */
  readonly completeSinceMs: number
  /** The timestamp of the newest event within the hour that was ever dropped for the bounds; null where there is none. */
  readonly droppedMs: number | null
}

/** The number of the newest events that fit the bounds. */
const fitting = (events: ReadonlyArray<LearntDelta>): number => {
  let units = 0
  let count = 0
  for (const event of events.toReversed()) {
    units += JSON.stringify(event).length + 1
    if (count === WINDOW_EVENTS_MAX || units > WINDOW_UNITS_MAX) return count
    count += 1
  }
  return count
}

/**
 * The last hour of the events at an instant. Beyond its bounds the oldest are dropped, and `completeSinceMs` says so: a
 * caller who has not read them finds his `since` clamped.
 */
export const windowAt = (
  events: ReadonlyArray<LearntDelta>,
  asOfMs: number,
  droppedBeforeMs: number | null,
): DeltaWindow => {
  const beginMs = asOfMs - DELTAS_WINDOW_MS
  const begins = events.findIndex(({ timestamp }) => Date.parse(timestamp) > beginMs)
  const within = begins === -1 ? [] : events.slice(begins)
  const kept = within.slice(within.length - fitting(within))
  const excess = within[within.length - kept.length - 1]
  const droppedMs = excess === undefined ? droppedBeforeMs : Date.parse(excess.timestamp)
  return {
    kept,
    dropped: events.slice(0, events.length - kept.length),
    completeSinceMs: Math.max(beginMs, droppedMs ?? beginMs),
    droppedMs: droppedMs !== null && droppedMs > beginMs ? droppedMs : null,
  }
}
