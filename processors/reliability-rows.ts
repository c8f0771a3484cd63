import type { RestReason } from "../schemas/events/observations.ts"
import { type Feed, instanceKey, type Parameters } from "../schemas/feed.ts"
import { CHECK_EVERY_MS } from "./reliability-score.ts"
import type { Presence } from "./reliability-verdict.ts"

/** An instance that is polled on schedule, and the row of the table in which it is judged. */
export type Declared = {
  /** `instanceKey(feed, parameters)`. */
  readonly key: string
  readonly row: string
  readonly feed: string
  readonly parameters: Parameters
  readonly provider: string
  /** Why it is not polled; null where it is. */
  readonly rests: RestReason | null
  /** When it was first declared, in milliseconds since the epoch. */
  readonly sinceMs: number
}

/** Every declared instance by its key, in the order of their declaration. */
export type Declaration = Readonly<Record<string, Declared>>

/**
 * Names the row of each instance. A feed whose instances overlap (those that do not report changes) is one row
 * under its own name, as good as the weakest of them: twenty windows on one catalogue must not fill the table. Every
 * other instance is a row of its own.
 */
export const rowNames = (
  declared: ReadonlyArray<{ readonly feed: string; readonly parameters: Parameters }>,
  feeds: ReadonlyMap<string, Feed>,
): ReadonlyArray<string> => {
  const overlapping = new Set(
    declared
      .filter(({ feed, parameters }) => feeds.get(feed)?.publishesChanges(parameters) === false)
      .map(({ feed }) => feed),
  )
  return declared.map(({ feed, parameters }) => (overlapping.has(feed) ? feed : instanceKey(feed, parameters)))
}

/** Whether an instance has had its time for a first try: five minutes in which the ingest role was there. */
export const isOverdue = (one: Declared, presence: Presence | undefined, nowMs: number): boolean =>
  nowMs - Math.max(one.sinceMs, presence?.backMs ?? 0) >= CHECK_EVERY_MS
