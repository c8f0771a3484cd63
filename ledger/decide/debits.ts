import { createHash } from "node:crypto"
import * as Result from "effect/Result"
import { FREE_ENDS_PER_DAY } from "../../schemas/contract/refusal.ts"
import type { Answers } from "../answers.ts"
import type { Debit, ReadAttempt, Refund, RefundOrphans, Settle } from "../command.ts"
import { expectConsistent, waitMsOf } from "../fold/accounts.ts"
import { isSisterPurpose } from "../fold/debits.ts"
import { event, type LedgerEvent } from "../fold/entry.ts"
import type { Account, State } from "../fold/state.ts"
import type { Refusal } from "../refusal.ts"
import { CREDITS_MAX, debitDueMs, KEY_LIFE_MS, ORPHANS_PER_COMMAND_MAX } from "../rules.ts"
import { accept, balanceAfter, bearerAccountOf, type Decision, refuse } from "./decision.ts"

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

/** An Idempotency-Key is scoped to its account: equal keys of two accounts never meet. */
const scopedKey = (account: string, key: string): string => sha256(`${account}/${key}`)

const isCredits = (credits: number): boolean => Number.isInteger(credits) && credits > 0 && credits <= CREDITS_MAX

/** The attempt that a call makes under its key; the debit whose reply is replayed; or the refusal. */
type Start =
  | { readonly idempotency: { key: string; request: string; attempt: number } | null }
  | { readonly replay: string }
  | { readonly refused: Refusal }

const startOf = (state: State, account: Account, { idempotency }: Pick<Debit, "idempotency">, nowMs: number): Start => {
  if (idempotency === null) return { idempotency: null }
  const { request } = idempotency
  const key = scopedKey(account.id, idempotency.key)
  const found = state.attempts.get(key)
  const last = found !== undefined && found.atMs + KEY_LIFE_MS > nowMs ? found : undefined
  if (last !== undefined && last.request !== request) return { refused: { _tag: "key_reused" } }
  if (last !== undefined && last.ended === null) {
    const dueMs = debitDueMs({ atMs: last.atMs, bySister: false })
    return { refused: { _tag: "key_in_flight", openMs: nowMs - last.atMs, dueMs: dueMs - nowMs } }
  }
  if (last?.ended === "settled") return { replay: last.debit }
  return { idempotency: { key, request, attempt: (last?.attempt ?? 0) + 1 } }
}

/** Reserves the credits of a call before it is served: all or nothing, and never more than the balance. */
export const decideDebit = (state: State, command: Debit, nowMs: number): Decision<Answers["debit"]> => {
  const bearer = bearerAccountOf(state, command.token)
  if (Result.isFailure(bearer)) return refuse(bearer.failure)
  const account = bearer.success
  const { credits, purpose } = command
  if (!isCredits(credits)) return refuse({ _tag: "invalid_amount" })
  // Only `reserve` makes debits of the sister service, so that each of them has a reservation.
  if (isSisterPurpose(purpose)) return refuse({ _tag: "invalid_command" })
  const { debit } = command
  // Checked before the key: a call that is sent again is a duplicate, and not another call under its own key.
  if (state.openDebits.has(debit) || state.closedDebits.has(debit)) return refuse({ _tag: "duplicate_debit" })
  const start = startOf(state, account, command, nowMs)
  if ("refused" in start) return refuse(start.refused)
  if ("replay" in start)
    return accept({ debit: start.replay, account: account.id, balance: account.balance, replayed: true })
  const { idempotency } = start
  expectConsistent(account)
  const { balance, shortfall } = account
  if (shortfall > 0 || balance < credits)
    return refuse({ _tag: "insufficient_credits", balance, shortfall, needed: credits })
  const retryAfterMs = command.mayEndFree ? waitMsOf(account.freeEnds, FREE_ENDS_PER_DAY, nowMs) : null
  if (retryAfterMs !== null) return refuse({ _tag: "free_allowance_spent", retryAfterMs })
  return accept(
    { debit, account: account.id, balance: balance - credits, replayed: false },
    event("credits.debited", { account: account.id, debit, credits, purpose, idempotency }),
  )
}

