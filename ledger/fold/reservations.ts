import type { EventData } from "./event.ts"
import type { State } from "./state.ts"
import type { ReservationEnd } from "./values.ts"

const SISTER_PURPOSE = "sister:"

/** The purpose of a debit that the sister service reserved for one of its endpoints. */
export const sisterPurposeOf = (endpoint: string): string => `${SISTER_PURPOSE}${endpoint}`

/** Whether the sister service reserved a debit of this purpose. */
export const isSisterPurpose = (purpose: string): boolean => purpose.startsWith(SISTER_PURPOSE)

/** Remembers a reservation. `balance` is that after its debit. */
export const reserved = (state: State, data: EventData<"credits.debited">, balance: number, atMs: number): void => {
  const { debit, account, credits, idempotency } = data
  if (idempotency === null) return
  const place = state.nextReservation
  state.nextReservation += 1
  const { key, request } = idempotency
  state.reservations.set(key, { place, debit, account, credits, request, atMs, balance, end: null })
  state.reservationOrder.set(place, key)
}

/** Remembers how the reservation of a debit ended, unless it has ended before. */
export const reservationEnded = (state: State, debit: string, key: string | null, end: ReservationEnd): void => {
  const found = key === null ? undefined : state.reservations.get(key)
  // Once forgotten, a reservation may have been made again, with another debit.
  if (key === null || found?.debit !== debit || found.end !== null) return
  state.reservations.set(key, { ...found, end })
}
