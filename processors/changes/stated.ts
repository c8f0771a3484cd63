import { isDeepStrictEqual } from "node:util"
import { type Change, type ChangeType, type Cursor, cursorText } from "../../schemas/change.ts"
import { endpointName } from "../../schemas/contract/envelope.ts"
import type { DataOf, Envelope } from "../../schemas/event.ts"
import { itemAppeared, itemChanged, itemGone } from "../../schemas/events/deltas.ts"
import { instanceKey } from "../../schemas/feed.ts"
import type { Json } from "../../schemas/json.ts"
import { itemBefore } from "../feed-state.ts"
import type { ChangeRows, View } from "../view/view.ts"

/** The types of changes, by those of their events. */
export const changeTypeOf: Readonly<Record<string, ChangeType>> = {
  [itemAppeared.type]: "appeared",
  [itemChanged.type]: "changed",
  [itemGone.type]: "gone",
}

/** What decides how changes are stated. */
export interface StatingRules {
  /** The views of the endpoints that this installation offers. */
  readonly views: ReadonlyArray<Pick<View, "endpoint" | "changes">>
  /** Whether what a provider gave of a feed may be shown here today. */
  readonly isShown: (feed: string, provider: string) => boolean
  /** Whether an operator has taken out what was known of an item at an instant. */
  readonly isPurged: (feed: string, key: string, knownAt: string) => boolean
  /** Whether an operator has taken out what an item was before a change that became known at an instant; of none unless given. */
  readonly isPurgedBefore?: (feed: string, key: string, knownAt: string) => boolean
  /** Whether an operator has taken out what an item was until it was gone, at an instant; of none unless given. */
  readonly isPurgedUntilGone?: (feed: string, key: string, knownAt: string) => boolean
  /** The name under which a provider is credited. */
  readonly creditOf: (provider: string) => string
}

/**
 * Makes the function that states a change as callers read it: null for one that they may not see. These are changes of feeds
 * that no offered endpoint states, of instances that only a request has brought, as these would show what others ask for, and
 * those whose provider does not allow it, those that an operator has taken out (or whose item is of before the end of that), those that a row does not show, and those of items that the endpoint does not list: one
 * that it lists no longer is gone, one that it did not list before has appeared. An item that the endpoint cannot state any more is null.
 */
export const makeStating = ({
  views,
  isShown,
  isPurged,
  isPurgedBefore = () => false,
  isPurgedUntilGone = () => false,
  creditOf,
}: StatingRules): ((event: Pick<Envelope<string, unknown>, "type" | "data">, cursor: Cursor) => Change | null) => {
  const stated = new Map(
    views.flatMap(({ endpoint, changes }) =>
      changes.map((rows) => {
        const instances = new Set(rows.feed.instances.map((parameters) => instanceKey(rows.feed.name, parameters)))
        return [rows.feed.name, { rows, instances, endpoint: endpointName(endpoint) }] as const
      }),
    ),
  )
  return (event, cursor) => {
    const type = changeTypeOf[event.type]
    if (type === undefined) return null
    const data = event.data as DataOf<typeof itemChanged>
    const { feed, parameters, provider, key, item, observedAt, simulated } = data
    const found = stated.get(feed)
    if (found === undefined || !found.instances.has(instanceKey(feed, parameters))) return null
    if (!isShown(feed, provider) || isPurged(feed, key, observedAt)) return null
    if (type === "gone" && isPurgedUntilGone(feed, key, observedAt)) return null
    // What the history holds is without what is purged already.
    const differing = type === "changed" && !isPurgedBefore(feed, key, observedAt) ? data.before : undefined
    const { rows, endpoint } = found
    const context = { parameters, nowMs: Date.parse(observedAt) }
    const after = rowOf(rows, item, context)
    // Items of feeds are objects: their schemas are structs.
    const before =
      differing === undefined
        ? UNLISTED
        : rowOf(rows, itemBefore(item as Readonly<Record<string, Json>>, { ...data, before: differing }), context)
    if (isDeepStrictEqual(after, before)) return null
    return {
      cursor: cursorText(cursor),
      type: differing === undefined ? type : after === UNLISTED ? "gone" : before === UNLISTED ? "appeared" : type,
      feed,
      endpoint,
      parameters,
      key,
      item: (after === UNLISTED ? before : after) ?? null,
      ...(after === UNLISTED || before === UNLISTED ? {} : { before }),
      happened_at: rows.feed.happenedAt(item),
      known_at: observedAt,
      source: creditOf(provider),
      ...(simulated === undefined ? {} : { simulated }),
    }
  }
}

/** Stands for the row of an item that its endpoint does not list. */
const UNLISTED = undefined

/** The row of an item; null where it cannot be stated. */
const rowOf = (rows: ChangeRows, item: unknown, context: Parameters<ChangeRows["row"]>[1]) => {
  try {
    // Rows of replies are plain JSON.
    return (rows.row(item, context) ?? UNLISTED) as Json | typeof UNLISTED
  } catch {
    return null
  }
}
