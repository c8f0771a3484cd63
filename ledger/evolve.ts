import { type EventData, type LedgerEvent, paymentKey } from "./event.ts"
import { CLOSED_DEBITS_KEPT, KEY_LIFE_MS, QUOTE_KEPT_MS, SWEEP_MS } from "./rules.ts"
import type { Account, ClosedDebit, Quote, State } from "./state.ts"

/**
 * Folds one event into the state, in place. It never refuses: what stands in the log has happened. `atMs` is the time of
 * the event. Numbers that a wrong log would bring about (a negative balance) are kept as they come: `verify` names them.
 */
export const evolve = (state: State, event: LedgerEvent, atMs: number): void => {
  if (atMs > state.nowMs) advance(state, atMs)
  switch (event.type) {
    case "credits.debited":
      debited(state, event.data, atMs)
      return
    case "debit.settled":
      settled(state, event.data)
      return
    case "credits.refunded":
      refunded(state, event.data)
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
    case "token.issued":
      issued(state, event.data, atMs)
      return
    case "token.revoked":
      revoked(state, event.data)
      return
    case "credits.granted":
      granted(state, event.data, atMs)
      return
  }
}

/** Time goes on. What is out of date is dropped once a minute: to look for it at each event would cost more than folding. */
const advance = (state: State, atMs: number): void => {
  const minuteHasPassed = Math.floor(atMs / SWEEP_MS) > Math.floor(state.nowMs / SWEEP_MS)
  state.nowMs = atMs
  if (!minuteHasPassed) return
  for (const quote of state.recentQuotes.values()) {
    if (quote.expiresAtMs > atMs) break
    expire(state, quote)
  }
  for (const quote of state.quotes.values()) {
    if (quote.expiresAtMs + QUOTE_KEPT_MS > atMs) break
    forget(state, quote)
  }
  for (const [key, attempt] of state.attempts) {
    if (attempt.atMs + KEY_LIFE_MS > atMs) break
    state.attempts.delete(key)
  }
}

/** The account of an entry, which counts one more. */
const accountOf = (state: State, id: string): Account => {
  let account = state.accounts.get(id)
  if (account === undefined) {
    account = { id, sequence: 0, balance: 0, shortfall: 0, spent: 0, added: 0, token: undefined, payments: [] }
    state.accounts.set(id, account)
  }
  account.sequence += 1
  return account
}

/** What comes in fills the shortfall first. */
const deposit = (account: Account, credits: number): void => {
  const filled = Math.min(account.shortfall, credits)
  account.shortfall -= filled
  account.balance += credits - filled
}

const debited = (state: State, data: EventData<"credits.debited">, atMs: number): void => {
  const account = accountOf(state, data.account)
  account.balance -= data.credits
  const { debit, idempotency } = data
  state.openDebits.set(debit, {
    account: account.id,
    credits: data.credits,
    atMs,
    key: idempotency === null ? null : idempotency.key,
  })
  if (idempotency === null) return
  const { key, request, attempt } = idempotency
  state.attempts.delete(key)
  state.attempts.set(key, { debit, request, attempt, atMs, ended: undefined })
}

const close = (state: State, debit: string, closed: ClosedDebit): void => {
  state.openDebits.delete(debit)
  state.closedDebits.delete(debit)
  state.closedDebits.set(debit, closed)
  // In one go: a map whose first key is taken again and again walks over the gap that the keys before it left.
  if (state.closedDebits.size >= 2 * CLOSED_DEBITS_KEPT) {
    for (const oldest of state.closedDebits.keys()) {
      if (state.closedDebits.size <= CLOSED_DEBITS_KEPT) break
      state.closedDebits.delete(oldest)
    }
  }
  const attempt = closed.key === null ? undefined : state.attempts.get(closed.key)
  if (attempt !== undefined && attempt.debit === debit) attempt.ended = closed.ended
}

const settled = (state: State, data: EventData<"debit.settled">): void => {
  const account = accountOf(state, data.account)
  const key = state.openDebits.get(data.debit)?.key ?? null
  account.spent += data.charged
  deposit(account, data.returned)
  close(state, data.debit, { account: account.id, charged: data.charged, ended: "settled", key })
}

const refunded = (state: State, data: EventData<"credits.refunded">): void => {
  const account = accountOf(state, data.account)
  const closed = state.closedDebits.get(data.debit)
  const key = state.openDebits.get(data.debit)?.key ?? closed?.key ?? null
  if (closed !== undefined) account.spent -= data.credits
  deposit(account, data.credits)
  close(state, data.debit, { account: account.id, charged: 0, ended: "refunded", key })
}

