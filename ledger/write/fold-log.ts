import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { Counter } from "prom-client"
import type { MalformedEvent, NewerEvent } from "../../schemas/event.ts"
import type { EventLog, Offset, ReadFailed, StoredRecord } from "../../schemas/ports/event-log.ts"
import { contradictionIn } from "../model/balance.ts"
import { evolve } from "../model/decider.ts"
import { entryHash, firstTail, readEntry, type Tail } from "../model/entry.ts"
import { initialState, type State } from "../model/state.ts"
import { StateDamaged, type StateStore, type StateUnwritable, stateDamages } from "../state-store.port.ts"
import {
  type EntryPosition,
  makeStateKeeper,
  type StateKeeper,
  type StateKeeperLimits,
  startPosition,
  stateTables,
} from "./state-cache.ts"

/** Times the state was folded from the log: at the start, and after an append whose outcome was not known. */
export const folds = new Counter({
  name: "tidewire_ledger_folds_total",
  help: "Times the state was folded from the log",
})

/** Times the cache of the state was discarded. */
export const stateRebuilds = new Counter({
  name: "tidewire_ledger_state_rebuilds_total",
  help: "Times the cache of the state could not be used and was folded again from the log, by reason: damage (by accident or on purpose), key (sealed with another one), format, moved (its log), contradiction (of its accounts)",
  labelNames: ["reason"],
})
for (const reason of stateDamages) stateRebuilds.inc({ reason }, 0)

/**
 * The log lacks an entry that the cached state was folded from. Only durable entries reach that cache, so the log was cut
 * off or replaced. Writing on would hide that: an operator decides.
 */
class LogCut extends Schema.TaggedError<LogCut>()("LogCut", {
  /** The sequence of the entry that was folded. */
  folded: Schema.Int,
  /** The sequence of the last entry of the log. */
  last: Schema.Int,
}) {
  override get message() {
    const what =
      this.last < this.folded
        ? `it ends with entry ${this.last}, and entry ${this.folded} was folded from it before`
        : `its entry ${this.folded} is not the one that was folded from it before`
    return `THE LEDGER'S LOG WAS CUT OFF OR REPLACED: ${what}. Nothing is served from it. Restore the log from a backup; to accept it as it stands, move the folder ledger-state out of DATA_DIR`
  }
}

/** Why the ledger's log cannot be folded. All but `ReadFailed` recur until an operator acts. */
export type FoldFailed = ReadFailed | NewerEvent | MalformedEvent | LogCut

/** The state at some offset of the log. */
interface FoldedLedger {
  readonly state: State
  readonly tail: Tail
  readonly next: Offset
  /** Whether the log holds the entry that was sought. */
  readonly found: boolean
}

/** An entry by its sequence and the id that its writer gave it. */
export interface EntryId {
  readonly sequence: number
  readonly id: string
}

/** How far a fold has come, and whether it met the entry that is sought. */
interface Progress {
  last: { readonly offset: Offset; readonly sequence: number; readonly value: Uint8Array } | undefined
  found: boolean
}

/** Folds records below an offset; returns the error that stopped it, if any. */
const foldRecords = (
  state: State,
  records: ReadonlyArray<StoredRecord>,
  upTo: Offset,
  sought: EntryId | undefined,
  progress: Progress,
): NewerEvent | MalformedEvent | StateDamaged | undefined => {
  try {
    for (const { offset, value } of records) {
      if (offset >= upTo) return undefined
      const entry = readEntry(value)
      if (Result.isFailure(entry)) return entry.failure
      evolve(state, entry.success, Date.parse(entry.success.time))
      const { sequence } = entry.success.data
      if (sought !== undefined && sequence === sought.sequence) progress.found = entry.success.id === sought.id
      if (value !== null) progress.last = { offset, sequence, value }
    }
    return undefined
  } catch (error) {
    // Tables are read lazily, so damage of the cache may show here.
    if (error instanceof StateDamaged) return error
    throw error
  }
}

const positionOf = ({ offset, sequence, value }: NonNullable<Progress["last"]>): EntryPosition => ({
  offset,
  sequence,
  hash: entryHash(value),
})

/**
 * Folds the ledger from its first entry, in memory. Hashes and schemas were checked when the entries were written; only
 * `verify` checks them again. `found` says whether the log holds the entry `sought`, by sequence and id.
 */
export const foldLedger = (log: EventLog, upTo: Offset, sought?: EntryId): Effect.Effect<FoldedLedger, FoldFailed> =>
  Effect.gen(function* () {
    const state = initialState()
    const progress: Progress = { last: undefined, found: false }
    yield* Stream.runForEach(log.read("ledger", 0), ({ records }) => {
      const stopped = foldRecords(state, records, upTo, sought, progress)
      // A state in memory has no cache, so it cannot be `StateDamaged`.
      return stopped === undefined ? Effect.void : Effect.fail(stopped as NewerEvent | MalformedEvent)
    })
    folds.inc()
    const { last, found } = progress
    const tail = last === undefined ? firstTail : { sequence: last.sequence, hash: entryHash(last.value) }
    return { state, tail, next: (last?.offset ?? -1) + 1, found }
  })

/** Where the state is cached. `limits` are for tests. */
export interface StateCache {
  readonly store: StateStore
  readonly limits?: StateKeeperLimits | undefined
}

