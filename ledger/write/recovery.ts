import { Effect, Schedule } from "effect"
import type { CommitFailed } from "../../schemas/ports/event-log.ts"
import * as metrics from "../metrics.ts"
import type { StateDamaged } from "../state-store.port.ts"
import { BillingUnavailable } from "../unavailable.ts"
import type { StateCache } from "./fold-cached.ts"
import { type EntryId, holdsEntry } from "./fold-log.ts"
import { answer, failGroup, type Group } from "./group.ts"
import type { LedgerOptions, LedgerStopped } from "./ledger.ts"
import type { Queue } from "./queue.ts"
import { openSession, type Session } from "./session.ts"

/** How long those whose append has an unknown outcome wait for the log to tell it, in milliseconds. */
const UNKNOWN_MS_MAX = 10_000

const patience = Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced("2 seconds")]).pipe(
  Schedule.jittered,
)

export const stateCacheOf = ({ state, stateLimits }: LedgerOptions): StateCache | undefined =>
  state === undefined ? undefined : { store: state, limits: stateLimits }

/**
 * What becomes of a group whose append failed. The session is over: its state has folded what may not be in the log.
 * Where the outcome is not known, the log is asked, behind a new claim that lets nothing more come from the old one.
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
      // Only what the log shows is certain: another one writes it now, and it may show more later.
      const { first } = group
      const written =
        first !== undefined &&
        (yield* holdsEntry(options.log, session.next, first).pipe(Effect.orElseSucceed(() => false)))
      if (written) answer(group)
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
    // All of it is there, or nothing is, and nothing ever will be: then the commands have their turn again.
    if (unknown && next.found) answer(group)
    else if (unknown) queue.putBack(group.decided.map(({ waiting }) => waiting))
    return next
  })

/** Claims again until the log can be used. Those who wait meanwhile are decided so. */
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

/** Makes the state again from the log: what was kept of it is damaged. Those who wait go on waiting. */
export const foldAnew = (
  options: LedgerOptions,
  queue: Queue,
  session: Session,
  damage: StateDamaged,
): Effect.Effect<Session, LedgerStopped> =>
  Effect.gen(function* () {
    yield* Effect.logWarning(`the ledger folds again: ${damage.message}`)
    metrics.stateRebuilds.inc()
    // Half a group may be folded that was never appended.
    session.ahead = true
    yield* session.close
    yield* options.state?.discard ?? Effect.void
    return yield* reopen(options, queue, undefined, () => undefined)
  })
