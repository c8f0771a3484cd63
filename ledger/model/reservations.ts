import { hash } from "node:crypto"
import * as Result from "effect/Result"
import { SISTER_CREDITS_MAX, SISTER_FREE_ENDS_PER_DAY } from "../../schemas/sister-rail.ts"
import type { Answers } from "../answers.ts"
import type { EndReservation, Reserve } from "../command.ts"
import { RESERVATION_LIFE_MS, RESERVED_DEBIT_LIFE_MS } from "../rules.ts"
import { balanceAfter, bearerAccountOf, expectConsistent, waitMsOf } from "./balance.ts"
import { accept, type Decision, type EventData, event, refuse } from "./entry.ts"
import type { Reservation, ReservationEnd, State } from "./state.ts"

// Reservations of the sister service: debits under its own ids of the calls, which are remembered for a day.

/** With it begins the purpose of a debit that the sister service reserved. */
export const SISTER_PURPOSE = "sister:"

/** SHA-256 over a JSON array: no key of an account, which ends in hex digits, is the same text. */
const hashOf = (...parts: ReadonlyArray<string | number | null>): string => hash("sha256", JSON.stringify(parts), "hex")

/** A reservation belongs to the sister service, whatever token it was made with. */
const keyOf = (reservation: string): string => hashOf("reservation", reservation)

/** The id of its debit. It names the day, because a forgotten reservation may be made again, as another debit. */
const debitIdOf = (reservation: string, nowMs: number): string =>
  `sister/${Math.floor(nowMs / RESERVATION_LIFE_MS)}/${reservation}`

/** The reservation of a key; undefined once it is due to be forgotten. */
const remembered = (state: State, key: string, nowMs: number): Reservation | undefined => {
  const found = state.reservations.get(key)
  return found !== undefined && found.atMs + RESERVATION_LIFE_MS > nowMs ? found : undefined
}

/**
 * Reserves credits for the sister service: a debit, under the sister's own id of the call. The same reservation is answered
 * as the first time, whatever became of it or of its token meanwhile; a refusal is not remembered.
 */
export const decideReserve = (state: State, command: Reserve, nowMs: number): Decision<Answers["reserve"]> => {
  const { token, credits, endpoint, reservation } = command
  const key = keyOf(reservation)
  const request = hashOf("reserve", token, credits, endpoint)
  const found = remembered(state, key, nowMs)
  if (found !== undefined && found.request !== request) return refuse({ _tag: "key_reused" })
  if (found !== undefined) {
    const { debit, account, balance, atMs } = found
    return accept({ debit, account, balance, expiresAtMs: atMs + RESERVED_DEBIT_LIFE_MS })
  }
  const bearer = bearerAccountOf(state, token)
  if (Result.isFailure(bearer)) return refuse(bearer.failure)
  const { id: account, balance, shortfall } = bearer.success
  if (!Number.isInteger(credits) || credits < 1 || credits > SISTER_CREDITS_MAX)
    return refuse({ _tag: "invalid_amount" })
  const debit = debitIdOf(reservation, nowMs)
  if (state.openDebits.has(debit) || state.closedDebits.has(debit)) return refuse({ _tag: "duplicate_debit" })
  expectConsistent(bearer.success)
  if (shortfall > 0 || balance < credits)
    return refuse({ _tag: "insufficient_credits", balance, shortfall, needed: credits })
  const retryAfterMs = waitMsOf(bearer.success.sisterFreeEnds, SISTER_FREE_ENDS_PER_DAY, nowMs)
  if (retryAfterMs !== null) return refuse({ _tag: "free_allowance_spent", retryAfterMs })
  return accept(
    { debit, account, balance: balance - credits, expiresAtMs: nowMs + RESERVED_DEBIT_LIFE_MS },
    event("credits.debited", {
      account,
      debit,
      credits,
      purpose: `${SISTER_PURPOSE}${endpoint}`,
      idempotency: { key, request, attempt: 1 },
    }),
  )
}

/** Ends a reservation. The same end is answered as the first time; another one, or one after the return, is refused. */
export const decideEndReservation = (
  state: State,
  { reservation, charged: isCharged }: EndReservation,
  nowMs: number,
): Decision<Answers["endReservation"]> => {
  const found = remembered(state, keyOf(reservation), nowMs)
  const account = state.accounts.get(found?.account ?? "")
  if (found === undefined || account === undefined) return refuse({ _tag: "unknown_debit" })
  const { debit, credits, end } = found
  if (end !== null) {
    if (end.by === "return") return refuse({ _tag: "debit_refunded" })
    if (end.charged > 0 !== isCharged) return refuse({ _tag: "key_reused" })
    return accept({ account: account.id, charged: end.charged, balance: end.balance })
  }
  return isCharged
    ? accept(
        { account: account.id, charged: credits, balance: account.balance },
        event("debit.settled", { account: account.id, debit, charged: credits, returned: 0, noChargeReason: null }),
      )
    : accept(
        { account: account.id, charged: 0, balance: balanceAfter(account, credits) },
        event("credits.refunded", {
          account: account.id,
          debit,
          credits,
          reason: "released",
          operator: null,
          note: null,
        }),
      )
}

/** Folds a reservation. `balance` is that after its debit. */
export const reserved = (state: State, data: EventData<"credits.debited">, balance: number, atMs: number): void => {
  const { debit, account, credits, idempotency } = data
  if (idempotency === null) return
  const place = state.nextReservation
  state.nextReservation += 1
  const { key, request } = idempotency
  state.reservations.set(key, { place, debit, account, credits, request, atMs, balance, end: null })
  state.reservationOrder.set(place, key)
}

/** Folds the end of a reservation; the first one counts. */
export const reservationEnded = (state: State, debit: string, key: string | null, end: ReservationEnd): void => {
  const found = key === null ? undefined : state.reservations.get(key)
  // Once forgotten, a reservation may have been made again, with another debit.
  if (key === null || found?.debit !== debit || found.end !== null) return
  state.reservations.set(key, { ...found, end })
}
