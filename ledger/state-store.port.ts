import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** The key of a row within its table. */
export type RowKey = string | number

/** A table of the store. */
export interface StoreTable {
  readonly name: string
  /** True: all rows are read together, in the order of their numeric keys. False: rows are read one by one. */
  readonly inOrder: boolean
}

/** A row to write, or, with `value: undefined`, to remove. Values are plain JSON data. */
export interface RowChange {
  readonly table: string
  readonly key: RowKey
  readonly value: unknown
}

/**
 * What makes a store unusable. `damage`: its content is not what was written, by accident or on purpose. `key`: it was sealed
 * with another key. `format`: another version wrote it. `moved`: its log has other offsets. `contradiction`: its accounts
 * contradict themselves.
 */
export const stateDamages = ["damage", "key", "format", "moved", "contradiction"] as const
export type StateDamage = (typeof stateDamages)[number]

/** The store cannot be used: its reader must discard all of it. */
export class StateDamaged extends Schema.TaggedError<StateDamaged>()("StateDamaged", {
  problem: Schema.String,
  damage: Schema.Literals(stateDamages),
}) {
  override get message() {
    return `the cached state cannot be used: ${this.problem}`
  }
}

/** The store cannot be written now, for example because the disk is full. What it holds stays valid. */
export class StateUnwritable extends Schema.TaggedError<StateUnwritable>()("StateUnwritable", {
  problem: Schema.String,
}) {
  override get message() {
    return `the state cannot be cached: ${this.problem}`
  }
}

/**
 * The store as its current holder uses it. A later holder takes over the right to write, so that writes of two holders
 * never mix; after that, reads of the earlier holder are no longer consistent.
 */
export interface HeldStore {
  /** The head of the last write; null before the first one. */
  readonly head: unknown
  /** The value of a row of a table that is not `inOrder`; undefined without one. Throws `StateDamaged`. */
  readonly get: (table: string, key: RowKey) => unknown
  /** All rows of a table; by key if it is `inOrder`. Throws `StateDamaged`. Must not be iterated across an await. */
  readonly rows: (table: string) => Iterable<readonly [RowKey, unknown]>
  /**
   * Writes rows and head atomically. `get` sees them once it succeeds. A crash may lose the last writes, never a part of
   * one. Fails, and writes nothing, when it cannot write or another holder has taken over.
   */
  readonly write: (
    changes: ReadonlyArray<RowChange>,
    head: unknown,
  ) => Effect.Effect<void, StateDamaged | StateUnwritable>
}

/**
 * A cache of rows on this machine, for one process at a time. It is checked whole when it is taken over, and each row again
 * when it is read: what is not the content of its last write is `StateDamaged`, also where it was changed on purpose
 * without its key.
 */
export interface StateStore {
  /** Takes over the store. `tables` are all that will be used. Fails if the store is damaged. */
  readonly hold: (tables: ReadonlyArray<StoreTable>) => Effect.Effect<HeldStore, StateDamaged | StateUnwritable>
  /** Removes all content: the next holder finds an empty store. */
  readonly discard: Effect.Effect<void>
}
