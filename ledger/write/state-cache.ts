import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import { LRUCache } from "lru-cache"
import { Gauge, Histogram } from "prom-client"
import type { Offset } from "../../schemas/ports/event-log.ts"
import { firstTail, type Tail } from "../model/entry.ts"
import {
  type Counters,
  initialCounters,
  type OrderedTable,
  type OrderedTables,
  type State,
  type Table,
  type Tables,
} from "../model/state.ts"
import type { HeldStore, RowChange, RowKey, StateDamaged, StateUnwritable, StoreTable } from "../state-store.port.ts"

/** Raised whenever a value or table of the state changes its meaning: a cache of another format is built again. */
export const STATE_FORMAT = 11

/** The tables on disk, and the values of each that stay in memory. */
const CACHED_VALUES_MAX: Readonly<Record<keyof Tables, number>> = {
  accounts: 50_000,
  accountOrder: 10_000,
  tokens: 50_000,
  openers: 10_000,
  purchases: 10_000,
  transactions: 10_000,
  provisional: 10_000,
  quotes: 10_000,
  quoteOrder: 10_000,
  totals: 10_000,
  clients: 10_000,
  shares: 10_000,
  amounts: 10_000,
  attempts: 10_000,
  attemptOrder: 10_000,
  reservations: 10_000,
  reservationOrder: 10_000,
}
const lookedUp = Object.keys(CACHED_VALUES_MAX) as ReadonlyArray<keyof Tables>
const inOrder = ["openDebits", "closedDebits", "unfinal"] as const satisfies ReadonlyArray<keyof OrderedTables>
/** The cache is written after so many changes or so much time: in small steps, because debits wait while rows are encoded. */
const CHANGES_DUE = 1_000
const WRITE_EVERY_MS = 100
/** Unwritten changes that may accumulate during a write; beyond that, the writer waits. */
const CHANGES_MAX = 100_000
/** The same while the log is folded: a row that changes often is then written less often. */
const FOLDED_CHANGES_DUE = 250_000
/** The pause after a failed write. */
const FAILED_PAUSE_MS = 1_000

/** Bounds that tests set. */
export interface StateKeeperLimits {
  /** Values of each table that stay in memory. */
  readonly heldMax?: number
  /** The shortest time between two writes, in milliseconds. */
  readonly writeEveryMs?: number
}

/** An entry of the log by its offset, sequence and hash. */
export interface EntryPosition extends Tail {
  readonly offset: Offset
}

const counterNames = Object.keys(initialCounters) as ReadonlyArray<keyof Counters>

const Head = Schema.Struct({
  format: Schema.Literal(STATE_FORMAT),
  offset: Schema.Int,
  sequence: Schema.Int,
  hash: Schema.String,
  counters: Schema.Struct(
    Object.fromEntries(counterNames.map((name) => [name, Schema.Int])) as Record<keyof Counters, typeof Schema.Int>,
  ),
})
const isHead = Schema.is(Head)

const writeSeconds = new Histogram({
  name: "tidewire_ledger_state_write_seconds",
  help: "Duration of writing what has changed of the state to its cache",
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
})
const heldValues = new Gauge({
  name: "tidewire_ledger_state_held_values",
  help: "Values of the state in memory, when it was last written",
})

/** The state and its cache on disk, which is written behind the state. */
export interface StateKeeper {
  readonly state: State
  /** The last entry in the cached state; null for an empty cache. */
  readonly base: EntryPosition | null
  /**
   * Called when the log holds everything that the state has folded, up to this entry: it may be written now. Waits only
   * while there are more unwritten changes than `CHANGES_MAX`.
   */
  readonly durable: (mark: EntryPosition) => Effect.Effect<void>
  /** The same while a log is folded: writes seldom, and waits for each write. */
  readonly folded: (mark: EntryPosition) => Effect.Effect<void>
  /** Writes everything up to this entry, and waits until it is written. */
  readonly flush: (mark: EntryPosition) => Effect.Effect<void>
  /** Waits until nothing is being written. */
  readonly settled: Effect.Effect<void>
  /** Values in memory. */
  readonly held: () => number
}

const countersOf = (state: State) =>
  Object.fromEntries(counterNames.map((name) => [name, state[name]])) as Record<keyof Counters, number>

