import { isDeepStrictEqual } from "node:util"
import type { DataOf, Envelope, EventType } from "../schemas/event.ts"
import { itemAppeared, itemChanged, itemGone } from "../schemas/events/deltas.ts"
import { feedFailed, feedObserved, feedPatched, feedUnchanged } from "../schemas/events/observations.ts"
import type { Feed } from "../schemas/feed.ts"
import type { Json } from "../schemas/json.ts"
import { itemsOf } from "../schemas/list-patch.ts"

/** The last good observation of a feed's instance, without its payload, which has a state key of its own because it changes less often. */
type GoodObservation = {
  readonly hash: string
  /** When a poll last confirmed the payload. */
  readonly observedAt: string
  /** Since when polls have succeeded without a gap: each before the promise of the one before it had run out. */
  readonly watchedSince: string
  readonly contentAt: string | null
  readonly freshUntil: string
  readonly provider: string
  readonly standsInFor: string | null
  readonly latencyMs: number
  /** Whether a simulated world gave it; absent for a real upstream. */
  readonly simulated?: true
}

/** The last poll of one provider. `reason` is null when it answered. */
type ProviderAttempt = {
  readonly provider: string
  readonly at: string
  readonly latencyMs: number
  readonly reason: string | null
}

/** The state of one instance of a feed. Plain JSON, as it is kept in checkpoints. */
export type FeedState = {
  readonly good: GoodObservation | null
  /** The last attempt of each provider, the latest first. */
  readonly attempts: ReadonlyArray<ProviderAttempt>
  /** Whether the item changes up to the kept payload have been published. */
  readonly changesPublished: boolean
  /** Until when it is polled less often, as it logs too much; absent where it keeps its interval. */
  readonly throttledUntil?: string
}

/** The most providers of one instance whose attempts are kept: the first choice and its fallbacks, present and past. */
const ATTEMPTS_MAX = 6

const NEVER_POLLED: FeedState = { good: null, attempts: [], changesPublished: false }

/** The data of an event about a poll. */
export type PollData =
  | DataOf<typeof feedObserved>
  | DataOf<typeof feedPatched>
  | DataOf<typeof feedUnchanged>
  | DataOf<typeof feedFailed>

/** The data of an event about a poll; null for every other event. */
export const pollDataOf = (event: Envelope<string, unknown>): PollData | null =>
  event.type === feedObserved.type ||
  event.type === feedPatched.type ||
  event.type === feedUnchanged.type ||
  event.type === feedFailed.type
    ? (event.data as PollData)
    : null

/** A payload and the hash of its canonical JSON. */
export interface HashedPayload {
  readonly payload: Json
  readonly hash: string
}

/** How an event about a poll changes the payload of its instance. */
export type PayloadAfter =
  /** The event carries a new payload, whole or as a patch of the one before. */
  | ({ readonly _tag: "Brought" } & HashedPayload)
  /** The payload is unchanged: it was confirmed, or the poll failed. */
  | { readonly _tag: "Same" }
  /** The event confirms or patches a payload that the log no longer holds. */
  | { readonly _tag: "Lost" }

const isList = (payload: Json): payload is { readonly items: ReadonlyArray<Json>; readonly facts: Json } =>
  typeof payload === "object" && payload !== null && "items" in payload && Array.isArray(payload.items)

/**
 * Applies an event to the payload of its instance; `kept` is the payload before, or null. Hashes are compared as texts:
 * `verify` proves that each payload has the hash that its event names.
 */
export const payloadOf = (event: Envelope<string, unknown>, kept: HashedPayload | null = null): PayloadAfter => {
  if (event.type === feedObserved.type) {
    const { payload, hash } = event.data as DataOf<typeof feedObserved>
    return { _tag: "Brought", payload, hash }
  }
  if (event.type === feedUnchanged.type) {
    const { hash } = event.data as DataOf<typeof feedUnchanged>
    return kept !== null && kept.hash === hash ? { _tag: "Same" } : { _tag: "Lost" }
  }
  if (event.type !== feedPatched.type) return { _tag: "Same" }
  const { base, hash, parts, facts } = event.data as DataOf<typeof feedPatched>
  if (kept === null || kept.hash !== base || !isList(kept.payload)) return { _tag: "Lost" }
  const items = itemsOf(kept.payload.items, parts)
  if (items === null) return { _tag: "Lost" }
  return { _tag: "Brought", payload: { items, facts: facts ?? kept.payload.facts }, hash }
}

/** The reason of a poll whose base payload is missing. */
const LOST = "log_gap: the list that this poll builds on is not in the log"

/** The state of an instance after a poll. `isLost`: the payload that it confirms or patches is missing, which counts as a failure. */
export const afterPoll = (before: FeedState | undefined, data: PollData, at: string, isLost = false): FeedState => {
  const { good, attempts, changesPublished } = before ?? NEVER_POLLED
  const attempt: ProviderAttempt = {
    provider: data.provider,
    at,
    latencyMs: data.latencyMs,
    reason: "reason" in data ? `${data.reason}: ${data.message}` : isLost ? LOST : null,
  }
  return {
    good:
      "reason" in data || isLost
        ? good
        : {
            hash: data.hash,
            observedAt: at,
            watchedSince: good !== null && at <= good.freshUntil ? good.watchedSince : at,
            contentAt: data.contentAt,
            freshUntil: data.freshUntil,
            provider: data.provider,
            standsInFor: data.standsInFor,
            latencyMs: data.latencyMs,
            ...(data.simulated === undefined ? {} : { simulated: data.simulated }),
          },
    attempts: [attempt, ...attempts.filter(({ provider }) => provider !== data.provider)].slice(0, ATTEMPTS_MAX),
    changesPublished,
    ...(data.throttledUntil === undefined ? {} : { throttledUntil: data.throttledUntil }),
  }
}

/** How an item may change from one payload of its feed to the next. */
export type ChangeKind = "appeared" | "changed" | "gone"

/** A change of an item between two payloads of a feed. */
export interface Change {
  readonly kind: ChangeKind
  readonly key: string
  readonly item: unknown
  /** The item before; undefined of one that appeared or is gone. */
  readonly before?: unknown
}

/** The event of a change of each kind, widened to `EventType`: the data of the three has the same members. */
export const changeEvents = {
  appeared: itemAppeared,
  changed: itemChanged,
  gone: itemGone,
} as unknown as Readonly<Record<ChangeKind, EventType>>

/** The members of an item before that differ from those of the item, and the members that it did not have. */
export const differingMembers = (
  before: Readonly<Record<string, Json>>,
  item: Readonly<Record<string, Json>>,
): { readonly before: Readonly<Record<string, Json>>; readonly added?: ReadonlyArray<string> } => {
  const added = Object.keys(item).filter((name) => !(name in before))
  return {
    before: Object.fromEntries(Object.entries(before).filter(([name, value]) => !isDeepStrictEqual(value, item[name]))),
    ...(added.length === 0 ? {} : { added }),
  }
}

/** The inverse of `differingMembers`: the item before, of the item and of what its change states. */
export const itemBefore = (
  item: Readonly<Record<string, Json>>,
  { before, added = [] }: ReturnType<typeof differingMembers>,
): Readonly<Record<string, Json>> =>
  Object.fromEntries(Object.entries({ ...item, ...before }).filter(([name]) => !added.includes(name)))

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
    if (before === undefined) changes.push({ kind: "appeared", key, item })
    else if (feed.isRevised(before, item)) changes.push({ kind: "changed", key, item, before })
  }
  for (const [key, item] of old) if (!now.has(key)) changes.push({ kind: "gone", key, item })
  return changes
}
