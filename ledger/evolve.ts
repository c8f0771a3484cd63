import { type EventData, type LedgerEvent, openerKey, paymentKey, transactionOf } from "./event.ts"
import { quoted, quotePaid, sweepQuotes } from "./evolve-quotes.ts"
import { noFreeEnds, withFreeEnd } from "./free-ends.ts"
import { CLOSED_DEBITS_KEPT, CLOSED_DEBITS_SLACK, KEY_LIFE_MS, SWEPT_EACH } from "./rules.ts"
import type { Account, Attempt, ClosedDebit, Purchase, State } from "./state.ts"

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
      settled(state, event.data, atMs)
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

/** Time goes on, and what is out of date is dropped: the oldest first, a bounded number of each kind at an event. */
const advance = (state: State, atMs: number): void => {
  state.nowMs = atMs
  sweepQuotes(state)
  for (let n = 0; n < SWEPT_EACH && forgetAttempt(state); n++);
}

/** Whether the oldest attempt was due to be forgotten, or is no key's last one, and is gone. */
const forgetAttempt = (state: State): boolean => {
  if (state.firstAttempt >= state.nextAttempt) return false
  const key = state.attemptOrder.get(state.firstAttempt) ?? ""
  const found = state.attempts.get(key)
  const last = found?.place === state.firstAttempt
  if (last && found.atMs + KEY_LIFE_MS > state.nowMs) return false
  state.attemptOrder.delete(state.firstAttempt)
  state.firstAttempt += 1
  if (last) state.attempts.delete(key)
  return true
}

/** An account that is being made: a copy of what the state holds, and not in the state before it is put there. */
type Draft = { -readonly [Member in keyof Account]: Account[Member] }

/** The account of an entry, which counts one more; a new one gets its number. */
const accountOf = (state: State, id: string): Draft => {
  const account = state.accounts.get(id)
  if (account !== undefined) return { ...account, sequence: account.sequence + 1 }
  state.accountOrder.set(state.nextAccount, id)
  state.nextAccount += 1
  return {
    id,
    sequence: 1,
    balance: 0,
    shortfall: 0,
    spent: 0,
    added: 0,
    token: null,
    opener: null,
    freeEnds: noFreeEnds,
    purchaseCount: 0,
    purchasedUnits: 0,
    payments: [],
  }
}

const put = (state: State, account: Draft): void => {
  state.accounts.set(account.id, account)
}

/** What comes in fills the shortfall first. */
const deposit = (account: Draft, credits: number): void => {
  const filled = Math.min(account.shortfall, credits)
  account.shortfall -= filled
  account.balance += credits - filled
}

const debited = (state: State, data: EventData<"credits.debited">, atMs: number): void => {
  const account = accountOf(state, data.account)
  account.balance -= data.credits
  put(state, account)
  const { debit, idempotency } = data
  const key = idempotency === null ? null : idempotency.key
  state.openDebits.set(debit, { account: account.id, credits: data.credits, atMs, key })
  if (idempotency === null) return
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
  // Many in one go: a map whose first key is taken again and again walks over the gap that the keys before it left.
  if (closedDebits.size >= CLOSED_DEBITS_KEPT + CLOSED_DEBITS_SLACK)
    for (const [oldest] of closedDebits.entries()) {
      if (closedDebits.size <= CLOSED_DEBITS_KEPT) break
      closedDebits.delete(oldest)
    }
  if (closed.key === null) return
  const attempt = state.attempts.get(closed.key)
  if (attempt?.debit === debit) state.attempts.set(closed.key, { ...attempt, ended: closed.ended })
}

const settled = (state: State, data: EventData<"debit.settled">, atMs: number): void => {
  const account = accountOf(state, data.account)
  const key = state.openDebits.get(data.debit)?.key ?? null
  account.spent += data.charged
  deposit(account, data.returned)
  // Our own failures do not count.
  if (data.noChargeReason === "empty_range" || data.noChargeReason === "client_gone")
    account.freeEnds = withFreeEnd(account.freeEnds, atMs)
  put(state, account)
  close(state, data.debit, { account: account.id, charged: data.charged, ended: "settled", key })
}

const refunded = (state: State, data: EventData<"credits.refunded">): void => {
  const account = accountOf(state, data.account)
  const closed = state.closedDebits.get(data.debit)
  const key = state.openDebits.get(data.debit)?.key ?? closed?.key ?? null
  if (closed !== undefined) account.spent -= data.credits
  deposit(account, data.credits)
  put(state, account)
  close(state, data.debit, { account: account.id, charged: 0, ended: "refunded", key })
}

