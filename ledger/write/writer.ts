import { setImmediate } from "node:timers/promises"
import { Deferred, Effect, Result, Schedule, Schema, type Scope } from "effect"
import { v7 as uuid } from "uuid"
import type { ClaimFailed, CommitFailed, EventLog, Fenced, LogRecord } from "../../schemas/ports/event-log.ts"
import type { Answers, AnswerTo } from "../answers.ts"
import type { Command } from "../command.ts"
import { decide } from "../decide/decide.ts"
import { seal } from "../fold/entry.ts"
import type { LedgerEvent } from "../fold/event.ts"
import { evolve } from "../fold/evolve.ts"
import type { State } from "../fold/state.ts"
import * as metrics from "../metrics.ts"
import type { Refusal } from "../refusal.ts"
import { StateDamaged, type StateStore } from "../state-store.port.ts"
import { BillingUnavailable } from "../unavailable.ts"
import { BEHIND_MS_MIN, fixedClock, type LedgerClock, machineClocks, makeLedgerClock } from "./clock.ts"
import { type Answered, type EntryRef, failWaiting, makeQueue, type Queue, type Waiting } from "./queue.ts"
import { type EntryId, type FoldFailed, holdsEntry, type Keeping, openSession, type Session } from "./session.ts"
import type { KeeperLimits } from "./state-keeper.ts"

/** Commands that may wait; more are refused at once. */
const QUEUE_COMMANDS_MAX = 10_000
/** How long a command waits for its turn before it is refused, in milliseconds. */
const WAIT_MS_MAX = 5_000
/** Commands of one append. */
const GROUP_COMMANDS_MAX = 1_000
/** How old the proof of the claim may be that an answer without an append rests on, in milliseconds. */
const PROOF_MS_MAX = 2_000
/** How often an idle writer looks for debits to give back, in milliseconds. */
const LOOK_EVERY_MS = 5_000
/** How long an append that cannot be written is tried again before its commands are refused, in milliseconds. */
const RETRY_MS_MAX = 2_000
const RETRY_EVERY_MS = 50
const CLOCK_RETRY_SECONDS = 30
/** How long those whose append has an unknown outcome wait for the log to tell it, in milliseconds. */
const UNKNOWN_MS_MAX = 10_000

const patience = Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced("2 seconds")]).pipe(
  Schedule.jittered,
)

/** A mistake in our code has stopped the ledger: its state is not to be trusted, and is to be folded anew. */
export class LedgerBroken extends Schema.TaggedError<LedgerBroken>()("LedgerBroken", { problem: Schema.String }) {
  override get message() {
    return `the ledger broke: ${this.problem}`
  }
}

/** Why a ledger stopped for good. After `Fenced` another one writes; the rest comes again until somebody acts. */
export type LedgerStopped = Fenced | ClaimFailed | FoldFailed | LedgerBroken

/** The ledger, open for commands. */
export interface Ledger {
  /**
   * Has a command decided, and succeeds when what follows from it is durable, or, where nothing does, when it is proved
   * that nobody else writes. Fails with the refusal, or with `BillingUnavailable`; then nothing was written, except
   * where that says `unknown`. Interrupted, the command may still happen.
   */
  readonly submit: <C extends Command>(command: C) => Effect.Effect<Answered<AnswerTo<C>>, Refusal | BillingUnavailable>
  /** Fails when the ledger has stopped for good: open it again, when it is this process's turn. */
  readonly stopped: Effect.Effect<never, LedgerStopped>
}

/** What a ledger needs, and limits that tests set. */
export interface LedgerOptions {
  readonly log: EventLog
  /** Where the state is kept beside its offset, so that a start folds only what is newer; in memory where it is absent. */
  readonly state?: StateStore | undefined
  /** For tests: other bounds of what is kept. */
  readonly stateLimits?: KeeperLimits | undefined
  /** The clock that entries are written by; the machine's where it is absent, without a witness. */
  readonly clock?: LedgerClock
  /** For tests: a clock that is believed, in milliseconds since the epoch. */
  readonly nowMs?: () => number
  readonly queueCommandsMax?: number
  readonly proofMsMax?: number
  readonly lookEveryMs?: number
}

