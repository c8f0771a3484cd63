import * as Result from "effect/Result"
import { Counter } from "prom-client"
import type { LogRecord } from "../../schemas/ports/event-log.ts"
import type { Answers, DurableAnswer, EntryRef } from "../answers.ts"
import type { Command } from "../command.ts"
import { newId } from "../ids.ts"
import { LedgerContradiction } from "../model/balance.ts"
import { decide, evolve } from "../model/decider.ts"
import { type LedgerEvent, makeEntry, type Tail } from "../model/entry.ts"
import type { State } from "../model/state.ts"
import { BillingUnavailable, type Refusal } from "../refusal.ts"
import { StateDamaged } from "../state-store.port.ts"
import type { EntryId } from "./fold-log.ts"

/** Overdue debits that one group refunds, or some more: a commit of the log holds 64 MiB, and an entry takes some 700 bytes. */
const GROUP_ORPHANS_MAX = 10_000

const answered = new Counter({
  name: "tidewire_ledger_commands_total",
  help: "Commands answered, by outcome: accepted, the name of the refusal, or billing_unavailable",
  labelNames: ["command", "outcome"],
})
const entries = new Counter({
  name: "tidewire_ledger_entries_total",
  help: "Entries of the ledger written by this process",
})
const orphansRefunded = new Counter({
  name: "tidewire_ledger_orphans_total",
  help: "Debits refunded because they were not settled in time",
})

/** A command in the queue. */
export interface Waiting {
  readonly command: Command
  /** The request of the public port that it belongs to, for the log alone; null where there is none. */
  readonly request: string | null
  /** When it was queued, in milliseconds of the monotonic clock. */
  readonly sinceMs: number
  readonly succeed: (answered: DurableAnswer<Answers[keyof Answers]>) => void
  readonly fail: (error: Refusal | BillingUnavailable) => void
  /** Its caller has left, or was answered. */
  abandoned: boolean
}

/** The bounded queue in front of the writer. */
export interface Queue {
  /** False when the queue is full. */
  readonly push: (waiting: Waiting) => boolean
  /** Puts commands back at the front. */
  readonly putBack: (group: ReadonlyArray<Waiting>) => void
  /** Takes at most so many from the front. Abandoned commands are dropped; those that waited too long fail. */
  readonly take: (countMax: number) => ReadonlyArray<Waiting>
  readonly failAll: (error: BillingUnavailable) => void
  readonly size: () => number
  /** Called when a command arrives in an empty queue. */
  onArrival: () => void
}

/** Fails a command with `billing_unavailable`. */
export const failWaiting = (waiting: Waiting, error: BillingUnavailable): void => {
  if (waiting.abandoned) return
  // Never carried out later: its caller has been answered, so a debit would charge for a call that is not served.
  waiting.abandoned = true
  answered.inc({ command: waiting.command._tag, outcome: error._tag })
  waiting.fail(error)
}

/** Makes a queue of at most `countMax` commands, none of which waits longer than `waitMaxMs`. */
export const makeQueue = (countMax: number, waitMaxMs: number): Queue => {
  let commands: Array<Waiting> = []
  const queue: Queue = {
    push: (waiting) => {
      if (commands.length >= countMax) return false
      commands.push(waiting)
      if (commands.length === 1) queue.onArrival()
      return true
    },
    putBack: (group) => {
      commands = [...group, ...commands]
    },
    take: (most) => {
      const taken = commands.slice(0, most)
      commands = commands.slice(most)
      const begun = performance.now()
      return taken.filter((waiting) => {
        if (waiting.abandoned) return false
        if (begun - waiting.sinceMs <= waitMaxMs) return true
        failWaiting(waiting, new BillingUnavailable({ reason: "waited", retryAfterSeconds: 1 }))
        return false
      })
    },
    failAll: (error) => {
      const all = commands
      commands = []
      for (const waiting of all) failWaiting(waiting, error)
    },
    size: () => commands.length,
    onArrival: () => undefined,
  }
  return queue
}

/** The state on which commands are decided, and the end of the chain of entries that it has folded. */
export interface DecidingState {
  readonly state: State
  tail: Tail
  /** Whether the state contains entries that may not be in the log. Then it is not written to its cache. */
  ahead: boolean
}

/** A command and its result, which is sent once its group is durable. */
interface DecidedCommand {
  readonly waiting: Waiting
  readonly result: Result.Result<DurableAnswer<Answers[keyof Answers]>, Refusal>
}

/** An exception of `decide`, for the log. */
interface Fault {
  readonly cause: string
  readonly request?: string
}

