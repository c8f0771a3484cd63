import * as Result from "effect/Result"
import type { AnswerTo } from "../answers.ts"
import type { Command } from "../command.ts"
import { event, isSound } from "../fold/entry.ts"
import type { State } from "../fold/state.ts"
import { decideGrant, decideListAccounts, decideReadAccount, decideReissue, decideRevoke } from "./accounts.ts"
import { decideDoubt, decideListUnfinal, decideObserve, decideTrust } from "./chain.ts"
import { decideDebit, decideOrphans, decideReadAttempt, decideRefund, decideSettle } from "./debits.ts"
import { accept, type Decision, refuse } from "./decision.ts"
import { decideConfirm, decideReadClaimant } from "./purchases.ts"
import { decideQuote } from "./quotes.ts"
import { decideEndReservation, decideReserve } from "./reservations.ts"

/**
 * Decides a command on a state at a time: its events and its answer, or a refusal. Pure: it reads no clock and changes
 * nothing. A time before the latest event's counts as that time. A command is refused if one of its events would violate
 * its schema (a name too long, hex in upper case).
 */
export const decide = <C extends Command>(state: State, command: C, atMs: number): Decision<AnswerTo<C>> => {
  const decided = decideAny(state, command, Math.max(atMs, state.nowMs))
  if (Result.isSuccess(decided) && !decided.success.events.every(isSound)) return refuse({ _tag: "invalid_command" })
  // Each case returns the answer of its tag in `Answers`; the compiler does not narrow a generic result by a tag.
  return decided as Decision<AnswerTo<C>>
}

const decideAny = (state: State, command: Command, nowMs: number): Decision<AnswerTo<Command>> => {
  switch (command._tag) {
    case "debit":
      return decideDebit(state, command, nowMs)
    case "settle":
      return decideSettle(state, command, nowMs)
    case "refund":
      return decideRefund(state, command)
    case "reserve":
      return decideReserve(state, command, nowMs)
    case "endReservation":
      return decideEndReservation(state, command, nowMs)
    case "refundOrphans":
      return decideOrphans(state, command, nowMs)
    case "readAttempt":
      return decideReadAttempt(state, command, nowMs)
    case "readAccount":
      return decideReadAccount(state, command)
    case "issueQuote":
      return decideQuote(state, command, nowMs)
    case "confirm":
      return decideConfirm(state, command, nowMs)
    case "readClaimant":
      return decideReadClaimant(state, command)
    case "observe":
      return decideObserve(state, command)
    case "doubt":
      return decideDoubt(state, command, nowMs)
    case "trust":
      return decideTrust(state, command)
    case "revoke":
      return decideRevoke(state, command)
    case "listUnfinal":
      return decideListUnfinal(state, command)
    case "acceptClock": {
      const { operator, reason } = command
      return accept({ atMs: nowMs }, event("clock.accepted", { operator, reason }))
    }
    case "reissue":
      return decideReissue(state, command)
    case "listAccounts":
      return decideListAccounts(state, command)
    case "grant":
      return decideGrant(state, command)
  }
}
