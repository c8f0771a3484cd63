import { hash } from "node:crypto"
import * as Result from "effect/Result"
import { FREE_ENDS_PER_DAY } from "../../schemas/contract/refusal.ts"
import type { Answers } from "../answers.ts"
import type { Debit, ReadAttempt, Refund, RefundOrphans, Settle } from "../command.ts"
import type { Refusal } from "../refusal.ts"
import {
  CLOSED_DEBITS_REMEMBERED_MAX,
  CLOSED_DEBITS_SLACK_MAX,
  CREDITS_MAX,
  DEBIT_LIFE_MS,
  KEY_LIFE_MS,
  ORPHANS_PER_COMMAND_MAX,
  RESERVATION_LIFE_MS,
  RESERVED_DEBIT_LIFE_MS,
  SWEPT_PER_EVENT_MAX,
} from "../rules.ts"
import {
  accountOf,
  balanceAfter,
  bearerAccountOf,
  countedAt,
  countedBackAt,
  deposit,
  expectConsistent,
  put,
  waitMsOf,
} from "./balance.ts"
import { accept, type Decision, type EventData, event, type LedgerEvent, refuse } from "./entry.ts"
import { reservationEnded, reserved, SISTER_PURPOSE } from "./reservations.ts"
import type { Account, Attempt, ClosedDebit, State, Table } from "./state.ts"

// Debits, and the attempts under Idempotency-Keys.

/** Whether the sister service reserved a debit of this purpose. */
const isSisterPurpose = (purpose: string): boolean => purpose.startsWith(SISTER_PURPOSE)

/** When an unsettled debit is refunded. */
export const debitDueMs = ({ atMs, bySister }: { readonly atMs: number; readonly bySister: boolean }): number =>
  atMs + (bySister ? RESERVED_DEBIT_LIFE_MS : DEBIT_LIFE_MS)

/** An Idempotency-Key is scoped to its account: equal keys of two accounts never meet. */
const scopedKey = (account: string, key: string): string => hash("sha256", `${account}/${key}`, "hex")

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

/** Folds a debit: its credits leave the balance. */
export const debited = (state: State, data: EventData<"credits.debited">, atMs: number): void => {
  const account = accountOf(state, data.account)
  account.balance -= data.credits
  account.open += data.credits
  put(state, account)
  const { debit, idempotency } = data
  const key = idempotency === null ? null : idempotency.key
  const bySister = isSisterPurpose(data.purpose)
  state.openDebits.set(debit, { account: account.id, credits: data.credits, atMs, key, bySister })
  if (idempotency === null) return
  if (bySister) {
    reserved(state, data, account.balance, atMs)
    return
  }
  const place = state.nextAttempt
  state.nextAttempt += 1
  const { request, attempt } = idempotency
  state.attempts.set(idempotency.key, { place, debit, request, attempt, atMs, ended: null } satisfies Attempt)
  state.attemptOrder.set(place, idempotency.key)
}

/** Folds the end of a debit. */
export const settled = (state: State, data: EventData<"debit.settled">, atMs: number): void => {
  const account = accountOf(state, data.account)
  const open = state.openDebits.get(data.debit)
  const { key = null, bySister = false } = open ?? {}
  account.open -= open?.credits ?? 0
  account.spent += data.charged
  if (bySister) account.spentBySister += data.charged
  // What it paid is also the price of the entries of one reservation that ended uncharged.
  if (bySister && data.charged > 0) account.sisterFreeEnds = countedBackAt(account.sisterFreeEnds, atMs)
  deposit(account, data.returned)
  // Failures of this service do not count against the allowance.
  if (data.noChargeReason === "empty_range" || data.noChargeReason === "client_gone")
    account.freeEnds = countedAt(account.freeEnds, atMs)
  put(state, account)
  close(state, data.debit, { account: account.id, charged: data.charged, ended: "settled", key, bySister })
  if (bySister)
    reservationEnded(state, data.debit, key, { by: "commit", charged: data.charged, balance: account.balance })
}

/** Folds a refund, of an open debit or of one that was charged. */
export const refunded = (state: State, data: EventData<"credits.refunded">, atMs: number): void => {
  const account = accountOf(state, data.account)
  const open = state.openDebits.get(data.debit)
  const closed = state.closedDebits.get(data.debit)
  const { key = null, bySister = false } = open ?? closed ?? {}
  account.open -= open?.credits ?? 0
  if (closed !== undefined) account.spent -= data.credits
  if (closed !== undefined && bySister) account.spentBySister -= data.credits
  deposit(account, data.credits)
  // Released, or never committed: both are caused by a call of the sister, unlike a refund by an operator.
  if (bySister && data.reason !== "operator") account.sisterFreeEnds = countedAt(account.sisterFreeEnds, atMs)
  put(state, account)
  close(state, data.debit, { account: account.id, charged: 0, ended: "refunded", key, bySister })
  const by = data.reason === "released" ? "commit" : "return"
  if (bySister) reservationEnded(state, data.debit, key, { by, charged: 0, balance: account.balance })
}

const close = (state: State, debit: string, closed: ClosedDebit): void => {
  const { closedDebits } = state
  state.openDebits.delete(debit)
  closedDebits.delete(debit)
  closedDebits.set(debit, closed)
  // In batches: finding the first key of a map walks over all keys deleted before it.
  if (closedDebits.size >= CLOSED_DEBITS_REMEMBERED_MAX + CLOSED_DEBITS_SLACK_MAX)
    for (const [oldest] of closedDebits.entries()) {
      if (closedDebits.size <= CLOSED_DEBITS_REMEMBERED_MAX) break
      closedDebits.delete(oldest)
    }
  if (closed.key === null || closed.bySister) return
  const attempt = state.attempts.get(closed.key)
  if (attempt?.debit === debit) state.attempts.set(closed.key, { ...attempt, ended: closed.ended })
}

/** Rows that are remembered for some time, with the order and the counter by which the oldest is found. */
interface RememberedRows {
  readonly rows: Pick<Table<string, { readonly place: number; readonly atMs: number }>, "get" | "delete">
  readonly order: Table<number, string>
  readonly first: "firstAttempt" | "firstReservation"
  readonly next: number
  readonly lifeMs: number
}

/** Drops the oldest row if it has expired or a newer one of its key exists; returns whether it did. */
const dropOldest = (state: State, { rows, order, first, next, lifeMs }: RememberedRows): boolean => {
  const oldest = state[first]
  if (oldest >= next) return false
  const key = order.get(oldest) ?? ""
  const found = rows.get(key)
  const isLast = found?.place === oldest
  if (isLast && found.atMs + lifeMs > state.nowMs) return false
  order.delete(oldest)
  state[first] += 1
  if (isLast) rows.delete(key)
  return true
}

const forgetSome = (state: State, remembered: RememberedRows): void => {
  for (let n = 0; n < SWEPT_PER_EVENT_MAX && dropOldest(state, remembered); n++);
}

/** Drops expired Idempotency-Keys and reservations, the oldest first, a bounded number of each. */
export const forgetExpired = (state: State): void => {
  forgetSome(state, {
    rows: state.attempts,
    order: state.attemptOrder,
    first: "firstAttempt",
    next: state.nextAttempt,
    lifeMs: KEY_LIFE_MS,
  })
  forgetSome(state, {
    rows: state.reservations,
    order: state.reservationOrder,
    first: "firstReservation",
    next: state.nextReservation,
    lifeMs: RESERVATION_LIFE_MS,
  })
}