/** Commands that were decided together, and the entries that they append. */
export interface Group {
  readonly decided: ReadonlyArray<DecidedCommand>
  readonly records: ReadonlyArray<LogRecord>
  /** The first of these entries. */
  readonly first: EntryId | undefined
  /** Commands of the next group, as not all overdue debits are refunded in this one. */
  readonly postponed: ReadonlyArray<Waiting>
  /** Overdue debits that the group refunds. */
  readonly orphans: number
  /** Whether a result rests on no entry: then the claim must be proved. */
  readonly needsProof: boolean
  /** Exceptions of `decide`, which are defects. */
  readonly faults: ReadonlyArray<Fault>
}

/** Decides a command. `decide` changes nothing, so a command that throws is refused alone and the group goes on. */
const decideOne = (
  state: State,
  { command, request }: Waiting,
  atMs: number,
  faults: Array<Fault>,
): ReturnType<typeof decide> => {
  try {
    return decide(state, command, atMs)
  } catch (error) {
    if (error instanceof StateDamaged || error instanceof LedgerContradiction) throw error
    const cause = `${command._tag}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`
    faults.push({ cause, ...(request === null ? {} : { request }) })
    return Result.fail<Refusal>({ _tag: "invalid_command" })
  }
}

/** Decides commands in their order and folds each one's events at once, so that the next one sees their effect. */
const decideGroup = (session: DecidingState, commands: ReadonlyArray<Waiting>, clockMs: number): Group => {
  const { state } = session
  const atMs = Math.max(clockMs, state.nowMs)
  const records: Array<LogRecord> = []
  const faults: Array<Fault> = []
  const group = newId()
  const before = session.tail.sequence
  const happen = (events: ReadonlyArray<LedgerEvent>): ReadonlyArray<EntryRef> =>
    events.map((event) => {
      session.ahead = true
      evolve(state, event, atMs)
      const entry = makeEntry(event, session.tail, state, `${group}/${records.length}`, atMs)
      records.push(entry.record)
      session.tail = entry.tail
      return { ...entry.tail, accountSequence: entry.accountSequence }
    })
  // First, so that no entry of the group follows while an overdue debit is open: `verify` checks that.
  let orphans = 0
  let more = true
  while (more && orphans < GROUP_ORPHANS_MAX) {
    const due = decide(state, { _tag: "refundOrphans" }, atMs)
    more = Result.isSuccess(due) && due.success.events.length > 0
    if (Result.isSuccess(due)) orphans += happen(due.success.events).length
  }
  const decided = (more ? [] : commands).map((waiting): DecidedCommand => {
    const decided = decideOne(state, waiting, atMs, faults)
    if (Result.isFailure(decided)) return { waiting, result: Result.fail(decided.failure) }
    const entries = happen(decided.success.events)
    return { waiting, result: Result.succeed({ answer: decided.success.answer, entries, atMs }) }
  })
  return {
    decided,
    postponed: more ? commands : [],
    records,
    first: records.length === 0 ? undefined : { sequence: before + 1, id: `${group}/0` },
    orphans,
    needsProof: decided.some(({ result }) => Result.isFailure(result) || result.success.entries.length === 0),
    faults,
  }
}

/**
 * Like `decideGroup`, but fails when a cached table turns out to be damaged, or an account that is to be debited contradicts
 * itself. Nothing was appended then.
 */
export const tryGroup = (
  session: DecidingState,
  commands: ReadonlyArray<Waiting>,
  clockMs: number,
): Result.Result<Group, StateDamaged | LedgerContradiction> => {
  try {
    return Result.succeed(decideGroup(session, commands, clockMs))
  } catch (error) {
    if (error instanceof StateDamaged || error instanceof LedgerContradiction) return Result.fail(error)
    // A defect before the append: no command was carried out.
    const stopped = new BillingUnavailable({ reason: "stopped", retryAfterSeconds: 5 })
    for (const waiting of commands) failWaiting(waiting, stopped)
    throw error
  }
}

/** Sends the results of a durable group. */
export const answerGroup = ({ decided, orphans, records }: Group): void => {
  entries.inc(records.length)
  orphansRefunded.inc(orphans)
  for (const { waiting, result } of decided) {
    const outcome = Result.isSuccess(result) ? "accepted" : result.failure._tag
    answered.inc({ command: waiting.command._tag, outcome })
    if (Result.isSuccess(result)) waiting.succeed(result.success)
    else waiting.fail(result.failure)
  }
}

/** Fails all commands of a group whose append failed. */
export const failGroup = ({ decided }: Group, reason: BillingUnavailable["reason"]): void => {
  for (const { waiting } of decided) failWaiting(waiting, new BillingUnavailable({ reason, retryAfterSeconds: 1 }))
}
