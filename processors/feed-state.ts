import type { DataOf, Envelope } from "../schemas/event.ts"
import { feedFailed, feedObserved, feedPatched, feedUnchanged } from "../schemas/events/observations.ts"
import type { Json } from "../schemas/json.ts"
import { itemsOf } from "../schemas/list-patch.ts"

/** The last good observation of a feed's instance, without its payload (which is kept apart, as it changes less often). */
export type Good = {
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
}

/** The last poll of one provider. `reason` is null when it answered. */
export type Attempt = {
  readonly provider: string
  readonly at: string
  readonly latencyMs: number
  readonly reason: string | null
}

/** What the fold knows of one instance of a feed. Plain JSON: it is kept in checkpoints. */
export type FeedState = {
  readonly good: Good | null
  /** The last attempt of each provider, the latest first. */
  readonly attempts: ReadonlyArray<Attempt>
  /** Whether the item changes up to the kept payload have been published. */
  readonly changesPublished: boolean
}

/** Providers of one instance that are remembered: the first choice and its fallbacks, present and past. */
const ATTEMPTS_MAX = 6

const NEVER: FeedState = { good: null, attempts: [], changesPublished: false }

/** The data of an event about a poll. */
export type PollData =
  | DataOf<typeof feedObserved>
  | DataOf<typeof feedPatched>
  | DataOf<typeof feedUnchanged>
  | DataOf<typeof feedFailed>

/** The data of an event about a poll, or null when the event speaks of something else. */
export const polled = (event: Envelope<string, unknown>): PollData | null =>
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

/** What an event about a poll says of the payload of its instance. */
export type PayloadAfter =
  /** The event brought it, whole or as a patch of the one before. */
  | ({ readonly _tag: "Brought" } & HashedPayload)
  /** It is the one before, or nothing is said of it. */
  | { readonly _tag: "Same" }
  /** The event speaks of a payload that is not at hand: the log has lost the one that it is over. */
  | { readonly _tag: "Lost" }

const isList = (payload: Json): payload is { readonly items: ReadonlyArray<Json>; readonly facts: Json } =>
  typeof payload === "object" && payload !== null && "items" in payload && Array.isArray(payload.items)

/**
 * The payload that an event brought, over the one that is kept (null: none is). Hashes are compared as texts; that the
 * payload has the hash which the event names is proved by verifying.
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

/** The reason of a poll whose payload is not at hand. */
const LOST = "log_gap: the list that this poll builds on is not in the log"

/** The state of an instance after a poll. `isLost`: what it speaks of is not at hand, so that it counts as a failure. */
export const afterPoll = (before: FeedState | undefined, data: PollData, at: string, isLost = false): FeedState => {
  const { good, attempts, changesPublished } = before ?? NEVER
  const attempt: Attempt = {
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
          },
    attempts: [attempt, ...attempts.filter(({ provider }) => provider !== data.provider)].slice(0, ATTEMPTS_MAX),
    changesPublished,
  }
}
