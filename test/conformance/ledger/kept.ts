import * as Effect from "effect/Effect"
import { initialCounters, type State } from "../../../ledger/model/state.ts"
import { type HeldStore, type RowKey, StateDamaged, type StateStore } from "../../../ledger/state-store.port.ts"
import { stateTables } from "../../../ledger/write/state-cache.ts"

/** Everything that a state holds, wherever it lies: for comparisons. */
export const contentsOf = (state: State): Readonly<Record<string, unknown>> => {
  const counters = Object.fromEntries(Object.keys(initialCounters).map((name) => [name, Reflect.get(state, name)]))
  const tables = stateTables.map(({ name, inOrder }) => {
    const rows: ReadonlyArray<readonly [RowKey, unknown]> = [...state[name].entries()]
    // Ordered tables promise their order; of the others only the contents count.
    return [name, inOrder ? rows : new Map(rows.toSorted(([a], [b]) => (a < b ? -1 : 1)))] as const
  })
  return { ...counters, ...Object.fromEntries(tables) }
}

/** Secrets that seal a cached state which several processes open in turn. */
export const STATE_SECRETS: ReadonlyArray<string> = ["s".repeat(64)]

/** A store in memory that keeps rows as text, as a disk does; it outlives its holders. */
export interface MemoryStore {
  readonly store: StateStore
  /** Reads so far. */
  readonly reads: () => number
  /** How many rows have been written, in how many writes. */
  readonly writes: () => number
  /** The next writes fail. */
  failing: boolean
}

/** Makes an empty store in memory. */
export const makeMemoryStore = (): MemoryStore => {
  let rows = new Map<string, Map<RowKey, string>>()
  let head: string | null = null
  let owner = 0
  let reads = 0
  let writes = 0
  const table = (name: string): Map<RowKey, string> => {
    const found = rows.get(name) ?? new Map<RowKey, string>()
    rows.set(name, found)
    return found
  }
  const hold = (): HeldStore => {
    owner += 1
    const own = owner
    return {
      head: head === null ? null : JSON.parse(head),
      get: (name, key) => {
        reads += 1
        const row = table(name).get(key)
        return row === undefined ? undefined : JSON.parse(row)
      },
      rows: (name) =>
        [...table(name)]
          .toSorted(([a], [b]) => (a < b ? -1 : 1))
          .map(([key, row]): readonly [RowKey, unknown] => [key, JSON.parse(row)]),
      write: (changes, next) =>
        Effect.suspend(() => {
          if (own !== owner || memory.failing)
            return Effect.fail(new StateDamaged({ problem: "made so by a test", damage: "damage" }))
          for (const { table: name, key, value } of changes) {
            if (value === undefined) table(name).delete(key)
            else table(name).set(key, JSON.stringify(value))
          }
          head = JSON.stringify(next)
          writes += 1
          return Effect.void
        }),
    }
  }
  const memory: MemoryStore = {
    store: {
      hold: () => Effect.sync(hold),
      discard: Effect.sync(() => {
        rows = new Map()
        head = null
      }),
    },
    reads: () => reads,
    writes: () => writes,
    failing: false,
  }
  return memory
}
