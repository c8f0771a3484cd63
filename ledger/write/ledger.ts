import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { ClaimFailed, EventLog, Fenced } from "../../schemas/ports/event-log.ts"
import type { AnswerTo } from "../answers.ts"
import type { Command } from "../command.ts"
import type { LedgerContradiction } from "../contradiction.ts"
import type { Refusal } from "../refusal.ts"
import type { StateStore } from "../state-store.port.ts"
import type { BillingUnavailable } from "../unavailable.ts"
import type { LedgerClock } from "./clock.ts"
import type { FoldFailed } from "./fold-log.ts"
import type { DurableAnswer } from "./queue.ts"
import type { StateKeeperLimits } from "./state-keeper.ts"

/** A defect has stopped the ledger. Its state cannot be trusted and is folded again from the log. */
export class LedgerBroken extends Schema.TaggedError<LedgerBroken>()("LedgerBroken", { problem: Schema.String }) {
  override get message() {
    return `the ledger broke: ${this.problem}`
  }
}

/** Why a ledger stopped for good. After `Fenced` another process writes; the others recur until an operator acts. */
export type LedgerStopped = Fenced | ClaimFailed | FoldFailed | LedgerBroken | LedgerContradiction

/** The ledger, open for commands. */
export interface Ledger {
  /**
   * Decides a command. Succeeds when its events are durable or, where it has none, when this process has proved that it
   * is still the writer. Fails with a refusal or with `BillingUnavailable`; then nothing was written, except for the
   * reason `unknown`. An interrupted command may still be carried out.
   */
  readonly submit: <C extends Command>(
    command: C,
  ) => Effect.Effect<DurableAnswer<AnswerTo<C>>, Refusal | BillingUnavailable>
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
  readonly proofMsMax?: number
  readonly lookEveryMs?: number
}
