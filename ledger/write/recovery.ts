import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type { CommitFailed } from "../../schemas/ports/event-log.ts"
import * as metrics from "../metrics.ts"
import type { StateDamaged } from "../state-store.port.ts"
import { BillingUnavailable } from "../unavailable.ts"
import type { StateCache } from "./fold-cached.ts"
import { type EntryId, holdsEntry } from "./fold-log.ts"
import { answerGroup, failGroup, type Group } from "./group.ts"
import type { LedgerOptions, LedgerStopped } from "./ledger.ts"
import type { Queue } from "./queue.ts"
import { openSession, type Session } from "./session.ts"

/** How long commands whose append has an unknown outcome wait until the log shows it, in milliseconds. */
const UNKNOWN_MS_MAX = 10_000

const patience = Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced("2 seconds")]).pipe(
  Schedule.jittered,
)

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
      if (unknown && (!goesOn || performance.now() - begun > UNKNOWN_MS_MAX)) failGroup(group, "unknown")
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
    metrics.stateRebuilds.inc({ reason: damage.damage })
    // The state may contain a part of a group that was never appended: nothing of it may be stored.
    session.ahead = true
    yield* session.close
    yield* options.state?.discard ?? Effect.void
    return yield* reopen(options, queue, undefined, () => undefined)
  })
