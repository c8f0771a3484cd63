import { type Effect, Schema } from "effect"
import type { ClaimFailed, EventLog, Fenced } from "../../schemas/ports/event-log.ts"
import type { AnswerTo } from "../answers.ts"
import type { Command } from "../command.ts"
import type { Refusal } from "../refusal.ts"
import type { StateStore } from "../state-store.port.ts"
import type { BillingUnavailable } from "../unavailable.ts"
import type { LedgerClock } from "./clock.ts"
import type { FoldFailed } from "./fold-log.ts"
import type { DurableAnswer } from "./queue.ts"
import type { StateKeeperLimits } from "./state-keeper.ts"

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
  readonly submit: <C extends Command>(
    command: C,
  ) => Effect.Effect<DurableAnswer<AnswerTo<C>>, Refusal | BillingUnavailable>
  /** Fails when the ledger has stopped for good: open it again, when it is this process's turn. */
  readonly stopped: Effect.Effect<never, LedgerStopped>
}

/** What a ledger needs, and limits that tests set. */
export interface LedgerOptions {
  readonly log: EventLog
  /** Where the state is kept beside its offset, so that a start folds only what is newer; in memory where it is absent. */
  readonly state?: StateStore | undefined
  /** For tests: other bounds of what is kept. */
  readonly stateLimits?: StateKeeperLimits | undefined
  /** The clock that entries are written by; the machine's where it is absent, without a witness. */
  readonly clock?: LedgerClock
  /** For tests: a clock that is believed, in milliseconds since the epoch. */
  readonly nowMs?: () => number
  readonly queueCommandsMax?: number
  readonly proofMsMax?: number
  readonly lookEveryMs?: number
}
