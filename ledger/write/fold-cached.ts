import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { EventLog, Offset } from "../../schemas/ports/event-log.ts"
import { contradictionIn } from "../contradiction.ts"
import { entryHash } from "../fold/entry.ts"
import * as metrics from "../metrics.ts"
import { StateDamaged, type StateStore, type StateUnwritable } from "../state-store.port.ts"
import { type EntryId, type FoldFailed, foldRecords, type Progress, positionOf } from "./fold-log.ts"
import { refuseCut } from "./log-cut.ts"
import {
  type EntryPosition,
  makeStateKeeper,
  type StateKeeper,
  type StateKeeperLimits,
  startPosition,
  stateTables,
} from "./state-keeper.ts"

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
        metrics.stateRebuilds.inc({ reason: error.damage })
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
 * Folds the log into the cache of a standby process, so that it has little to fold at its turn. Never called while this
 * process has the ledger open.
 */
export const refreshState = (log: EventLog, store: StateStore): Effect.Effect<void, FoldFailed> =>
  Effect.gen(function* () {
    const folded = yield* foldThroughCache(log, { store }, yield* log.end("ledger"))
    if (folded !== null) yield* folded.keeper.flush(folded.mark)
  })
