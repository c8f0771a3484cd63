import type { Parameters } from "../../schemas/feed.ts"
import type { Json } from "../../schemas/json.ts"
import type { Change, ChangeKind } from "../feed-state.ts"

/** A successful poll of an instance: the input of a memory. */
export interface Poll {
  readonly parameters: Parameters
  /** When the poll ended, in milliseconds since the epoch. */
  readonly atMs: number
  readonly payload: Json
  /**
   * The item changes since the payload before; every item where the memory begins with this poll. Empty where the poll
   * only confirms the payload.
   */
  readonly changes: ReadonlyArray<Change>
  /** Whether this is the first payload: its items are a backlog, not news. */
  readonly isInitial: boolean
}

/** The entries of a memory, oldest first: plain JSON, and never changed. */
export type Remembered = ReadonlyArray<Json>

/**
 * The history of an input that a view keeps as state of the fold: a bounded list of entries, and a pure function of the polls
 * in order. A view that is new in a release begins with an empty one; a rebuild fills it from log and archive.
 */
export interface Memory {
  /**
   * The entries after a poll: of those that were kept the newest, the same objects in the same order, then the ones that it
   * adds; the identical list where nothing changes. `kept` is undefined before the first poll.
   */
  after(kept: Remembered | undefined, poll: Poll): Remembered | undefined
  /** The entries that a view gets at `nowMs`. */
  entriesAt(kept: Remembered | undefined, nowMs: number): Remembered
  /** When those next change without a poll; null where they never do. */
  changesAtMs(kept: Remembered | undefined, nowMs: number): number | null
}

/** A change of an item that a view remembers. Plain JSON. */
export interface RecentChange<Item = unknown> {
  /** When the poll that brought it ended, in milliseconds since the epoch. */
  readonly atMs: number
  readonly kind: ChangeKind
  readonly parameters: Parameters
  /** The item's key within its instance. */
  readonly key: string
  readonly item: Item
  /** Whether it was in the first payload: a backlog, not news. */
  readonly initial: boolean
}

/** Which changes of items are remembered, for how long, and how many of them at the most (the newest). */
export interface RecentWindow {
  readonly windowMs: number
  readonly kinds: ReadonlyArray<ChangeKind>
  readonly max: number
}

/** The most changes that a memory may hold. */
export const RECENT_CHANGES_MAX = 1_000

const startOf = (changes: ReadonlyArray<RecentChange>, { windowMs, max }: RecentWindow, nowMs: number) => {
  const first = changes.findIndex(({ atMs }) => atMs > nowMs - windowMs)
  return first === -1 ? changes.length : Math.max(first, changes.length - max)
}

/** The memory of the recent changes of a feed's items, oldest first. Throws when it is empty, or larger than is allowed. */
export const recentMemory = (window: RecentWindow): Memory => {
  const { windowMs, max } = window
  if (!(windowMs > 0 && max >= 1 && max <= RECENT_CHANGES_MAX))
    throw new RangeError(`a memory of ${max} changes over ${windowMs} ms is not within bounds`)
  return {
    after: (kept, { parameters, atMs, changes, isInitial }) => {
      // The entries were made by this function.
      const before = (kept ?? []) as unknown as ReadonlyArray<RecentChange>
      const made = changes.flatMap(
        ({ kind, key, item }): ReadonlyArray<RecentChange> =>
          window.kinds.includes(kind) ? [{ atMs, kind, parameters, key, item, initial: isInitial }] : [],
      )
      if (made.length === 0 && kept !== undefined) return kept
      const all = [...before, ...made]
      return all.slice(startOf(all, window, atMs)) as unknown as Remembered
    },
    entriesAt: (kept, nowMs) => {
      const changes = (kept ?? []) as unknown as ReadonlyArray<RecentChange>
      return changes.slice(startOf(changes, window, nowMs)) as unknown as Remembered
    },
    changesAtMs: (kept, nowMs) => {
      const changes = (kept ?? []) as unknown as ReadonlyArray<RecentChange>
      const oldest = changes[startOf(changes, window, nowMs)]
      return oldest === undefined ? null : oldest.atMs + window.windowMs
    },
  }
}

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

/**
 * The memory of a series: its points, oldest first. A poll that only confirms the payload can make a point as well. Throws
 * when it is empty, or larger than is allowed.
 */
export const seriesMemory = (window: SeriesWindow): Memory => {
  const { windowMs, everyMs } = window
  const pointsMax = windowMs / everyMs
  if (!(everyMs > 0 && pointsMax >= 1 && pointsMax < SERIES_POINTS_MAX))
    throw new RangeError(`a series of ${windowMs} ms, one point each ${everyMs} ms, is not within bounds`)
  return {
    after: (kept, { atMs, payload }) => {
      // The entries were made by this function.
      const before = (kept ?? []) as ReadonlyArray<SeriesPoint>
      const after = withPoint(before, window, atMs, window.value(payload))
      return after === before ? kept : after
    },
    entriesAt: (kept, nowMs) => withinWindow((kept ?? []) as ReadonlyArray<SeriesPoint>, window, nowMs),
    changesAtMs: (kept, nowMs) => {
      const [oldest] = withinWindow((kept ?? []) as ReadonlyArray<SeriesPoint>, window, nowMs)
      return oldest === undefined ? null : oldest[0] + window.windowMs
    },
  }
}
