import { setImmediate } from "node:timers/promises"
import type * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import { Gauge, Histogram } from "prom-client"
import type { CommitFailed, LogRecord } from "../../schemas/ports/event-log.ts"
import type { AnswerTo, DurableAnswer } from "../answers.ts"
import type { Command } from "../command.ts"
import { onBehalfOf, withRequestId } from "../ids.ts"
import type { LedgerContradiction } from "../model/balance.ts"
import { BillingUnavailable, type Refusal } from "../refusal.ts"
import {
  BEHIND_MIN_MS,
  type ClockReading,
  fixedClock,
  type LedgerClock,
  machineClocks,
  makeLedgerClock,
} from "./clock.ts"
import {
  answerGroup,
  failGroup,
  failWaiting,
  type Group,
  makeQueue,
  type Queue,
  tryGroup,
  type Waiting,
} from "./queue.ts"
import {
  foldAnew,
  type Ledger,
  LedgerBroken,
  type LedgerOptions,
  type LedgerStopped,
  openSession,
  recover,
  type Session,
  stateCacheOf,
} from "./session.ts"

/** How long a failed append is retried before its commands are refused, in milliseconds. */
const RETRY_MAX_MS = 2_000
const RETRY_EVERY_MS = 50

/** Commands in the queue; more are refused at once. */
const QUEUE_COMMANDS_MAX = 10_000
/** How long a command waits for its turn before it is refused, in milliseconds. */
const WAIT_MAX_MS = 5_000
/** Commands of one group, which is one append. */
const GROUP_COMMANDS_MAX = 1_000
/** An answer without an append needs a proof of the claim that is at most this old, in milliseconds. */
const PROOF_MAX_MS = 2_000
/** How often an idle writer looks for debits to refund, in milliseconds. */
const LOOK_EVERY_MS = 5_000
const CLOCK_RETRY_SECONDS = 30

const appendSeconds = new Histogram({
  name: "tidewire_ledger_append_seconds",
  help: "Duration of the durable append of one group of commands",
  buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 1, 5],
})
const waitingCommands = new Gauge({
  name: "tidewire_ledger_queue_commands",
  help: "Commands in the queue of the ledger's writer",
})
const clockDoubted = new Gauge({
  name: "tidewire_ledger_clock_doubted",
  help: "1 while the ledger doubts the clock of its machine and writes nothing; else 0",
})
const clockBehind = new Gauge({
  name: "tidewire_ledger_clock_behind_seconds",
  help: "By how much the clock is behind the last entry of the ledger: quotes and refunds do not age until it has caught up",
})

const showClock = (reading: ClockReading): void => {
  clockDoubted.set(reading._tag === "doubted" ? 1 : 0)
  if (reading._tag === "trusted") clockBehind.set(reading.behindMs / 1000)
}

/** The parts of an open ledger. */
interface OpenLedger {
  readonly options: LedgerOptions
  readonly queue: Queue
  readonly clock: LedgerClock
  /** The context whose logger writes the lines about commands. */
  readonly context: Context.Context<never>
  /** Replaced when the log is claimed again. */
  session: Session
  /** Whether commands are accepted. */
  isOpen: boolean
  /** Whether the clock was behind the last entry when the last group was decided: an alarm is logged once. */
  isBehind: boolean
}

/** Appends, with retries while nothing could be written. A durable append also proves the claim. */
const append = Effect.fnUntraced(function* (
  session: Session,
  records: ReadonlyArray<LogRecord>,
): Effect.fn.Return<void, CommitFailed> {
  const begun = performance.now()
  const { offsets } = yield* session.writer.commit(records).pipe(
    Effect.retry({
      schedule: Schedule.spaced(RETRY_EVERY_MS),
      while: ({ _tag }) =>
        (_tag === "LogUnavailable" || _tag === "LogFull") && performance.now() - begun < RETRY_MAX_MS,
    }),
  )
  session.provenMs = begun
  const last = offsets.at(-1)
  if (last !== undefined) {
    session.next = last + 1
    session.ahead = false
  }
  appendSeconds.observe((performance.now() - begun) / 1000)
})

