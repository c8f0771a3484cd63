import * as Result from "effect/Result"
import type { AnswerTo } from "../answers.ts"
import type { Command } from "../command.ts"
import {
  decideGrant,
  decideListAccounts,
  decideReadAccount,
  decideReissue,
  decideRevoke,
  granted,
  issued,
  revoked,
} from "./accounts.ts"
import { decideConfirm, decideReadClaimant } from "./confirm.ts"
import {
  debited,
  decideDebit,
  decideOrphans,
  decideReadAttempt,
  decideRefund,
  decideSettle,
  forgetExpired,
  refunded,
  settled,
} from "./debits.ts"
import { accept, type Decision, event, isSound, type LedgerEvent, refuse } from "./entry.ts"
import {
  credited,
  decideDoubt,
  decideListUnfinal,
  decideObserve,
  decideTrust,
  doubted,
  finalised,
  reversed,
  trusted,
} from "./purchases.ts"
import { decideQuote, quoted, sweepQuotes } from "./quotes.ts"
import { decideEndReservation, decideReserve } from "./reservations.ts"
import type { State } from "./state.ts"

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

/**
 * Folds one event into the state, in place. It never refuses, as an event in the log has happened. `atMs` is the time of the
 * event. Numbers that only a wrong log can cause (a negative balance) are stored as they are: `verify` reports them.
 */
export const evolve = (state: State, event: LedgerEvent, atMs: number): void => {
  if (atMs > state.nowMs) advance(state, atMs)
  switch (event.type) {
    case "credits.debited":
      debited(state, event.data, atMs)
      return
    case "debit.settled":
      settled(state, event.data, atMs)
      return
    case "credits.refunded":
      refunded(state, event.data, atMs)
      return
    case "quote.issued":
      quoted(state, event.data, atMs)
      return
    case "purchase.credited":
      credited(state, event.data, atMs)
      return
    case "purchase.finalised":
      finalised(state, event.data)
      return
    case "purchase.reversed":
      reversed(state, event.data)
      return
    case "purchase.doubted":
      doubted(state, event.data, atMs)
      return
    case "purchase.trusted":
      trusted(state, event.data)
      return
    case "token.issued":
      issued(state, event.data, atMs)
      return
    case "token.revoked":
      revoked(state, event.data)
      return
    case "clock.accepted":
      return
    case "credits.granted":
      granted(state, event.data, atMs)
      return
  }
}

/** Advances the time and drops expired rows: the oldest first, a bounded number of each kind an event. */
const advance = (state: State, atMs: number): void => {
  state.nowMs = atMs
  if (state.firstQuote < state.nextQuote) sweepQuotes(state)
  if (state.firstAttempt < state.nextAttempt || state.firstReservation < state.nextReservation) forgetExpired(state)
}
