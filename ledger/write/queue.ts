import type { Answers } from "../answers.ts"
import type { Command } from "../command.ts"
import * as metrics from "../metrics.ts"
import type { Refusal } from "../refusal.ts"
import { BillingUnavailable } from "../unavailable.ts"

/** An entry that a command has written: the anchor of its receipt. */
export interface EntryRef {
  readonly sequence: number
  /** Its place among the entries of its account, from 1; 0 for an entry that belongs to none. */
  readonly accountSequence: number
  readonly hash: string
}

/** The answer to an accepted command, sent once its entries are durable. */
export interface DurableAnswer<Answer> {
  readonly answer: Answer
  /** The entries that it has written; none for a query. */
  readonly entries: ReadonlyArray<EntryRef>
  /** The time at which it was decided. */
  readonly atMs: number
}

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
  metrics.commands.inc({ command: waiting.command._tag, outcome: error._tag })
  waiting.fail(error)
}

/** Makes a queue of at most `countMax` commands, none of which waits longer than `waitMsMax`. */
export const makeQueue = (countMax: number, waitMsMax: number): Queue => {
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
        if (begun - waiting.sinceMs <= waitMsMax) return true
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
