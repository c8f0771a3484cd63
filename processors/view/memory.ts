import type { Parameters } from "../../schemas/feed.ts"
import type { Json } from "../../schemas/json.ts"
import type { Change } from "../item-changes.ts"

/** A successful poll of an instance: the input of a memory. */
export interface Poll {
  readonly parameters: Parameters
  /** When the poll ended, in milliseconds since the epoch. */
  readonly atMs: number
  readonly payload: Json
  /**
   * The item changes since the payload before; every item where the memory begins with this poll. Empty where the poll
   * only confirms the payload.
   */
  readonly changes: ReadonlyArray<Change>
  /** Whether this is the first payload: its items are a backlog, not news. */
  readonly isInitial: boolean
}

/** The entries of a memory, oldest first: plain JSON, and never changed. */
export type Remembered = ReadonlyArray<Json>

/**
 * The history of an input that a view keeps as state of the fold: a bounded list of entries, and a pure function of the polls
 * in order. A view that is new in a release begins with an empty one; a rebuild fills it from log and archive.
 */
export interface Memory {
  /**
   * The entries after a poll: of those that were kept the newest, the same objects in the same order, then the ones that it
   * adds; the identical list where nothing changes. `kept` is undefined before the first poll.
   */
  after(kept: Remembered | undefined, poll: Poll): Remembered | undefined
  /** The entries that a view gets at `nowMs`. */
  within(kept: Remembered | undefined, nowMs: number): Remembered
  /** When those next change without a poll; null where they never do. */
  changesAtMs(kept: Remembered | undefined, nowMs: number): number | null
}
