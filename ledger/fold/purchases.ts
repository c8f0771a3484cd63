import { accountOf, deposit, put } from "./accounts.ts"
import { type EventData, paymentKey, transactionOf } from "./entry.ts"
import { quotePaid } from "./quotes.ts"
import type { Purchase, State } from "./state.ts"

/** The keys of `provisional` under which a purchase is listed. */
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

/** Folds a transfer that was credited, for the first time or again. */
export const credited = (state: State, data: EventData<"purchase.credited">, atMs: number): void => {
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

/** Folds a purchase whose block became final. */
export const finalised = (state: State, data: EventData<"purchase.finalised">): void => {
  put(state, accountOf(state, data.account))
  const key = paymentKey(data.payment)
  const purchase = state.purchases.get(key)
  state.unfinal.delete(key)
  if (purchase === undefined) return
  state.purchases.set(key, { ...purchase, status: "final", doubt: null })
  dropProvisional(state, purchase)
}

/** Folds a reversed purchase: `taken` leaves the balance, the rest is shortfall. */
export const reversed = (state: State, data: EventData<"purchase.reversed">): void => {
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

/** Folds a look at the chain that missed a purchase. */
export const doubted = (state: State, data: EventData<"purchase.doubted">, atMs: number): void => {
  put(state, accountOf(state, data.account))
  const key = paymentKey(data.payment)
  const purchase = state.purchases.get(key)
  if (purchase === undefined) return
  const { sinceMs = atMs, head = data.head } = purchase.doubt ?? {}
  const doubt = { sinceMs, head: Math.min(head, data.head), misses: data.misses }
  state.purchases.set(key, { ...purchase, doubt })
}

/** Folds a look that found a doubted purchase again. */
export const trusted = (state: State, data: EventData<"purchase.trusted">): void => {
  put(state, accountOf(state, data.account))
  const key = paymentKey(data.payment)
  const purchase = state.purchases.get(key)
  if (purchase !== undefined) state.purchases.set(key, { ...purchase, doubt: null })
}