/** The lists in which a provisional purchase stands. */
const provisionalLists = ({ account, payer }: Purchase) => [`account/${account}`, `payer/${payer}`] as const

const addProvisional = (state: State, purchase: Purchase): void => {
  const { key, units } = purchase
  for (const list of provisionalLists(purchase))
    state.provisional.set(list, [...(state.provisional.get(list) ?? []), { key, units }])
}

const dropProvisional = (state: State, purchase: Purchase): void => {
  if (!purchase.provisional) return
  for (const list of provisionalLists(purchase)) {
    const others = (state.provisional.get(list) ?? []).filter(({ key }) => key !== purchase.key)
    if (others.length === 0) state.provisional.delete(list)
    else state.provisional.set(list, others)
  }
}

const credited = (state: State, data: EventData<"purchase.credited">, atMs: number): void => {
  const account = accountOf(state, data.account)
  const key = paymentKey(data.payment)
  if (!account.payments.includes(key)) account.payments = [...account.payments, key]
  account.added += data.credits
  account.purchaseCount += 1
  account.purchasedUnits += data.units
  deposit(account, data.credits)
  put(state, account)
  const purchase: Purchase = {
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
    namedHash: data.namedHash,
    claimant: data.claimant,
    provisional: data.provisional,
    status: "credited",
    doubt: null,
  }
  const isFirst = !state.purchases.has(key)
  state.purchases.set(key, purchase)
  if (purchase.provisional) addProvisional(state, purchase)
  if (isFirst) {
    const transaction = transactionOf(key)
    state.transactions.set(transaction, [...(state.transactions.get(transaction) ?? []), key])
  }
  state.unfinal.set(key, true)
  state.creditedUnits += data.units
  const quote = data.memoHash === null ? undefined : state.quotes.get(data.memoHash)
  if (quote !== undefined) quotePaid(state, quote)
}

const finalised = (state: State, data: EventData<"purchase.finalised">): void => {
  put(state, accountOf(state, data.account))
  const key = paymentKey(data.payment)
  const purchase = state.purchases.get(key)
  state.unfinal.delete(key)
  if (purchase === undefined) return
  state.purchases.set(key, { ...purchase, status: "final", doubt: null })
  dropProvisional(state, purchase)
}

const reversed = (state: State, data: EventData<"purchase.reversed">): void => {
  const { taken, shortfall } = data
  const account = accountOf(state, data.account)
  const key = paymentKey(data.payment)
  const purchase = state.purchases.get(key)
  account.balance -= taken
  account.shortfall += shortfall
  account.added -= taken + shortfall
  account.purchaseCount -= 1
  account.purchasedUnits -= purchase?.units ?? 0
  put(state, account)
  if (purchase === undefined) return
  state.purchases.set(key, { ...purchase, status: "reversed", doubt: null })
  dropProvisional(state, purchase)
  state.creditedUnits -= purchase.units
  const quote = purchase.memoHash === null ? undefined : state.quotes.get(purchase.memoHash)
  if (quote !== undefined) state.quotes.set(quote.memoHash, { ...quote, payments: quote.payments - 1 })
}

const doubted = (state: State, data: EventData<"purchase.doubted">, atMs: number): void => {
  put(state, accountOf(state, data.account))
  const key = paymentKey(data.payment)
  const purchase = state.purchases.get(key)
  if (purchase === undefined) return
  const { sinceMs = atMs, head = data.head } = purchase.doubt ?? {}
  const doubt = { sinceMs, head: Math.min(head, data.head), misses: data.misses }
  state.purchases.set(key, { ...purchase, doubt })
}

const trusted = (state: State, data: EventData<"purchase.trusted">): void => {
  put(state, accountOf(state, data.account))
  const key = paymentKey(data.payment)
  const purchase = state.purchases.get(key)
  if (purchase !== undefined) state.purchases.set(key, { ...purchase, doubt: null })
}

const issued = (state: State, data: EventData<"token.issued">, atMs: number): void => {
  const account = accountOf(state, data.account)
  const { tokenHash, kid, generation, claimant, origin } = data
  account.token = { hash: tokenHash, kid, generation, claimant, origin, issuedAtMs: atMs, revoked: false }
  const before = account.opener === null ? null : openerKey(account.opener)
  const opener = openerKey(data.opener)
  // An operator's reissue replaces the opener: what opened the account before shows nothing any more.
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
    namedHash: null,
    claimant: `operator/${data.operator}`,
    provisional: false,
    status: "final",
    doubt: null,
  })
}
