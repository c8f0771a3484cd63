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

/**
 * The history of an input that a view keeps as state of the fold: plain JSON, bounded, and a pure function of the polls in
 * order. A view that is new in a release begins with an empty one; a rebuild fills it from log and archive.
 */
export interface Memory {
  /** The stored value after a poll: the identical value where nothing changes. `kept` is undefined before the first poll. */
  after(kept: Json | undefined, poll: Poll): Json | undefined
  /** The part of the stored value that a view gets at `nowMs`. */
  within(kept: Json | undefined, nowMs: number): Json
  /** When that part next changes without a poll; null where it never does. */
  changesAtMs(kept: Json | undefined, nowMs: number): number | null
}
