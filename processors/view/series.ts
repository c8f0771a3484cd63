import type { Memory } from "./memory.ts"

/** One point of a series: the time of its poll, in milliseconds since the epoch, and the value. Plain JSON. */
export type SeriesPoint = readonly [atMs: number, value: number]

/** A window over a feed: one number of its payload, one point in each `everyMs`, over the last `windowMs`. */
export interface SeriesWindow<Payload = unknown> {
  readonly windowMs: number
  readonly everyMs: number
  /** The number of a payload; null where it has none. */
  value(payload: Payload): number | null
}

/** The most points that a window may hold. */
export const SERIES_POINTS_MAX = 2_016

/** Throws when a window is empty, or would hold more points than are allowed. */
export const checkWindow = ({ windowMs, everyMs }: SeriesWindow): void => {
  const points = windowMs / everyMs
  if (!(everyMs > 0 && points >= 1 && points < SERIES_POINTS_MAX))
    throw new RangeError(`a series of ${windowMs} ms, one point each ${everyMs} ms, is not within bounds`)
}

/** The points within the window that ends at `nowMs`; the identical list if all are. */
export const withinWindow = (
  points: ReadonlyArray<SeriesPoint>,
  { windowMs }: Pick<SeriesWindow, "windowMs">,
  nowMs: number,
): ReadonlyArray<SeriesPoint> => {
  const kept = points.findIndex(([atMs]) => atMs > nowMs - windowMs)
  return kept === 0 ? points : kept === -1 ? [] : points.slice(kept)
}

/**
 * The points after an observation at `atMs`. The first of each interval of `everyMs` stays, so a published point never
 * changes. An observation that is late or has no number changes nothing: the identical list is returned.
 */
export const withPoint = (
  points: ReadonlyArray<SeriesPoint>,
  window: Pick<SeriesWindow, "windowMs" | "everyMs">,
  atMs: number,
  value: number | null,
): ReadonlyArray<SeriesPoint> => {
  if (value === null || !Number.isFinite(value)) return points
  const interval = (ms: number): number => Math.floor(ms / window.everyMs)
  const last = points.at(-1)
  if (last !== undefined && interval(atMs) <= interval(last[0])) return points
  return withinWindow([...points, [atMs, value]], window, atMs)
}

/** The memory of a series: its points, oldest first. A poll that only confirms the payload can make a point as well. */
export const seriesMemory = (window: SeriesWindow): Memory => ({
  after: (kept, { atMs, payload }) => {
    // The entries were made by this function.
    const before = (kept ?? []) as ReadonlyArray<SeriesPoint>
    const after = withPoint(before, window, atMs, window.value(payload))
    return after === before ? kept : after
  },
  within: (kept, nowMs) => withinWindow((kept ?? []) as ReadonlyArray<SeriesPoint>, window, nowMs),
  changesAtMs: (kept, nowMs) => {
    const [oldest] = withinWindow((kept ?? []) as ReadonlyArray<SeriesPoint>, window, nowMs)
    return oldest === undefined ? null : oldest[0] + window.windowMs
  },
})
