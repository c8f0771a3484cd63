import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import type {
  ClaimFailed,
  CommitFailed,
  EventLog,
  Fenced,
  FencedWriter,
  Offset,
} from "../../schemas/ports/event-log.ts"
import type { LedgerClient } from "../answers.ts"
import type { LedgerContradiction } from "../model/balance.ts"
import { BillingUnavailable } from "../refusal.ts"
import type { StateDamaged, StateStore } from "../state-store.port.ts"
import type { LedgerClock } from "./clock.ts"
import {
  type EntryId,
  type FoldFailed,
  foldLedger,
  folds,
  foldThroughCache,
  holdsEntry,
  type StateCache,
  stateRebuilds,
} from "./fold-log.ts"
import { answerGroup, type DecidingState, failGroup, type Group, type Queue } from "./queue.ts"
import type { StateKeeper, StateKeeperLimits } from "./state-cache.ts"

/** How long commands whose append has an unknown outcome wait until the log shows it, in milliseconds. */
const UNKNOWN_MAX_MS = 10_000

const patience = Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced("2 seconds")]).pipe(
  Schedule.jittered,
)

/** A defect has stopped the ledger. Its state cannot be trusted and is folded again from the log. */
export class LedgerBroken extends Schema.TaggedError<LedgerBroken>()("LedgerBroken", { problem: Schema.String }) {
  override get message() {
    return `the ledger broke: ${this.problem}`
  }
}

/** Why a ledger stopped for good. After `Fenced` another process writes; the others recur until an operator acts. */
export type LedgerStopped = Fenced | ClaimFailed | FoldFailed | LedgerBroken | LedgerContradiction

/** The ledger, open for commands. */
export interface Ledger extends LedgerClient {
  /** Fails when the ledger has stopped for good. Open it again when it is this process's turn. */
  readonly stopped: Effect.Effect<never, LedgerStopped>
}

/** Dependencies of a ledger, and limits that tests set. */
export interface LedgerOptions {
  readonly log: EventLog
  /** Cache of the state with its offset, so that a start folds only newer entries; without it the state is in memory. */
  readonly state?: StateStore | undefined
  /** For tests: other bounds of that cache. */
  readonly stateLimits?: StateKeeperLimits | undefined
  /** The clock of entries; by default the machine's, without a witness. */
  readonly clock?: LedgerClock
  /** For tests: a clock that is always trusted, in milliseconds since the epoch. */
  readonly nowMs?: () => number
  readonly queueCommandsMax?: number
  readonly proofMaxMs?: number
  readonly lookEveryMs?: number
}

/** The name under which the ledger's writer claims the log. */
export const LEDGER_WRITER = "ledger"

/** A claim of the ledger, and the state of its log. The state changes as the writer decides. */
export interface Session extends DecidingState {
  readonly writer: FencedWriter
  /** The lowest offset that the next entry can have. */
  next: Offset
  /** When the claim was last proved, in milliseconds of the monotonic clock. */
  provenMs: number
  /** Whether the log holds the entry that was sought. */
  readonly found: boolean
  /** The state with its cache; null where the state is in memory alone. */
  readonly keeper: StateKeeper | null
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
        return { writer, ...folded, provenMs, ahead: false, keeper: null, close: closeScope }
      }
      const { keeper, mark, found } = kept
      folds.inc()
      const flush = Effect.suspend(() =>
        session.ahead ? Effect.void : keeper.flush({ offset: session.next - 1, ...session.tail }),
      )
      const session: Session = {
        writer,
        state: keeper.state,
        tail: { sequence: mark.sequence, hash: mark.hash },
        next: mark.offset + 1,
        provenMs,
        ahead: false,
        found,
        keeper,
        close: Effect.ensuring(Effect.andThen(flush, keeper.settled), closeScope),
      }
      return session
    }).pipe(Effect.onError(() => closeScope))
  })

/** The cache of the state; undefined where it is in memory alone. */
export const stateCacheOf = ({ state, stateLimits }: LedgerOptions): StateCache | undefined =>
  state === undefined ? undefined : { store: state, limits: stateLimits }

/**
 * Recovers from a failed append. The session ends, as its state contains entries that may not be in the log. An unknown
 * outcome is read from the log after a new claim, which fences anything still in flight from the old one.
 */
export const recover = (
  options: LedgerOptions,
  queue: Queue,
  session: Session,
  group: Group,
  error: CommitFailed,
): Effect.Effect<Session, LedgerStopped> =>
  Effect.gen(function* () {
    yield* session.close
    yield* Effect.logWarning(`the ledger folds again: ${error.message}`)
    if (error._tag === "Fenced") {
      // Another process writes now. The log proves that the group is in it; its absence proves nothing yet.
      const { first } = group
      const written =
        first !== undefined &&
        (yield* holdsEntry(options.log, session.next, first).pipe(Effect.orElseSucceed(() => false)))
      if (written) answerGroup(group)
      else failGroup(group, "unknown")
      return yield* error
    }
    const unknown = error._tag === "OutcomeUnknown" && group.first !== undefined
    if (!unknown) failGroup(group, "log")
    const begun = performance.now()
    const next = yield* reopen(options, queue, unknown ? group.first : undefined, (error) => {
      const goesOn = error._tag === "LogUnavailable" || error._tag === "LogFull"
      if (unknown && (!goesOn || performance.now() - begun > UNKNOWN_MAX_MS)) failGroup(group, "unknown")
    })
    // After the new claim the group is in the log whole, or never will be: then its commands are decided again.
    if (unknown && next.found) answerGroup(group)
    else if (unknown) queue.putBack(group.decided.map(({ waiting }) => waiting))
    return next
  })

/** Claims again until the log can be used. Commands that arrive meanwhile fail with the reason `log`. */
const reopen = (
  options: LedgerOptions,
  queue: Queue,
  sought: EntryId | undefined,
  onFailure: (error: LedgerStopped) => void,
): Effect.Effect<Session, LedgerStopped> =>
  openSession(options.log, stateCacheOf(options), sought).pipe(
    Effect.tapError((error) =>
      Effect.sync(() => {
        queue.failAll(new BillingUnavailable({ reason: "log", retryAfterSeconds: 2 }))
        onFailure(error)
      }),
    ),
    Effect.retry({
      schedule: patience,
      while: ({ _tag }) => _tag === "LogUnavailable" || _tag === "LogFull",
    }),
  )

/** Folds the state again from the log, as its cache is damaged. Commands in the queue go on waiting. */
export const foldAnew = (
  options: LedgerOptions,
  queue: Queue,
  session: Session,
  damage: StateDamaged,
): Effect.Effect<Session, LedgerStopped> =>
  Effect.gen(function* () {
    yield* Effect.logWarning(`the ledger folds again: ${damage.message}`)
    stateRebuilds.inc({ reason: damage.damage })
    // The state may contain a part of a group that was never appended: nothing of it may be stored.
    session.ahead = true
    yield* session.close
    yield* options.state?.discard ?? Effect.void
    return yield* reopen(options, queue, undefined, () => undefined)
  })