const behindWords = (ms: number): string =>
  `the clock is ${Math.round(ms / 1000)} s behind the last entry: until it has passed that, no time passes for quotes, refunds and keys`

const keepingOf = ({ state, stateLimits }: LedgerOptions): Keeping | undefined =>
  state === undefined ? undefined : { store: state, limits: stateLimits }

/** What a command will be told, once its group is durable. */
interface Told {
  readonly waiting: Waiting
  readonly result: Result.Result<Answered<Answers[keyof Answers]>, Refusal>
}

/** Commands that were decided together, and the entries that follow from them. */
interface Group {
  readonly told: ReadonlyArray<Told>
  readonly records: ReadonlyArray<LogRecord>
  readonly first: EntryId | undefined
  readonly orphans: number
  /** Whether somebody is to be answered who has written nothing. */
  readonly asks: boolean
  /** What deciding has thrown, which is a mistake of ours. */
  readonly faults: ReadonlyArray<string>
}

/** Decides a command. One that throws has changed nothing yet: it is refused by itself, and all others go on. */
const decideOne = (state: State, command: Command, atMs: number, faults: Array<string>): ReturnType<typeof decide> => {
  try {
    return decide(state, command, atMs)
  } catch (error) {
    if (error instanceof StateDamaged) throw error
    faults.push(`${command._tag}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
    return Result.fail<Refusal>({ _tag: "invalid_command" })
  }
}

/** Decides commands in their order, and folds what follows at once: each sees what those before it did. */
const decideGroup = (session: Session, commands: ReadonlyArray<Waiting>, clockMs: number): Group => {
  const { state } = session
  const atMs = Math.max(clockMs, state.nowMs)
  const records: Array<LogRecord> = []
  const faults: Array<string> = []
  const group = uuid()
  const before = session.tail.sequence
  const happen = (events: ReadonlyArray<LedgerEvent>): ReadonlyArray<EntryRef> =>
    events.map((event) => {
      session.ahead = true
      evolve(state, event, atMs)
      const sealed = seal(event, session.tail, state, `${group}/${records.length}`, atMs)
      records.push(sealed.record)
      session.tail = sealed.tail
      return sealed.tail
    })
  // First of all, so that no entry stands behind a debit whose time is over.
  let orphans = 0
  for (let more = true; more; ) {
    const due = decide(state, { _tag: "refundOrphans" }, atMs)
    more = Result.isSuccess(due) && due.success.events.length > 0
    if (Result.isSuccess(due)) orphans += happen(due.success.events).length
  }
  const told = commands.map((waiting): Told => {
    const decided = decideOne(state, waiting.command, atMs, faults)
    if (Result.isFailure(decided)) return { waiting, result: Result.fail(decided.failure) }
    const entries = happen(decided.success.events)
    return { waiting, result: Result.succeed({ answer: decided.success.answer, entries, atMs }) }
  })
  return {
    told,
    records,
    first: records.length === 0 ? undefined : { sequence: before + 1, id: `${group}/0` },
    orphans,
    asks: told.some(({ result }) => Result.isFailure(result) || result.success.entries.length === 0),
    faults,
  }
}

/** Like `decideGroup`; what was kept of the state may show itself damaged. Nothing has happened then. */
const tryGroup = (
  session: Session,
  commands: ReadonlyArray<Waiting>,
  clockMs: number,
): Result.Result<Group, StateDamaged> => {
  try {
    return Result.succeed(decideGroup(session, commands, clockMs))
  } catch (error) {
    if (error instanceof StateDamaged) return Result.fail(error)
    // Nothing of it was appended.
    const stopped = new BillingUnavailable({ reason: "stopped", retryAfterSeconds: 5 })
    for (const waiting of commands) failWaiting(waiting, stopped)
    throw error
  }
}

const answer = ({ told, orphans, records }: Group): void => {
  metrics.entries.inc(records.length)
  metrics.orphans.inc(orphans)
  for (const { waiting, result } of told) {
    const outcome = Result.isSuccess(result) ? "accepted" : result.failure._tag
    metrics.commands.inc({ command: waiting.command._tag, outcome })
    if (Result.isSuccess(result)) waiting.succeed(result.success)
    else waiting.fail(result.failure)
  }
}

const failGroup = ({ told }: Group, reason: BillingUnavailable["reason"]): void => {
  for (const { waiting } of told) failWaiting(waiting, new BillingUnavailable({ reason, retryAfterSeconds: 1 }))
}

/** Appends, again for a while where nothing could be written; notes when the claim was proved by it. */
const append = (session: Session, records: ReadonlyArray<LogRecord>): Effect.Effect<void, CommitFailed> =>
  Effect.gen(function* () {
    const begun = performance.now()
    const { offsets } = yield* session.writer.commit(records).pipe(
      Effect.retry({
        schedule: Schedule.spaced(RETRY_EVERY_MS),
        while: ({ _tag }) =>
          (_tag === "LogUnavailable" || _tag === "LogFull") && performance.now() - begun < RETRY_MS_MAX,
      }),
    )
    session.provenMs = begun
    const last = offsets.at(-1)
    if (last !== undefined) {
      session.next = last + 1
      session.ahead = false
    }
    metrics.appendSeconds.observe((performance.now() - begun) / 1000)
  })

/** Makes a decided group durable, and proves the claim for those who only asked. */
const secure = (session: Session, group: Group, proofMsMax: number): Effect.Effect<void, CommitFailed> =>
  Effect.gen(function* () {
    if (group.records.length > 0) yield* append(session, group.records)
    // A process that was stopped in the midst wakes up here: what it asks was perhaps answered otherwise meanwhile.
    if (group.asks && performance.now() - session.provenMs > proofMsMax) yield* append(session, [])
    yield* session.keep
  })

/**
 * What becomes of a group whose append failed. The session is over: its state has folded what may not be in the log.
 * Where the outcome is not known, the log is asked, behind a new claim that lets nothing more come from the old one.
 */
const recover = (
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
    else if (unknown) queue.putBack(group.told.map(({ waiting }) => waiting))
    return next
  })

/** Claims again until the log can be used. Those who wait meanwhile are told so. */
const reopen = (
  options: LedgerOptions,
  queue: Queue,
  sought: EntryId | undefined,
  onFailure: (error: LedgerStopped) => void,
): Effect.Effect<Session, LedgerStopped> =>
  openSession(options.log, keepingOf(options), sought).pipe(
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
const foldAnew = (
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

/** Waits until commands wait, or for a while; then a moment more, so that those who come together are served together. */
const arrivals = (queue: Queue, lookEveryMs: number): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    const go = () => {
      clearTimeout(timer)
      queue.onArrival = () => undefined
      void setImmediate().then(() => resume(Effect.void))
    }
    const timer = setTimeout(go, lookEveryMs)
    if (queue.size() > 0) go()
    else queue.onArrival = go
    return Effect.sync(() => clearTimeout(timer))
  })

/**
 * Opens the ledger: claims its writer, which fences the one before, folds the log to its end, gives back what was not
 * settled in time, and takes commands until the scope ends or it is fenced. In a process that stands by, await the
 * log's turn for `ledger` first.
 */
export const openLedger = (options: LedgerOptions): Effect.Effect<Ledger, LedgerStopped, Scope.Scope> =>
  Effect.gen(function* () {
    const { log, proofMsMax = PROOF_MS_MAX, lookEveryMs = LOOK_EVERY_MS } = options
    const queue = makeQueue(options.queueCommandsMax ?? QUEUE_COMMANDS_MAX, WAIT_MS_MAX)
    const stopped = yield* Deferred.make<never, LedgerStopped>()
    const clock =
      options.clock ??
      (options.nowMs === undefined ? makeLedgerClock({ clocks: machineClocks }) : fixedClock(options.nowMs))
    let open = true
    let behind = false

    let session = yield* openSession(log, keepingOf(options))
    const serveOnce: Effect.Effect<void, LedgerStopped> = Effect.suspend(() => {
      const commands = queue.take(GROUP_COMMANDS_MAX)
      // Before anything of a group is decided, what an operator has decided about the clock.
      if (commands.some(({ command }) => command._tag === "acceptClock")) clock.accept()
      const reading = clock.read(session.state.nowMs)
      metrics.showClock(reading)
      if (reading._tag === "doubted") {
        const unavailable = new BillingUnavailable({ reason: "clock", retryAfterSeconds: CLOCK_RETRY_SECONDS })
        for (const waiting of commands) failWaiting(waiting, unavailable)
        return Effect.void
      }
      const isBehind = reading.behindMs >= BEHIND_MS_MIN
      const alarm = isBehind && !behind ? Effect.logError(behindWords(reading.behindMs)) : Effect.void
      behind = isBehind
      const decided = tryGroup(session, commands, reading.atMs)
      if (Result.isFailure(decided)) {
        queue.putBack(commands)
        return Effect.map(foldAnew(options, queue, session, decided.failure), (next) => {
          session = next
        })
      }
      const group = decided.success
      metrics.waiting.set(queue.size())
      return Effect.gen(function* () {
        yield* alarm
        for (const cause of group.faults)
          yield* Effect.logError("a command could not be decided").pipe(Effect.annotateLogs({ cause }))
        const secured = yield* Effect.result(secure(session, group, proofMsMax))
        if (Result.isSuccess(secured)) answer(group)
        else session = yield* recover(options, queue, session, group, secured.failure)
      }).pipe(
        Effect.onInterrupt(() => Effect.sync(() => failGroup(group, "unknown"))),
        Effect.tapDefect(() => Effect.sync(() => failGroup(group, "unknown"))),
      )
    })
    const serve = serveOnce.pipe(
      // A ledger that stands still without saying so would be waited for, for ever.
      Effect.catchDefect((defect) =>
        Effect.andThen(session.close, Effect.fail(new LedgerBroken({ problem: String(defect) }))),
      ),
    )
    yield* serve
    yield* Effect.forkScoped(
      Effect.forever(Effect.andThen(arrivals(queue, lookEveryMs), serve)).pipe(
        Effect.tapError((error) => Deferred.fail(stopped, error)),
        Effect.ensuring(
          Effect.suspend(() => {
            open = false
            queue.failAll(new BillingUnavailable({ reason: "stopped", retryAfterSeconds: 5 }))
            return session.close
          }),
        ),
        Effect.ignore,
      ),
    )

    const submit = <C extends Command>(command: C) =>
      Effect.callback<Answered<AnswerTo<C>>, Refusal | BillingUnavailable>((resume) => {
        const waiting: Waiting = {
          command,
          sinceMs: performance.now(),
          // `decide` answers a command of this type with an answer of its type.
          succeed: (answered) => resume(Effect.succeed(answered as Answered<AnswerTo<C>>)),
          fail: (error) => resume(Effect.fail(error)),
          abandoned: false,
        }
        if (!open) failWaiting(waiting, new BillingUnavailable({ reason: "stopped", retryAfterSeconds: 5 }))
        else if (!queue.push(waiting))
          failWaiting(waiting, new BillingUnavailable({ reason: "overloaded", retryAfterSeconds: 1 }))
        return Effect.sync(() => {
          waiting.abandoned = true
        })
      })
    return { submit, stopped: Deferred.await(stopped) }
  })
