import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { Change } from "../change.ts"
import type { ReadFailed } from "./event-log.ts"
import type { HistoryFailed, HistoryUndecodable } from "./history.ts"

/** A change with its number. */
export interface NumberedChange {
  readonly ordinal: number
  readonly change: Change
}

/** What the changes with the numbers in (after, reached] are for callers, in order. Those that are not shown are left out. */
export interface ChangePortion {
  readonly after: number
  /** The last number that was looked at; `after` where there is none behind it yet. */
  readonly reached: number
  readonly changes: ReadonlyArray<NumberedChange>
}

/** The numbers that can be read: (oldest - 1, last]. */
export interface ChangeBounds {
  readonly log: string
  /** The number of the first change that log or archive still hold. */
  readonly oldest: number
  /** The number of the last one that is committed. */
  readonly last: number
}

export type ChangesFailed = ReadFailed | HistoryFailed | HistoryUndecodable

/**
 * The numbered changes of the log, and before its first record those of the archive, without a seam: a portion is the same
 * whichever holds it, before and after trimming, a rebuild, a restore, and on either engine.
 */
export interface ChangeLog {
  /** Null while the log holds no numbered change. */
  readonly bounds: Effect.Effect<ChangeBounds | null, ChangesFailed>
  /**
   * The portion behind a number, of at most `max` numbers, fewer where bytes bound it; empty at the end alone. What lies before
   * `oldest` is passed over: the caller compares first.
   */
  readonly read: (after: number, max: number) => Effect.Effect<ChangePortion, ChangesFailed>
  /** Portions from a number on, each following the one before, as they are committed, until interrupted. */
  readonly follow: (after: number) => Stream.Stream<ChangePortion, ChangesFailed>
}
