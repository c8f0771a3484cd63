import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Cursor } from "../change.ts"
import type { HistoryFailed, HistoryUndecodable } from "./history.ts"

/** The records of a view as they were known at an instant, as topic `views` held them; null where there was none. */
export interface PastRecords {
  readonly body: Uint8Array | null
  readonly freshness: Uint8Array | null
  /** When the later of the two became known: the same records were known from then on. Milliseconds since the epoch. */
  readonly knownMs: number
}

/** What was known at an instant: the records of a view, and the cursor of the last change of an item; null before the first. */
interface PastKnown {
  readonly records: PastRecords
  readonly change: Cursor | null
}

/** A version of a view cannot be put together: a row between the last whole version and it is missing or damaged. */
export class VersionDamaged extends Schema.TaggedError<VersionDamaged>()("VersionDamaged", {
  view: Schema.String,
  atMs: Schema.Int,
}) {
  override get message() {
    return `the version of ${this.view} known at ${new Date(this.atMs).toISOString()} cannot be put together`
  }
}

type PastFailed = HistoryFailed | HistoryUndecodable | VersionDamaged

/** Past replies that an operator has taken out: those of an endpoint that were known in [fromMs, toMs). */
export interface Purge {
  readonly path: string
  readonly fromMs: number
  readonly toMs: number
}

/** The views as they were known at earlier instants: what the API answered then. All times are in milliseconds since the epoch. */
export interface Past {
  /**
   * The last instant at which nothing that was known changes any more: every fold that builds views with a past has gone beyond
   * it, and the history has what they wrote. Null while a fold has said nothing yet.
   */
  readonly settledMs: Effect.Effect<number | null, HistoryFailed | HistoryUndecodable>
  /** What was known at a settled instant of a view; null before its first version. */
  readonly knownAt: (view: string, atMs: number) => Effect.Effect<PastKnown | null, PastFailed>
  /**
   * The records of several views known at one settled instant, by view, read together: a view before its first version is left
   * out, and one whose version cannot be put together has that error.
   */
  readonly recordsTogether: (
    views: ReadonlyArray<string>,
    atMs: number,
  ) => Effect.Effect<ReadonlyMap<string, PastRecords | VersionDamaged>, HistoryFailed | HistoryUndecodable>
  /** The cursor of the last change of an item that was known at a settled instant; null before the first. */
  readonly changeAt: (atMs: number) => Effect.Effect<Cursor | null, HistoryFailed | HistoryUndecodable>
  /**
   * When the change with a cursor became known; `before` where that was before the first one that is still held, and null where the
   * history has none of this name and number.
   */
  readonly knownMsOf: (cursor: Cursor) => Effect.Effect<number | "before" | null, HistoryFailed | HistoryUndecodable>
  /** What may not be shown, although it is held. */
  readonly purges: Effect.Effect<ReadonlyArray<Purge>, HistoryFailed | HistoryUndecodable>
  /** When the first version that is still held became known, by view; one without a version is left out. */
  readonly firstMs: (
    views: ReadonlyArray<string>,
  ) => Effect.Effect<ReadonlyMap<string, number>, HistoryFailed | HistoryUndecodable>
}
