import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import type { Change, Cursor } from "../change.ts"
import type { ReadFailed } from "./event-log.ts"
import type { HistoryFailed, HistoryUndecodable } from "./history.ts"

/** A change with its number. */
export interface NumberedChange {
  readonly ordinal: number
  readonly change: Change
}

/** What the changes with the numbers in (after, reached] are for callers, in order. Those that are not shown are left out. */
export interface ChangePortion {
  /** The name of the log that the numbers are of; null while it has none. */
  readonly log: string | null
  readonly after: number
  /** The last number that was looked at; `after` where there is none behind it yet. */
  readonly reached: number
  readonly changes: ReadonlyArray<NumberedChange>
}

/** The numbers that can be read: from `oldest` to `last`. */
export interface ChangeBounds {
  readonly log: string
  /** The number of the first change that log or archive still hold. */
  readonly oldest: number
  /** The number of the last one that is committed. */
  readonly last: number
}

/** Neither log nor archive hold the change behind a number any more. */
export class ChangesGone extends Schema.TaggedError<ChangesGone>()("ChangesGone", {
  after: Schema.Int,
  oldest: Schema.Int,
}) {
  override get message() {
    return `the change behind ${this.after} is gone: the oldest one is ${this.oldest}`
  }
}

type ChangesFailed = ReadFailed | HistoryFailed | HistoryUndecodable

/**
 * The numbered changes of the log, and before its first record those of the archive, without a seam: a portion is the same
 * whichever holds it, before and after trimming, a rebuild, a restore, and on either engine.
 */
export interface ChangeLog {
  /** The last committed change; null where neither log nor archive hold one. The archive is asked where the log holds none. */
  readonly last: Effect.Effect<Cursor | null, ChangesFailed>
  /** Null where there is no numbered change. Asks the archive. */
  readonly bounds: Effect.Effect<ChangeBounds | null, ChangesFailed>
  /**
   * The portion behind a place, of at most `max` numbers, fewer where bytes bound it or where log and archive meet; without any at
   * the end alone. The archive is asked where the log no longer holds the next one.
   */
  readonly read: (place: Cursor, max: number) => Effect.Effect<ChangePortion, ChangesFailed | ChangesGone>
  /**
   * Portions from a place on (from the start without one), each following the one before, as they are committed, until
   * interrupted. Of the log alone: what it no longer holds is passed over, and the portion behind it says so by its `after`. A
   * portion of another name follows where the log got one.
   */
  readonly follow: (place: Cursor | null) => Stream.Stream<ChangePortion, ReadFailed>
}