/** All tables, as the store needs them. */
export const stateTables: ReadonlyArray<StoreTable & { readonly name: keyof Tables | keyof OrderedTables }> = [
  ...lookedUp.map((name) => ({ name, inOrder: false })),
  ...inOrder.map((name) => ({ name, inOrder: true })),
]

/** Opens the state that a store holds; undefined for another format. Throws `StateDamaged`. */
export const makeStateKeeper = (store: HeldStore, limits: StateKeeperLimits = {}): StateKeeper | undefined => {
  const { head } = store
  if (head !== null && !isHead(head)) return undefined
  const { writeEveryMs = WRITE_EVERY_MS } = limits
  const heldMaxOf = (name: keyof Tables) => limits.heldMax ?? CACHED_VALUES_MAX[name]
  const tables = {
    // Each holds the values of its name alone.
    ...(Object.fromEntries(lookedUp.map((name) => [name, makeStoredTable(name, store, heldMaxOf(name))])) as {
      readonly [Name in keyof Tables]: Tables[Name] & WriteBehind
    }),
    openDebits: makeStoredOrder("openDebits", store),
    closedDebits: makeStoredOrder("closedDebits", store),
    unfinal: makeStoredOrder("unfinal", store),
  } satisfies Tables & OrderedTables
  const all = Object.values(tables)
  const state: State = { ...initialCounters, ...head?.counters, ...tables }

  const held = () => all.reduce((sum, table) => sum + table.held(), 0)
  const changes = () => all.reduce((sum, table) => sum + table.changes(), 0)
  let writing: Fiber.Fiber<void> | undefined
  let writtenMs = performance.now()
  /** When the last write failed; null after one that did not. */
  let failedMs: number | null = null

  const write = (mark: EntryPosition): Effect.Effect<void> => {
    const begun = performance.now()
    const rows = all.flatMap((table) => table.take())
    const counters = countersOf(state)
    return store.write(rows, { format: STATE_FORMAT, ...mark, counters } satisfies typeof Head.Type).pipe(
      Effect.as(true),
      // The log is the truth: unwritten changes stay in memory and are written with later ones.
      Effect.catch((error: StateDamaged | StateUnwritable) => {
        const isRepeated = failedMs !== null
        failedMs = performance.now()
        return Effect.as(isRepeated ? Effect.void : Effect.logWarning(`${error.message}; writing is paused`), false)
      }),
      Effect.flatMap((done) =>
        Effect.sync(() => {
          for (const table of all) table.written(done)
          if (done) failedMs = null
          writtenMs = performance.now()
          writing = undefined
          writeSeconds.observe((writtenMs - begun) / 1000)
          heldValues.set(held())
        }),
      ),
    )
  }
  const settled = Effect.suspend(() => (writing === undefined ? Effect.void : Effect.asVoid(Fiber.await(writing))))
  const begin = (mark: EntryPosition): Effect.Effect<void> =>
    Effect.map(Effect.forkDetach(write(mark), { startImmediately: true }), (fiber) => {
      if (fiber.pollUnsafe() === undefined) writing = fiber
    })
  const flush = (mark: EntryPosition): Effect.Effect<void> =>
    Effect.andThen(
      settled,
      Effect.suspend(() => (changes() === 0 ? Effect.void : write(mark))),
    )
  return {
    state,
    base: head === null ? null : { offset: head.offset, sequence: head.sequence, hash: head.hash },
    durable: (mark) =>
      Effect.suspend(() => {
        const count = changes()
        if (count === 0 || (failedMs !== null && performance.now() - failedMs < FAILED_PAUSE_MS)) return Effect.void
        if (writing !== undefined) return count > CHANGES_MAX ? settled : Effect.void
        return count >= CHANGES_DUE || performance.now() - writtenMs > writeEveryMs ? begin(mark) : Effect.void
      }),
    folded: (mark) => Effect.suspend(() => (changes() < FOLDED_CHANGES_DUE ? Effect.void : flush(mark))),
    flush,
    settled,
    held,
  }
}

/** The position before the first entry. */
export const startPosition: EntryPosition = { ...firstTail, offset: -1 }

/** A table that collects its changes until they are written. */
interface WriteBehind {
  /** The changes since the last `take`, as rows. They count as being written until `written` is called. */
  readonly take: () => ReadonlyArray<RowChange>
  /** Ends the write of the rows that were taken; after a failure they count as unwritten again. */
  readonly written: (done: boolean) => void
  /** Changes since the last `take`. */
  readonly changes: () => number
  /** Values in memory. */
  readonly held: () => number
}