const expire = (state: State, quote: Quote): void => {
  state.recentQuotes.delete(quote.memoHash)
  if (quote.open) state.openQuotes -= 1
  quote.open = false
  const others = (state.clients.get(quote.client) ?? []).filter((one) => one !== quote)
  if (others.length === 0) state.clients.delete(quote.client)
  else state.clients.set(quote.client, others)
}

const forget = (state: State, quote: Quote): void => {
  state.quotes.delete(quote.memoHash)
  const others = (state.totals.get(quote.totalUnits) ?? []).filter((one) => one !== quote)
  if (others.length === 0) state.totals.delete(quote.totalUnits)
  else state.totals.set(quote.totalUnits, others)
}

const quoted = (state: State, data: EventData<"quote.issued">, atMs: number): void => {
  const quote: Quote = {
    memoHash: data.memoHash,
    totalUnits: data.totalUnits,
    proof: data.proof,
    issuedAtMs: atMs,
    expiresAtMs: Date.parse(data.expiresAt),
    client: data.client,
    payments: 0,
    open: true,
  }
  state.quotes.set(quote.memoHash, quote)
  state.recentQuotes.set(quote.memoHash, quote)
  state.openQuotes += 1
  state.clients.set(quote.client, [...(state.clients.get(quote.client) ?? []), quote])
  if (quote.proof === "amount")
    state.totals.set(quote.totalUnits, [...(state.totals.get(quote.totalUnits) ?? []), quote])
}

const credited = (state: State, data: EventData<"purchase.credited">, atMs: number): void => {
  const account = accountOf(state, data.account)
  const key = paymentKey(data.payment)
  deposit(account, data.credits)
  account.added += data.credits
  if (!account.payments.includes(key)) account.payments.push(key)
  state.purchases.set(key, {
    key,
    account: account.id,
    payer: data.payer,
    units: data.units,
    credits: data.credits,
    blockHash: data.block.hash,
    blockNumber: data.block.number,
    creditedAtMs: atMs,
    evidence: data.evidence,
    memoHash: data.memoHash,
    claimant: data.claimant,
    provisional: data.provisional,
    status: "credited",
  })
  state.unfinal.add(key)
  state.creditedUnits += data.units
  if (data.claimant.startsWith("memo/") && !state.claimants.has(data.claimant))
    state.claimants.set(data.claimant, account)
  const quote = data.memoHash === null ? undefined : state.quotes.get(data.memoHash)
  if (quote === undefined) return
  quote.payments += 1
  if (quote.open) state.openQuotes -= 1
  quote.open = false
}

const finalised = (state: State, data: EventData<"purchase.finalised">): void => {
  accountOf(state, data.account)
  const key = paymentKey(data.payment)
  const purchase = state.purchases.get(key)
  if (purchase !== undefined) purchase.status = "final"
  state.unfinal.delete(key)
}

const reversed = (state: State, data: EventData<"purchase.reversed">): void => {
  const account = accountOf(state, data.account)
  account.balance -= data.taken
  account.shortfall += data.shortfall
  account.added -= data.taken + data.shortfall
  const purchase = state.purchases.get(paymentKey(data.payment))
  if (purchase === undefined) return
  purchase.status = "reversed"
  state.creditedUnits -= purchase.units
  const quote = purchase.memoHash === null ? undefined : state.quotes.get(purchase.memoHash)
  if (quote !== undefined) quote.payments -= 1
}

const issued = (state: State, data: EventData<"token.issued">, atMs: number): void => {
  const account = accountOf(state, data.account)
  const { tokenHash, kid, generation, claimant, origin } = data
  account.token = { hash: tokenHash, kid, generation, claimant, origin, issuedAtMs: atMs, revoked: false }
  state.tokens.set(tokenHash, account)
}

const revoked = (state: State, data: EventData<"token.revoked">): void => {
  const account = accountOf(state, data.account)
  if (account.token?.hash === data.tokenHash) account.token.revoked = true
}

const granted = (state: State, data: EventData<"credits.granted">, atMs: number): void => {
  const account = accountOf(state, data.account)
  deposit(account, data.credits)
  account.added += data.credits
  if (data.payment === null) return
  const key = paymentKey(data.payment)
  // The payment is used up: whoever proves later that it was his is told that it was credited.
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
    claimant: `operator/${data.operator}`,
    provisional: false,
    status: "final",
  })
}