/** Looks up whether a request was served under its key. Refuses a key in flight or reused as a debit would be refused. */
export const decideReadAttempt = (
  state: State,
  { token, idempotency }: ReadAttempt,
  nowMs: number,
): Decision<Answers["readAttempt"]> => {
  const bearer = bearerAccountOf(state, token)
  if (Result.isFailure(bearer)) return refuse(bearer.failure)
  const account = bearer.success
  const start = startOf(state, account, { idempotency }, nowMs)
  if ("refused" in start) return refuse(start.refused)
  return accept({ account: account.id, balance: account.balance, replay: "replay" in start ? start.replay : null })
}

/**
 * Ends a debit, charged or, in the same event, free of charge. A repeated settle gets the same answer and writes nothing. A
 * disconnected client is not charged within its account's daily allowance, and is charged beyond it, as entries cost space.
 */
export const decideSettle = (state: State, command: Settle, nowMs: number): Decision<Answers["settle"]> => {
  const { debit } = command
  const open = state.openDebits.get(debit)
  const closed = state.closedDebits.get(debit)
  const account = state.accounts.get((open ?? closed)?.account ?? "")
  if (account === undefined) return refuse({ _tag: "unknown_debit" })
  if (open === undefined) {
    if (closed === undefined || closed.ended === "refunded") return refuse({ _tag: "debit_refunded" })
    return accept({ account: account.id, charged: closed.charged, returned: 0, balance: account.balance })
  }
  const isSpent = waitMsOf(account.freeEnds, FREE_ENDS_PER_DAY, nowMs) !== null
  const isCharged = command.noChargeReason === "client_gone" && isSpent
  const noChargeReason = isCharged ? null : command.noChargeReason
  const returned = noChargeReason === null ? 0 : open.credits
  const charged = open.credits - returned
  return accept(
    { account: account.id, charged, returned, balance: balanceAfter(account, returned) },
    event("debit.settled", { account: account.id, debit, charged, returned, noChargeReason }),
  )
}

/** Refunds a debit, once: its caller may release an open one, only an operator refunds a settled one. */
export const decideRefund = (state: State, command: Refund): Decision<Answers["refund"]> => {
  const { debit, operator } = command
  const open = state.openDebits.get(debit)
  const closed = state.closedDebits.get(debit)
  const account = state.accounts.get((open ?? closed)?.account ?? "")
  if (account === undefined) return refuse({ _tag: "unknown_debit" })
  if (open === undefined && closed?.ended === "refunded") return refuse({ _tag: "debit_refunded" })
  const credits = open?.credits ?? closed?.charged ?? 0
  if (open === undefined && (operator === null || credits === 0)) return refuse({ _tag: "debit_settled" })
  return accept(
    { account: account.id, credits, balance: balanceAfter(account, credits) },
    event("credits.refunded", {
      account: account.id,
      debit,
      credits,
      reason: operator === null ? "released" : "operator",
      operator: operator?.name ?? null,
      note: operator?.note ?? null,
    }),
  )
}

/** Refunds debits that were not settled in time, the oldest first. */
export const decideOrphans = (
  state: State,
  { callsAreDead = false }: RefundOrphans,
  nowMs: number,
): Decision<Answers["refundOrphans"]> => {
  const events: Array<LedgerEvent> = []
  for (const [debit, open] of state.openDebits.entries()) {
    const { account, credits, atMs, bySister } = open
    // Debits are in order of time, and none is due sooner than a call's: all that follow are young too.
    const isYoung = !callsAreDead && debitDueMs({ atMs, bySister: false }) > nowMs
    if (isYoung || events.length === ORPHANS_PER_COMMAND_MAX) break
    if (debitDueMs(open) > nowMs && (bySister || !callsAreDead)) continue
    events.push(event("credits.refunded", { account, debit, credits, reason: "orphaned", operator: null, note: null }))
  }
  return accept({ refunded: events.length }, ...events)
}
