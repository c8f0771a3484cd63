import { itemAppeared, itemChanged, itemGone } from "../../schemas/events/deltas.ts"
import type { Parameters } from "../../schemas/feed.ts"
import type { Change } from "../item-changes.ts"
import type { Memory, Remembered } from "./memory.ts"

/** The kinds of item changes. */
const changeKinds = ["appeared", "changed", "gone"] as const
type ChangeKind = (typeof changeKinds)[number]

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

/** Which changes are remembered, for how long, and how many of them at the most (the newest). */
export interface RecentWindow {
  readonly windowMs: number
  readonly kinds: ReadonlyArray<ChangeKind>
  readonly max: number
}

/** The most changes that a memory may hold. */
export const RECENT_CHANGES_MAX = 1_000

/** Throws when a window is empty, or would hold more changes than are allowed. */
export const checkRecent = ({ windowMs, max }: RecentWindow): void => {
  if (!(windowMs > 0 && max >= 1 && max <= RECENT_CHANGES_MAX))
    throw new RangeError(`a memory of ${max} changes over ${windowMs} ms is not within bounds`)
}

const kindOf: Readonly<Record<string, ChangeKind>> = {
  [itemAppeared.type]: "appeared",
  [itemChanged.type]: "changed",
  [itemGone.type]: "gone",
}

const startOf = (changes: ReadonlyArray<RecentChange>, { windowMs, max }: RecentWindow, nowMs: number) => {
  const first = changes.findIndex(({ atMs }) => atMs > nowMs - windowMs)
  return first === -1 ? changes.length : Math.max(first, changes.length - max)
}

/** The memory of the recent changes of a feed's items, oldest first. */
export const recentMemory = (window: RecentWindow): Memory => ({
  after: (kept, { parameters, atMs, changes, isInitial }) => {
    // The entries were made by this function.
    const before = (kept ?? []) as unknown as ReadonlyArray<RecentChange>
    const made = changes.flatMap(({ type, key, item }: Change): ReadonlyArray<RecentChange> => {
      const kind = kindOf[type.type]
      return kind === undefined || !window.kinds.includes(kind)
        ? []
        : [{ atMs, kind, parameters, key, item, initial: isInitial }]
    })
    if (made.length === 0 && kept !== undefined) return kept
    const all = [...before, ...made]
    return all.slice(startOf(all, window, atMs)) as unknown as Remembered
  },
  within: (kept, nowMs) => {
    const changes = (kept ?? []) as unknown as ReadonlyArray<RecentChange>
    return changes.slice(startOf(changes, window, nowMs)) as unknown as Remembered
  },
  changesAtMs: (kept, nowMs) => {
    const changes = (kept ?? []) as unknown as ReadonlyArray<RecentChange>
    const oldest = changes[startOf(changes, window, nowMs)]
    return oldest === undefined ? null : oldest.atMs + window.windowMs
  },
})