/** Makes a decided group durable, and proves the claim where a result rests on no entry. */
const secure = Effect.fnUntraced(function* (
  session: Session,
  group: Group,
  proofMaxMs: number,
): Effect.fn.Return<void, CommitFailed> {
  // Appending a group proves the claim for the very state that it was decided on, however long that took. A second append
  // could fail after the first had succeeded, and what is durable would count as not written.
  if (group.records.length > 0) yield* append(session, group.records)
  // A process that was suspended resumes here: another writer may have decided otherwise meanwhile.
  else if (group.needsProof && performance.now() - session.provenMs > proofMaxMs) yield* append(session, [])
  const { keeper, next, tail } = session
  if (keeper !== null && !session.ahead) yield* keeper.durable({ offset: next - 1, ...tail })
})

const behindAlarm = (ms: number): string =>
  `the clock is ${Math.round(ms / 1000)} s behind the last entry: quotes, refunds and keys do not age until it has passed that entry`

/**
 * Waits for the first command, at most `lookEveryMs`; then for one turn of the event loop, so that commands that arrive
 * together form one group.
 */
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

/** Makes a decided group durable and answers it, or recovers from the failed append. */
const commitGroup = Effect.fnUntraced(function* (
  ledger: OpenLedger,
  group: Group,
): Effect.fn.Return<void, LedgerStopped> {
  const { options, queue, session } = ledger
  for (const fault of group.faults)
    yield* Effect.logError("a command could not be decided").pipe(Effect.annotateLogs({ ...fault }))
  const secured = yield* Effect.result(secure(session, group, options.proofMaxMs ?? PROOF_MAX_MS))
  if (Result.isSuccess(secured)) answerGroup(group)
  else ledger.session = yield* recover(options, queue, session, group, secured.failure)
})

/** Stops the ledger for good: it is opened again from its cache, whose accounts are checked then, or from the log. */
const stopAt = (session: Session, contradiction: LedgerContradiction): Effect.Effect<never, LedgerContradiction> => {
  // The state may contain a part of a group that was never appended: nothing of it may be stored.
  session.ahead = true
  return Effect.andThen(Effect.logError(contradiction.message), session.close).pipe(
    Effect.andThen(Effect.fail(contradiction)),
  )
}

/** Serves one group: the commands in the queue, or none, as debits may be overdue. */
const serveGroup = (ledger: OpenLedger): Effect.Effect<void, LedgerStopped> =>
  Effect.suspend(() => {
    const { options, queue, clock, session } = ledger
    const commands = queue.take(GROUP_COMMANDS_MAX)
    // An operator's decision about the clock applies to the group that it arrives in.
    if (commands.some(({ command }) => command._tag === "acceptClock")) clock.accept()
    const reading = clock.read(session.state.nowMs)
    showClock(reading)
    if (reading._tag === "doubted") {
      const unavailable = new BillingUnavailable({ reason: "clock", retryAfterSeconds: CLOCK_RETRY_SECONDS })
      for (const waiting of commands) failWaiting(waiting, unavailable)
      return Effect.void
    }
    const isBehind = reading.behindMs >= BEHIND_MIN_MS
    const alarm = isBehind && !ledger.isBehind ? Effect.logError(behindAlarm(reading.behindMs)) : Effect.void
    ledger.isBehind = isBehind
    const decided = tryGroup(session, commands, reading.atMs)
    if (Result.isFailure(decided)) {
      queue.putBack(commands)
      const { failure } = decided
      if (failure._tag === "LedgerContradiction") return stopAt(session, failure)
      return Effect.map(foldAnew(options, queue, session, failure), (next) => {
        ledger.session = next
      })
    }
    const group = decided.success
    queue.putBack(group.postponed)
    waitingCommands.set(queue.size())
    return Effect.andThen(alarm, commitGroup(ledger, group)).pipe(
      Effect.onInterrupt(() => Effect.sync(() => failGroup(group, "unknown"))),
      Effect.tapDefect(() => Effect.sync(() => failGroup(group, "unknown"))),
    )
  })

