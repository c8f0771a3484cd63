import type * as Effect from "effect/Effect"
import type { Pace } from "../../ingestors/poll/pace.ts"
import type { LedgerClock } from "../../ledger/write/clock.ts"
import type { EventLog, ReadFailed } from "../../schemas/ports/event-log.ts"

// What `all` takes of time where it is not the machine's: then the entry point of the process has replaced `Date` in each of
// its threads, and states here what follows from that. Waits, deadlines and durations stay those of the machine.

/** For the main thread. */
export interface ProcessTime {
  /** The entry point of the pipeline's thread, in place of our own. */
  readonly thread: URL
  /** The clock of entries: no witness of the machine's time speaks of it. */
  readonly ledgerClock: LedgerClock
  /** The time that requests of other processes are signed with. */
  readonly signedNowMs: () => number
  /** Resolves when the data folder is free: the code is loaded until then. */
  readonly begins: Promise<void>
  /** Called with an effect that says whether the API serves all that the log holds at that moment. */
  readonly serving: (isCaughtUp: Effect.Effect<boolean, ReadFailed>) => void
}

/** For the pipeline's thread. */
export interface ThreadTime {
  readonly pace: Pace
  /** For the jitter of polls. */
  readonly random: () => number
  /** Called with the log when the folds begin; `keepsHistory`: whether the history is one of them. */
  readonly folding: (log: EventLog, keepsHistory: boolean) => void
}
