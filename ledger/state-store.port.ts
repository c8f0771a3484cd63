import { type Effect, Schema } from "effect"

/** The key of a row within its table. */
export type RowKey = string | number

/** A table of the store. */
export interface StoreTable {
  readonly name: string
  /** Whether its rows are all read together, in the order of their keys, which are numbers; else one by one. */
  readonly inOrder: boolean
}

/** A row that is written, or, with `value: undefined`, removed. Values are plain data that JSON can hold. */
export interface RowChange {
  readonly table: string
  readonly key: RowKey
  readonly value: unknown
}

/** What the store holds is not what was written: whoever reads it must throw all of it away. */
export class StateDamaged extends Schema.TaggedError<StateDamaged>()("StateDamaged", { problem: Schema.String }) {
  override get message() {
    return `the state that was kept cannot be used: ${this.problem}`
  }
}

/** The store cannot be written now, as where the disk is full. What it holds is as good as it was. */
export class StateUnwritable extends Schema.TaggedError<StateUnwritable>()("StateUnwritable", {
  problem: Schema.String,
}) {
  override get message() {
    return `the state cannot be kept: ${this.problem}`
  }
}

/**
 * The store as one holder sees it. A holder after it takes its right to write, so that two of them never mix; reading is
 * then no longer of one piece.
 */
export interface HeldStore {
  /** What the last write put beside its rows; null where nothing was written yet. */
  readonly head: unknown
  /** The value of a row of a table that is not in order, undefined where there is none. Throws `StateDamaged`. */
  readonly get: (table: string, key: RowKey) => unknown
  /** All rows of a table, in the order of their keys where it is in order. Throws `StateDamaged`. Not across an await. */
  readonly rows: (table: string) => Iterable<readonly [RowKey, unknown]>
  /**
   * Writes rows and head, all or nothing, visible to `get` when it succeeds, and whole after any crash, though the last
   * ones may be missing then. Fails when it could not, or another holder came; nothing is written then.
   */
  readonly write: (
    changes: ReadonlyArray<RowChange>,
    head: unknown,
  ) => Effect.Effect<void, StateDamaged | StateUnwritable>
}

/**
 * A place on this machine for rows that can be made again: a cache. One process at a time uses it. What was damaged by
 * accident is named as far as it is read; a file that was written by somebody else with intent is not.
 */
export interface StateStore {
  /** Takes the store over. `tables` are all that will be used. Fails where what it holds is not whole. */
  readonly hold: (tables: ReadonlyArray<StoreTable>) => Effect.Effect<HeldStore, StateDamaged | StateUnwritable>
  /** Throws away all that it holds: the next holder finds nothing. */
  readonly discard: Effect.Effect<void>
}
