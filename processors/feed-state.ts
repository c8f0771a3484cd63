import type { DataOf, Envelope } from "../schemas/event.ts"
import { feedFailed, feedObserved, feedUnchanged } from "../schemas/events/observations.ts"
import type { Json } from "../schemas/json.ts"

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
  /** Whether the item changes up to the kept payload have been told. */
  readonly told: boolean
}

/** Providers of one instance that are remembered: the first choice and its fallbacks, present and past. */
const ATTEMPTS_MAX = 6

const NEVER: FeedState = { good: null, attempts: [], told: false }

type Polled = DataOf<typeof feedObserved> | DataOf<typeof feedUnchanged> | DataOf<typeof feedFailed>

/** The data of an event about a poll, or null when the event speaks of something else. */
export const polled = (event: Envelope<string, unknown>): Polled | null =>
  event.type === feedObserved.type || event.type === feedUnchanged.type || event.type === feedFailed.type
    ? (event.data as Polled)
    : null

/** The payload that an event brought and its hash, or null when it brought none. */
export const payloadOf = (
  event: Envelope<string, unknown>,
): { readonly payload: Json; readonly hash: string } | null =>
  event.type === feedObserved.type ? (event.data as DataOf<typeof feedObserved>) : null

/** The state of an instance after a poll. */
export const afterPoll = (before: FeedState | undefined, data: Polled, at: string): FeedState => {
  const { good, attempts, told } = before ?? NEVER
  const failed = "reason" in data
  const attempt: Attempt = {
    provider: data.provider,
    at,
    latencyMs: data.latencyMs,
    reason: failed ? `${data.reason}: ${data.message}` : null,
  }
  return {
    good: failed
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
    told,
  }
}