/** A state with a cache on disk, folded up to some entry. */
interface CachedFold {
  readonly keeper: StateKeeper
  readonly mark: EntryPosition
  readonly found: boolean
}

/**
 * Folds the entries that are newer than the cached state. Fails with `StateDamaged` if the cache cannot be used, and with
 * `LogCut` if the log does not hold the entries that the cache was folded from.
 */
const foldFromCache = (
  log: EventLog,
  { store, limits }: StateCache,
  upTo: Offset,
  sought?: EntryId,
): Effect.Effect<CachedFold, FoldFailed | StateDamaged | StateUnwritable> =>
  Effect.gen(function* () {
    const held = yield* store.hold(stateTables)
    const keeper = yield* Effect.suspend(() => {
      try {
        const made = makeStateKeeper(held, limits)
        if (made === undefined)
          return Effect.fail(new StateDamaged({ problem: "its format is another", damage: "format" }))
        const problem = contradictionIn(made.state)
        return problem === null
          ? Effect.succeed(made)
          : Effect.fail(new StateDamaged({ problem, damage: "contradiction" }))
      } catch (error) {
        return error instanceof StateDamaged ? Effect.fail(error) : Effect.die(error)
      }
    })
    const { base, state } = keeper
    const refuse = (folded: EntryPosition) =>
      Effect.andThen(refuseCut(log, folded), new StateDamaged({ problem: "its log was moved", damage: "moved" }))
    const progress: Progress = { last: undefined, found: false }
    let proved = base === null
    yield* Stream.runForEach(log.read("ledger", base?.offset ?? 0), ({ records }) =>
      Effect.gen(function* () {
        let fresh = records
        if (!proved && base !== null) {
          // The last folded entry is read again: its hash covers, by the chain, every entry before it.
          const [first] = records
          if (first === undefined) return
          const same =
            first.offset === base.offset &&
            first.offset < upTo &&
            first.value !== null &&
            entryHash(first.value) === base.hash
          if (!same) return yield* refuse(base)
          proved = true
          fresh = records.slice(1)
        }
        const stopped = foldRecords(state, fresh, upTo, sought, progress)
        if (stopped !== undefined) return yield* Effect.fail(stopped)
        if (progress.last !== undefined) yield* keeper.folded(positionOf(progress.last))
      }),
    )
    if (!proved && base !== null) return yield* refuse(base)
    const { last, found } = progress
    return { keeper, mark: last === undefined ? (base ?? startPosition) : positionOf(last), found }
  })

/** Like `foldFromCache`; an unusable cache is discarded and built again. Null if the cache cannot be written at all. */
export const foldThroughCache = (
  log: EventLog,
  cache: StateCache,
  upTo: Offset,
  sought?: EntryId,
): Effect.Effect<CachedFold | null, FoldFailed> =>
  foldFromCache(log, cache, upTo, sought).pipe(
    Effect.catchTag("StateDamaged", (error) =>
      Effect.gen(function* () {
        yield* Effect.logWarning(`${error.message}; it is folded again from the log`)
        stateRebuilds.inc({ reason: error.damage })
        yield* cache.store.discard
        return yield* foldFromCache(log, cache, upTo, sought)
      }),
    ),
    Effect.catchTags({
      StateDamaged: (error) =>
        Effect.as(Effect.logError(`${error.message}; the ledger keeps its state in memory`), null),
      StateUnwritable: (error) =>
        Effect.as(Effect.logWarning(`${error.message}; the ledger keeps its state in memory`), null),
    }),
  )

/**
 * Fails with `LogCut` unless the log holds the cached state's last entry at another offset, as it does after a move to
 * another engine. Then the cache is only unusable.
 */
export const refuseCut = (log: EventLog, folded: Tail): Effect.Effect<void, ReadFailed | LogCut> =>
  Effect.flatMap(entryAt(log, folded.sequence), (found) =>
    found.sequence === folded.sequence && found.hash === folded.hash
      ? Effect.void
      : Effect.fail(new LogCut({ folded: folded.sequence, last: found.sequence })),
  )

/** The sequence of an entry; 0 where it cannot be read. */
const sequenceOf = (value: Uint8Array | null): number => {
  const entry = readEntry(value)
  return Result.isSuccess(entry) ? entry.success.data.sequence : 0
}

/** The entry of this sequence, or the last one where there are fewer. */
const entryAt = (log: EventLog, sequence: number): Effect.Effect<Tail, ReadFailed> =>
  log.read("ledger", 0).pipe(
    Stream.flatMap(({ records }) => Stream.fromIterable(records)),
    Stream.takeUntil(({ value }) => sequenceOf(value) >= sequence),
    Stream.runLast,
    Effect.map((last) =>
      last._tag === "None" || last.value.value === null
        ? firstTail
        : { sequence: sequenceOf(last.value.value), hash: entryHash(last.value.value) },
    ),
  )

/** Whether the log, from an offset to its present end, holds the entry with this id. */
export const holdsEntry = (log: EventLog, from: Offset, sought: EntryId): Effect.Effect<boolean, FoldFailed> =>
  log.read("ledger", from).pipe(
    Stream.runFold(
      () => false,
      (found, batch) =>
        found ||
        batch.records.some(({ value }) => {
          const entry = readEntry(value)
          return Result.isSuccess(entry) && entry.success.id === sought.id
        }),
    ),
  )
