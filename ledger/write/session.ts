import { Effect, Exit, Result, Scope, Stream } from "effect"
import type { MalformedEvent, NewerEvent } from "../../schemas/event.ts"
import type {
  ClaimFailed,
  EventLog,
  FencedWriter,
  Offset,
  ReadFailed,
  StoredRecord,
} from "../../schemas/ports/event-log.ts"
import { entryHash, firstTail, readEntry, type Tail } from "../fold/entry.ts"
import { evolve } from "../fold/evolve.ts"
import { initialState, type State } from "../fold/state.ts"
import * as metrics from "../metrics.ts"
import { StateDamaged, type StateStore, type StateUnwritable } from "../state-store.port.ts"
import { type LogCut, refuseCut } from "./log-cut.ts"
import { firstMark, type Keeper, type KeeperLimits, type Mark, makeKeeper, stateTables } from "./state-keeper.ts"

/** The name that the writer of the ledger claims. */
export const LEDGER_WRITER = "ledger"

/** Why the ledger's log cannot be folded. All but `ReadFailed` come again until an operator acts. */
export type FoldFailed = ReadFailed | NewerEvent | MalformedEvent | LogCut

/** The state at some offset of the log. */
export interface Folded {
  readonly state: State
  readonly tail: Tail
  readonly next: Offset
}

/** An entry by its place and the id that its writer gave it. */
export interface EntryId {
  readonly sequence: number
  readonly id: string
}

/** What has been folded so far, and whether the entry that is sought was among it. */
interface Progress {
  last: { readonly offset: Offset; readonly sequence: number; readonly value: Uint8Array } | undefined
  found: boolean
}

/** Folds records below an offset; gives what stopped it. */
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
    // Reading a table of the state may show that what was kept is damaged.
    if (error instanceof StateDamaged) return error
    throw error
  }
}

const markOf = ({ offset, sequence, value }: NonNullable<Progress["last"]>): Mark => ({
  offset,
  sequence,
  hash: entryHash(value),
})

/**
 * Folds the ledger from its first entry, in memory. Hashes and forms are not checked here, but by `verify`: they were
 * right when they were written. `sought`: says whether the log holds this very entry.
 */
export const foldLedger = (
  log: EventLog,
  upTo: Offset,
  sought?: EntryId,
): Effect.Effect<Folded & { readonly found: boolean }, FoldFailed> =>
  Effect.gen(function* () {
    const state = initialState()
    const progress: Progress = { last: undefined, found: false }
    yield* Stream.runForEach(log.read("ledger", 0), ({ records }) => {
      const stopped = foldRecords(state, records, upTo, sought, progress)
      // A state in memory is never damaged.
      return stopped === undefined ? Effect.void : Effect.fail(stopped as NewerEvent | MalformedEvent)
    })
    metrics.folds.inc()
    const { last, found } = progress
    const tail = last === undefined ? firstTail : { sequence: last.sequence, hash: entryHash(last.value) }
    return { state, tail, next: (last?.offset ?? -1) + 1, found }
  })

/** Where the state is kept, and other bounds than the usual ones. */
export interface Keeping {
  readonly store: StateStore
  readonly limits?: KeeperLimits | undefined
}

/** A state that is written behind, folded up to some offset. */
interface KeptFold {
  readonly keeper: Keeper
  readonly mark: Mark
  readonly found: boolean
}

/**
 * Folds what is newer than what the store holds. Fails with `StateDamaged` where that is not whole, and with `LogCut` where
 * the log does not hold what it was folded from.
 */