/** Logs that a command was refused or failed. The context is that of the ledger, as its callers may have another log. */
const logRefused = (
  { context }: OpenLedger,
  { _tag: command }: Command,
  request: string | null,
  error: Refusal | BillingUnavailable,
): Effect.Effect<void> => {
  const { _tag: outcome } = error
  const reason = outcome === "billing_unavailable" ? { reason: error.reason } : {}
  return Effect.logDebug("a command was not carried out").pipe(
    Effect.annotateLogs({ command, outcome, ...reason }),
    onBehalfOf(request),
    Effect.provideContext(context),
  )
}

/** Queues a command on behalf of the request that its effect runs for; its answer comes once its group is durable. */
const submitTo = <C extends Command>(
  ledger: OpenLedger,
  command: C,
): Effect.Effect<DurableAnswer<AnswerTo<C>>, Refusal | BillingUnavailable> =>
  withRequestId((request) =>
    Effect.callback<DurableAnswer<AnswerTo<C>>, Refusal | BillingUnavailable>((resume) => {
      const waiting: Waiting = {
        command,
        request,
        sinceMs: performance.now(),
        // `decide` answers a command of this type with an answer of its type.
        succeed: (answered) => resume(Effect.succeed(answered as DurableAnswer<AnswerTo<C>>)),
        fail: (error) => resume(Effect.andThen(logRefused(ledger, command, request, error), Effect.fail(error))),
        abandoned: false,
      }
      if (!ledger.isOpen) failWaiting(waiting, new BillingUnavailable({ reason: "stopped", retryAfterSeconds: 5 }))
      else if (!ledger.queue.push(waiting))
        failWaiting(waiting, new BillingUnavailable({ reason: "overloaded", retryAfterSeconds: 1 }))
      return Effect.sync(() => {
        waiting.abandoned = true
      })
    }),
  )

/** Refuses everything in the queue from now on, and releases the claim. */
const stop = (ledger: OpenLedger): Effect.Effect<void> =>
  Effect.suspend(() => {
    ledger.isOpen = false
    ledger.queue.failAll(new BillingUnavailable({ reason: "stopped", retryAfterSeconds: 5 }))
    return ledger.session.close
  })

const clockOf = ({ clock, nowMs }: LedgerOptions): LedgerClock =>
  clock ?? (nowMs === undefined ? makeLedgerClock({ clocks: machineClocks }) : fixedClock(nowMs))

/**
 * Opens the ledger: claims its writer, which fences the previous one, folds the log to its end, refunds debits that were
 * not settled in time, and accepts commands until the scope ends or the writer is fenced. A standby process awaits the
 * log's turn for `ledger` first.
 */
export const openLedger = (options: LedgerOptions): Effect.Effect<Ledger, LedgerStopped, Scope.Scope> =>
  Effect.gen(function* () {
    const stopped = yield* Deferred.make<never, LedgerStopped>()
    const ledger: OpenLedger = {
      options,
      queue: makeQueue(options.queueCommandsMax ?? QUEUE_COMMANDS_MAX, WAIT_MAX_MS),
      clock: clockOf(options),
      context: yield* Effect.context<never>(),
      session: yield* openSession(options.log, stateCacheOf(options)),
      isOpen: true,
      isBehind: false,
    }
    const serve = serveGroup(ledger).pipe(
      // A loop that died silently would leave its callers waiting for ever: a defect becomes a typed stop.
      Effect.catchDefect((defect) =>
        Effect.andThen(ledger.session.close, Effect.fail(new LedgerBroken({ problem: String(defect) }))),
      ),
    )
    yield* serve
    yield* Effect.forkScoped(
      Effect.forever(Effect.andThen(arrivals(ledger.queue, options.lookEveryMs ?? LOOK_EVERY_MS), serve)).pipe(
        Effect.tapError((error) => Deferred.fail(stopped, error)),
        Effect.ensuring(stop(ledger)),
        Effect.ignore,
      ),
    )
    return { submit: (command) => submitTo(ledger, command), stopped: Deferred.await(stopped) }
  })