/**
 * A table on disk. In memory are the most recently used values, at most `heldMax`, the unwritten changes, and those that
 * are being written. Everything else is read on demand.
 */
const makeStoredTable = <Key extends RowKey, Value extends NonNullable<unknown>>(
  name: string,
  store: HeldStore,
  heldMax: number,
): Table<Key, Value> & WriteBehind => {
  // Not `max`: that allocates room for all values at once.
  const held = new LRUCache<Key, Value>({ maxSize: heldMax, sizeCalculation: () => 1 })
  let changed = new Map<Key, Value | undefined>()
  let writing: ReadonlyMap<Key, Value | undefined> = new Map()

  const get = (key: Key): Value | undefined => {
    const found = held.get(key)
    if (found !== undefined) return found
    if (changed.has(key)) return changed.get(key)
    if (writing.has(key)) return writing.get(key)
    // The store has checked the row, and only values of this table are written to it.
    const row = store.get(name, key) as Value | undefined
    if (row !== undefined) held.set(key, row)
    return row
  }
  return {
    get,
    has: (key) => get(key) !== undefined,
    set: (key, value) => {
      held.set(key, value)
      changed.set(key, value)
    },
    delete: (key) => {
      held.delete(key)
      changed.set(key, undefined)
    },
    *entries() {
      for (const [key, row] of store.rows(name) as Iterable<readonly [Key, Value]>)
        if (!changed.has(key) && !writing.has(key)) yield [key, row]
      for (const [key, value] of writing) if (value !== undefined && !changed.has(key)) yield [key, value]
      for (const [key, value] of changed) if (value !== undefined) yield [key, value]
    },
    take: () => {
      writing = changed
      changed = new Map()
      return Array.from(writing, ([key, value]) => ({ table: name, key, value }))
    },
    written: (done) => {
      if (!done) for (const [key, value] of writing) if (!changed.has(key)) changed.set(key, value)
      writing = new Map()
    },
    changes: () => changed.size,
    held: () => held.size + changed.size + writing.size,
  }
}

/** Values of an ordered table that share a row. */
const PAGE_VALUES = 64

/**
 * A table that is held in memory whole, in the order in which its keys were added. On disk, consecutive values share a row,
 * so that keys that come and go in order cost a fraction of a row each. It is read when it is opened.
 */
const makeStoredOrder = <Value>(name: string, store: HeldStore): OrderedTable<Value> & WriteBehind => {
  const values = new Map<string, { readonly place: number; readonly value: Value }>()
  const keys = new Map<number, string>()
  let next = 0
  let changes = 0
  let changed = new Set<number>()
  let writing: ReadonlySet<number> = new Set()

  type Page = ReadonlyArray<readonly [place: number, key: string, value: Value]>
  for (const [, page] of store.rows(name) as Iterable<readonly [number, Page]>)
    for (const [place, key, value] of page) {
      values.set(key, { place, value })
      keys.set(place, key)
      next = place + 1
    }

  const pageOf = (number: number): Page | undefined => {
    const page: Array<Page[number]> = []
    for (let place = number * PAGE_VALUES; place < (number + 1) * PAGE_VALUES; place++) {
      const key = keys.get(place)
      const found = key === undefined ? undefined : values.get(key)
      if (key !== undefined && found !== undefined) page.push([place, key, found.value])
    }
    return page.length === 0 ? undefined : page
  }
  const touch = (place: number): void => {
    changes += 1
    changed.add(Math.floor(place / PAGE_VALUES))
  }
  return {
    get size() {
      return values.size
    },
    get: (key) => values.get(key)?.value,
    has: (key) => values.has(key),
    set: (key, value) => {
      const place = values.get(key)?.place ?? next
      if (place === next) next += 1
      values.set(key, { place, value })
      keys.set(place, key)
      touch(place)
    },
    delete: (key) => {
      const found = values.get(key)
      if (found === undefined) return
      values.delete(key)
      keys.delete(found.place)
      touch(found.place)
    },
    *entries() {
      for (const [key, { value }] of values) yield [key, value]
    },
    take: () => {
      writing = changed
      changed = new Set()
      changes = 0
      return Array.from(writing, (number) => ({ table: name, key: number, value: pageOf(number) }))
    },
    written: (done) => {
      if (!done) for (const number of writing) changed.add(number)
      writing = new Set()
    },
    changes: () => changes,
    held: () => values.size,
  }
}