const foldKept = (
  log: EventLog,
  { store, limits }: Keeping,
  upTo: Offset,
  sought?: EntryId,
): Effect.Effect<KeptFold, FoldFailed | StateDamaged | StateUnwritable> =>
  Effect.gen(function* () {
    const held = yield* store.hold(stateTables)
    const keeper = yield* Effect.suspend(() => {
      try {
        const made = makeKeeper(held, limits)
        return made === undefined
          ? Effect.fail(new StateDamaged({ problem: "its format is another" }))
          : Effect.succeed(made)
      } catch (error) {
        return error instanceof StateDamaged ? Effect.fail(error) : Effect.die(error)
      }
    })
    const { base, state } = keeper
    const refuse = (folded: Mark) =>
      Effect.andThen(refuseCut(log, folded), new StateDamaged({ problem: "its log was moved" }))
    const progress: Progress = { last: undefined, found: false }
    let proved = base === null
    yield* Stream.runForEach(log.read("ledger", base?.offset ?? 0), ({ records }) =>
      Effect.gen(function* () {
        let fresh = records
        if (!proved && base !== null) {
          // The entry that was folded last is read again: the chain over the bytes ties all before it to its hash.
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
        if (progress.last !== undefined) yield* keeper.folded(markOf(progress.last))
      }),
    )
    if (!proved && base !== null) return yield* refuse(base)
    const { last, found } = progress
    return { keeper, mark: last === undefined ? (base ?? firstMark) : markOf(last), found }
  })

/** Like `foldKept`; what cannot be used is thrown away and made again. Null where the store is of no use at all. */
const foldCache = (
  log: EventLog,
  keeping: Keeping,
  upTo: Offset,
  sought?: EntryId,
): Effect.Effect<KeptFold | null, FoldFailed> =>
  foldKept(log, keeping, upTo, sought).pipe(
    Effect.catchTag("StateDamaged", (error) =>
      Effect.gen(function* () {
        yield* Effect.logWarning(`${error.message}; it is made again from the log`)
        metrics.stateRebuilds.inc()
        yield* keeping.store.discard
        return yield* foldKept(log, keeping, upTo, sought)
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
 * Folds into the store what the log holds by now: for a process that stands by, so that it has little to fold when its
 * turn comes. Not while this process has the ledger open.
 */
export const refreshState = (log: EventLog, store: StateStore): Effect.Effect<void, FoldFailed> =>
  Effect.gen(function* () {
    const folded = yield* foldCache(log, { store }, yield* log.end("ledger"))
    if (folded !== null) yield* folded.keeper.flush(folded.mark)
  })

/** Whether the log holds this very entry, from an offset on, as far as it shows now. */
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

/** A claim of the ledger, and the state that its log had then. It changes as the writer decides. */
export interface Session {
  readonly writer: FencedWriter
  readonly state: State
  tail: Tail
  /** Where the next entry will stand, at the least. */
  next: Offset
  /** When the claim was last proved, in milliseconds of the monotonic clock. */
  provenMs: number
  /** Whether the state has folded what the log may not hold. Then nothing of it is kept. */
  ahead: boolean
  readonly found: boolean
  /** Writes the state behind, where it is time and the log holds all of it. Waits only where too much waits. */
  readonly keep: Effect.Effect<void>
  /** Gives the claim back; what the log holds is kept before. */
  readonly close: Effect.Effect<void>
}

/**
 * Claims the ledger, which fences whoever wrote it, and folds it to its end: from what `keeping` holds, where there is one,
 * else from its first entry, in memory.
 */
export const openSession = (
  log: EventLog,
  keeping: Keeping | undefined,
  sought?: EntryId,
): Effect.Effect<Session, ClaimFailed | FoldFailed> =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const closeScope = Scope.close(scope, Exit.void)
    return yield* Effect.gen(function* () {
      const provenMs = performance.now()
      const writer = yield* log.claim(LEDGER_WRITER, ["ledger"]).pipe(Scope.provide(scope))
      const upTo = writer.ends.ledger ?? 0
      const kept = keeping === undefined ? null : yield* foldCache(log, keeping, upTo, sought)
      if (kept === null) {
        const folded = yield* foldLedger(log, upTo, sought)
        return { writer, ...folded, provenMs, ahead: false, keep: Effect.void, close: closeScope }
      }
      const { keeper, mark, found } = kept
      metrics.folds.inc()
      const whereDurable = (write: (mark: Mark) => Effect.Effect<void>) =>
        Effect.suspend(() => (session.ahead ? Effect.void : write({ offset: session.next - 1, ...session.tail })))
      const session: Session = {
        writer,
        state: keeper.state,
        tail: { sequence: mark.sequence, hash: mark.hash },
        next: mark.offset + 1,
        provenMs,
        ahead: false,
        found,
        keep: whereDurable(keeper.durable),
        close: Effect.ensuring(Effect.andThen(whereDurable(keeper.flush), keeper.settled), closeScope),
      }
      return session
    }).pipe(Effect.onError(() => closeScope))
  })
