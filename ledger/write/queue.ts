import type { Answers } from "../answers.ts"
import type { Command } from "../command.ts"
import * as metrics from "../metrics.ts"
import type { Refusal } from "../refusal.ts"
import { BillingUnavailable } from "../unavailable.ts"

/** An entry that a command has written: what a receipt anchors. */
export interface EntryRef {
  readonly sequence: number
  readonly hash: string
}

/** What a command is told once it is durable. */
export interface DurableAnswer<Answer> {
  readonly answer: Answer
  /** The entries that it has written; none where it only asked. */
  readonly entries: ReadonlyArray<EntryRef>
  /** The time at which it was decided. */
  readonly atMs: number
}

/** A command that waits for its turn. */
export interface Waiting {
  readonly command: Command
  /** When it came, in milliseconds of the monotonic clock. */
  readonly sinceMs: number
  readonly succeed: (answered: DurableAnswer<Answers[keyof Answers]>) => void
  readonly fail: (error: Refusal | BillingUnavailable) => void
  /** Nobody waits for it any more. */
  abandoned: boolean
}

/** The bounded queue before the writer. */
export interface Queue {
  /** False when it is full. */
  readonly push: (waiting: Waiting) => boolean
  /** Puts some back, before all others. */
  readonly putBack: (group: ReadonlyArray<Waiting>) => void
  /** At most so many from the front, without those that were abandoned or have waited too long: these are told so. */
  readonly take: (countMax: number) => ReadonlyArray<Waiting>
  readonly failAll: (error: BillingUnavailable) => void
  readonly size: () => number
  /** Called when a command comes into an empty queue. */
  onArrival: () => void
}

/** Tells a command that the ledger cannot say. */
export const failWaiting = (waiting: Waiting, error: BillingUnavailable): void => {
  if (waiting.abandoned) return
  // Whoever was told so is not served later: what he paid for would go to nobody.
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
