import { CLOSED_DEBITS_REMEMBERED_MAX, CLOSED_DEBITS_SLACK_MAX } from "../rules.ts"
import { accountOf, deposit, put } from "./accounts.ts"
import { countedAt, countedBackAt } from "./day-count.ts"
import { type EventData, type LedgerEvent, openerKey, paymentKey } from "./event.ts"
import { credited, doubted, finalised, reversed, trusted } from "./purchases.ts"
import { quoted, sweepQuotes } from "./quotes.ts"
import { forgetExpired } from "./remembered.ts"
import { isSisterPurpose, reservationEnded, reserved } from "./reservations.ts"
import type { State } from "./state.ts"
import type { Attempt, ClosedDebit } from "./values.ts"

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
  sweepQuotes(state)
  forgetExpired(state)
}

const debited = (state: State, data: EventData<"credits.debited">, atMs: number): void => {
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

const settled = (state: State, data: EventData<"debit.settled">, atMs: number): void => {
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

const refunded = (state: State, data: EventData<"credits.refunded">, atMs: number): void => {
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

const issued = (state: State, data: EventData<"token.issued">, atMs: number): void => {
  const account = accountOf(state, data.account)
  const { tokenHash, kid, generation, claimant, origin } = data
  account.token = { hash: tokenHash, kid, generation, claimant, origin, issuedAtMs: atMs, revoked: false }
  if (data.reissue === null) account.tokensIssued = countedAt(account.tokensIssued, atMs)
  const before = account.opener === null ? null : openerKey(account.opener)
  const opener = openerKey(data.opener)
  // An operator's reissue replaces the opener: the previous one claims this account no more.
  if (before !== null && before !== opener) state.openers.delete(before)
  if (opener !== null) state.openers.set(opener, account.id)
  account.opener = data.opener
  put(state, account)
  state.tokens.set(tokenHash, account.id)
}

const revoked = (state: State, data: EventData<"token.revoked">): void => {
  const account = accountOf(state, data.account)
  if (account.token?.hash === data.tokenHash) account.token = { ...account.token, revoked: true }
  put(state, account)
}

const granted = (state: State, data: EventData<"credits.granted">, atMs: number): void => {
  const account = accountOf(state, data.account)
  account.added += data.credits
  deposit(account, data.credits)
  put(state, account)
  if (data.payment === null) return
  const key = paymentKey(data.payment)
  // The payment is used up: a later claim of it is refused as `already_credited`.
  state.purchases.set(key, {
    key,
    account: account.id,
    payer: "",
    units: 0,
    credits: data.credits,
    blockHash: "",
    blockNumber: 0,
    creditedAtMs: atMs,
    evidence: "operator",
    memoHash: null,
    namedHash: null,
    claimant: `operator/${data.operator}`,
    provisional: false,
    status: "final",
    doubt: null,
  })
}
