import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type { ClaimFailed, EventLog, FencedWriter, Offset } from "../../schemas/ports/event-log.ts"
import type { Tail } from "../fold/entry.ts"
import type { State } from "../fold/state.ts"
import * as metrics from "../metrics.ts"
import { foldThroughCache, type StateCache } from "./fold-cached.ts"
import { type EntryId, type FoldFailed, foldLedger } from "./fold-log.ts"
import type { EntryPosition } from "./state-keeper.ts"

/** The name under which the ledger's writer claims the log. */
export const LEDGER_WRITER = "ledger"

/** A claim of the ledger, and the state of its log. The state changes as the writer decides. */
export interface Session {
  readonly writer: FencedWriter
  readonly state: State
  tail: Tail
  /** The lowest offset that the next entry can have. */
  next: Offset
  /** When the claim was last proved, in milliseconds of the monotonic clock. */
  provenMs: number
  /** Whether the state contains entries that may not be in the log. Then it is not written to its cache. */
  ahead: boolean
  /** Whether the log holds the entry that was sought. */
  readonly found: boolean
  /** Writes the state to its cache if that is due and the log holds all of it. Waits only while too many changes are unwritten. */
  readonly keep: Effect.Effect<void>
  /** Writes the state to its cache, as far as the log holds it, and releases the claim. */
  readonly close: Effect.Effect<void>
}

/**
 * Claims the ledger, which fences the previous writer, and folds it to its end: from the cached state if there is one,
 * else from the first entry, in memory.
 */
export const openSession = (
  log: EventLog,
  cache: StateCache | undefined,
  sought?: EntryId,
): Effect.Effect<Session, ClaimFailed | FoldFailed> =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const closeScope = Scope.close(scope, Exit.void)
    return yield* Effect.gen(function* () {
      const provenMs = performance.now()
      const writer = yield* log.claim(LEDGER_WRITER, ["ledger"]).pipe(Scope.provide(scope))
      const upTo = writer.ends.ledger ?? 0
      const kept = cache === undefined ? null : yield* foldThroughCache(log, cache, upTo, sought)
      if (kept === null) {
        const folded = yield* foldLedger(log, upTo, sought)
        return { writer, ...folded, provenMs, ahead: false, keep: Effect.void, close: closeScope }
      }
      const { keeper, mark, found } = kept
      metrics.folds.inc()
      const whereDurable = (write: (mark: EntryPosition) => Effect.Effect<void>) =>
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
