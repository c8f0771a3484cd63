import { Effect, Exit, Result, Scope, Stream } from "effect"
import type { ClaimFailed, EventLog, FencedWriter, Offset, ReadFailed } from "../infra/log/event-log.port.ts"
import type { MalformedEvent, NewerEvent } from "../schemas/event.ts"
import { entryHash, firstTail, readEntry, type Tail } from "./entry.ts"
import { evolve } from "./evolve.ts"
import * as metrics from "./metrics.ts"
import { initialState, type State } from "./state.ts"

/** The name that the writer of the ledger claims. */
export const LEDGER_WRITER = "ledger"

/** Why the ledger's log cannot be folded. `NewerEvent` and `MalformedEvent` come again until somebody acts. */
export type FoldFailed = ReadFailed | NewerEvent | MalformedEvent

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

/**
 * Folds the ledger from its first entry. Hashes and forms are not checked here, but by `verify`: they were right when
 * they were written. `sought`: says whether the log holds this very entry.
 */
export const foldLedger = (
  log: EventLog,
  upTo: Offset,
  sought?: EntryId,
): Effect.Effect<Folded & { readonly found: boolean }, FoldFailed> =>
  Effect.gen(function* () {
    const state = initialState()
    let last: Uint8Array | null = null
    let sequence = 0
    let next = 0
    let found = false
    yield* Stream.runForEach(log.read("ledger", 0), (batch) => {
      for (const { offset, value } of batch.records) {
        if (offset >= upTo) break
        const entry = readEntry(value)
        if (Result.isFailure(entry)) return Effect.fail(entry.failure)
        evolve(state, entry.success, Date.parse(entry.success.time))
        sequence = entry.success.data.sequence
        if (sought !== undefined && sequence === sought.sequence) found = entry.success.id === sought.id
        last = value
        next = offset + 1
      }
      return Effect.void
    })
    metrics.folds.inc()
    return { state, tail: last === null ? firstTail : { sequence, hash: entryHash(last) }, next, found }
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
  readonly found: boolean
  readonly close: Effect.Effect<void>
}

/** Claims the ledger, which fences whoever wrote it, and folds it to its end. */
export const openSession = (log: EventLog, sought?: EntryId): Effect.Effect<Session, ClaimFailed | FoldFailed> =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const close = Scope.close(scope, Exit.void)
    return yield* Effect.gen(function* () {
      const provenMs = performance.now()
      const writer = yield* log.claim(LEDGER_WRITER, ["ledger"]).pipe(Scope.provide(scope))
      const { state, tail, next, found } = yield* foldLedger(log, writer.ends.ledger ?? 0, sought)
      return { writer, state, tail, next, provenMs, found, close }
    }).pipe(Effect.onError(() => close))
  })
