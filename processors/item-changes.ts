import type { EventType } from "../schemas/event.ts"
import { itemAppeared, itemChanged, itemGone } from "../schemas/events/deltas.ts"
import type { Feed } from "../schemas/feed.ts"

/** A change of an item between two payloads of a feed. */
export interface Change {
  readonly type: EventType
  readonly key: string
  readonly item: unknown
}

// Widened to `EventType`: the data of the three types has the same members.
const [appeared, changed, gone] = [itemAppeared, itemChanged, itemGone] as unknown as [EventType, EventType, EventType]

const byKey = (feed: Feed, payload: unknown): ReadonlyMap<string, unknown> => {
  const items = new Map<string, unknown>()
  // Keys are unique in a decoded payload. If an upstream broke that, the first item counts, in every build.
  for (const item of feed.items(payload)) {
    const key = feed.key(item)
    if (!items.has(key)) items.set(key, item)
  }
  return items
}

/**
 * The item changes from one payload to the next (`before` is undefined for the first): appeared and changed items in the
 * order of the new payload, then gone items in the order of the old one. Throws what the feed's own functions throw.
 */
export const itemChanges = (feed: Feed, before: unknown, after: unknown): ReadonlyArray<Change> => {
  const old = before === undefined ? new Map<string, unknown>() : byKey(feed, before)
  const now = byKey(feed, after)
  const changes: Array<Change> = []
  for (const [key, item] of now) {
    const before = old.get(key)
    // A patch keeps the objects of the items that it does not change: most are the same, and need no comparison.
    if (before === item) continue
    if (before === undefined) changes.push({ type: appeared, key, item })
    else if (feed.isRevised(before, item)) changes.push({ type: changed, key, item })
  }
  for (const [key, item] of old) if (!now.has(key)) changes.push({ type: gone, key, item })
  return changes
}
