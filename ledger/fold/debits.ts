import {
  CLOSED_DEBITS_REMEMBERED_MAX,
  CLOSED_DEBITS_SLACK_MAX,
  KEY_LIFE_MS,
  RESERVATION_LIFE_MS,
  SWEPT_PER_EVENT_MAX,
} from "../rules.ts"
import { accountOf, countedAt, countedBackAt, deposit, put } from "./accounts.ts"
import type { EventData } from "./entry.ts"
import type { Attempt, ClosedDebit, ReservationEnd, State, Table } from "./state.ts"

// Debits, with what is remembered of them: the attempts under Idempotency-Keys, and the reservations of the sister service.

const SISTER_PURPOSE = "sister:"

/** The purpose of a debit that the sister service reserved for one of its endpoints. */
export const sisterPurposeOf = (endpoint: string): string => `${SISTER_PURPOSE}${endpoint}`

/** Whether the sister service reserved a debit of this purpose. */
export const isSisterPurpose = (purpose: string): boolean => purpose.startsWith(SISTER_PURPOSE)

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

/** Remembers a reservation. `balance` is that after its debit. */
const reserved = (state: State, data: EventData<"credits.debited">, balance: number, atMs: number): void => {
  const { debit, account, credits, idempotency } = data
  if (idempotency === null) return
  const place = state.nextReservation
  state.nextReservation += 1
  const { key, request } = idempotency
  state.reservations.set(key, { place, debit, account, credits, request, atMs, balance, end: null })
  state.reservationOrder.set(place, key)
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

/** Remembers how the reservation of a debit ended, unless it has ended before. */
const reservationEnded = (state: State, debit: string, key: string | null, end: ReservationEnd): void => {
  const found = key === null ? undefined : state.reservations.get(key)
  // Once forgotten, a reservation may have been made again, with another debit.
  if (key === null || found?.debit !== debit || found.end !== null) return
  state.reservations.set(key, { ...found, end })
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
  const { firstAttempt, nextAttempt, firstReservation, nextReservation } = state
  if (firstAttempt < nextAttempt)
    forgetSome(state, {
      rows: state.attempts,
      order: state.attemptOrder,
      first: "firstAttempt",
      next: nextAttempt,
      lifeMs: KEY_LIFE_MS,
    })
  if (firstReservation < nextReservation)
    forgetSome(state, {
      rows: state.reservations,
      order: state.reservationOrder,
      first: "firstReservation",
      next: nextReservation,
      lifeMs: RESERVATION_LIFE_MS,
    })
}
