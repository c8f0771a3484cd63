import type { Parameters } from "../schemas/feed.ts"
import type { Json } from "../schemas/json.ts"
import type { Change } from "./item-changes.ts"

/** A good poll of an instance, as a memory sees it. */
export interface Poll {
  readonly parameters: Parameters
  /** When the poll ended, in milliseconds since the epoch. */
  readonly atMs: number
  readonly payload: Json
  /**
   * What differs from the payload before; every item where the memory begins with this poll. Empty where the poll only
   * confirms the payload.
   */
  readonly changes: ReadonlyArray<Change>
  /** Whether the changes are all of a first payload, and so a backlog and no news. */
  readonly isInitial: boolean
}

/**
 * What a view keeps of the past of an input, as state of the fold: plain JSON, bounded, and a pure function of the polls
 * in order. A view that is new in a release begins without any; a rebuild makes it of what log and archive hold.
 */
export interface Memory {
  /** What is kept after a poll: the same value where nothing changes. `kept` is undefined before the first poll. */
  after(kept: Json | undefined, poll: Poll): Json | undefined
  /** What of it a view is given at `nowMs`. */
  within(kept: Json | undefined, nowMs: number): Json
  /** When what a view is given at `nowMs` next changes without a poll; null where it never does. */
  changesAtMs(kept: Json | undefined, nowMs: number): number | null
}
