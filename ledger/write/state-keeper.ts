import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import type { Offset } from "../../schemas/ports/event-log.ts"
import { firstTail, type Tail } from "../fold/entry.ts"
import { type Counters, initialCounters, type OrderedTables, type State, type Tables } from "../fold/state.ts"
import * as metrics from "../metrics.ts"
import type { HeldStore, StateDamaged, StateUnwritable, StoreTable } from "../state-store.port.ts"
import { makeStoredOrder, makeStoredTable } from "./state-tables.ts"

/** Raised whenever a value or table of the state changes its meaning: a cache of another format is built again. */
export const STATE_FORMAT = 10

/** Values of each table that stay in memory. */
const CACHED_VALUES_MAX = { accounts: 50_000, tokens: 50_000, others: 10_000 } as const
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

const inOrder: ReadonlyArray<keyof OrderedTables> = ["openDebits", "closedDebits", "unfinal"]
const lookedUp: ReadonlyArray<keyof Tables> = [
  "accounts",
  "accountOrder",
  "tokens",
  "openers",
  "purchases",
  "transactions",
  "provisional",
  "quotes",
  "quoteOrder",
  "totals",
  "clients",
  "shares",
  "amounts",
  "attempts",
  "attemptOrder",
  "reservations",
  "reservationOrder",
]

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
  const of = (name: keyof typeof CACHED_VALUES_MAX) => limits.heldMax ?? CACHED_VALUES_MAX[name]
  const tables = {
    accounts: makeStoredTable("accounts", store, of("accounts")),
    accountOrder: makeStoredTable("accountOrder", store, of("others")),
    tokens: makeStoredTable("tokens", store, of("tokens")),
    openers: makeStoredTable("openers", store, of("others")),
    purchases: makeStoredTable("purchases", store, of("others")),
    transactions: makeStoredTable("transactions", store, of("others")),
    provisional: makeStoredTable("provisional", store, of("others")),
    quotes: makeStoredTable("quotes", store, of("others")),
    quoteOrder: makeStoredTable("quoteOrder", store, of("others")),
    totals: makeStoredTable("totals", store, of("others")),
    clients: makeStoredTable("clients", store, of("others")),
    shares: makeStoredTable("shares", store, of("others")),
    amounts: makeStoredTable("amounts", store, of("others")),
    attempts: makeStoredTable("attempts", store, of("others")),
    attemptOrder: makeStoredTable("attemptOrder", store, of("others")),
    reservations: makeStoredTable("reservations", store, of("others")),
    reservationOrder: makeStoredTable("reservationOrder", store, of("others")),
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
          metrics.stateSeconds.observe((writtenMs - begun) / 1000)
          metrics.stateHeld.set(held())
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
