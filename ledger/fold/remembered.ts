import { KEY_LIFE_MS, RESERVATION_LIFE_MS, SWEPT_PER_EVENT_MAX } from "../rules.ts"
import type { State, Table } from "./state.ts"

/** Rows that are remembered for some time, with the order and the counter by which the oldest is found. */
interface RememberedRows {
  readonly rows: Pick<Table<string, { readonly place: number; readonly atMs: number }>, "get" | "delete">
  readonly order: Table<number, string>
  readonly first: "firstAttempt" | "firstReservation"
  readonly next: number
  readonly lifeMs: number
}

/** Drops the oldest row if it has expired or a newer one of its key exists; returns whether it did. */
const forgetOldest = (state: State, { rows, order, first, next, lifeMs }: RememberedRows): boolean => {
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
  for (let n = 0; n < SWEPT_PER_EVENT_MAX && forgetOldest(state, remembered); n++);
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
