import type * as Effect from "effect/Effect"
import type { Change, Cursor } from "../change.ts"
import type { HistoryFailed, HistoryUndecodable } from "./history.ts"

/** A place in the changes of a feed in the order of event time: that of the change with this time and number. */
export interface HistoryPlace extends Cursor {
  /** Milliseconds since the epoch. */
  readonly timeMs: number
}

/** The orders of event time. */
export const historyOrders = ["desc", "asc"] as const
export type HistoryOrder = (typeof historyOrders)[number]

/** The changes that a page is cut out of: those of a feed whose event time is in [fromMs, toMs). Null: without a bound. */
export interface HistoryRange {
  readonly feed: string
  readonly fromMs: number | null
  readonly toMs: number | null
  readonly order: HistoryOrder
}

/** Changes in order, and the place behind which the next ones follow; null where none do. */
export interface HistoryPage {
  readonly changes: ReadonlyArray<Change>
  readonly next: HistoryPlace | null
}

/**
 * The changes of items by the time at which they happened, as callers may see them today; of an item without such a time, when
 * the change was known.
 */
export interface ItemHistory {
  /**
   * The page behind a place (from the beginning without one): at most `max` changes, fewer where bytes bound it, and perhaps
   * none before the end, where many may not be shown. New changes move no page: each change that was there when the first page
   * was read stands in one of them, once.
   */
  readonly page: (
    range: HistoryRange,
    behind: HistoryPlace | null,
    max: number,
  ) => Effect.Effect<HistoryPage, HistoryFailed | HistoryUndecodable>
  /** When the first change that is held became known, of any feed, in milliseconds since the epoch; null where none is. */
  readonly firstMs: Effect.Effect<number | null, HistoryFailed | HistoryUndecodable>
}
