import { instant } from "../../schemas/event.ts"
import type { Answers, PurchaseSummary } from "../answers.ts"
import type { Block, Chain } from "../chain.port.ts"
import type { Doubt, ListUnfinal, Observe, Trust } from "../command.ts"
import { creditsOf, MISSED_BLOCKS_MIN, MISSED_MIN_MS, MISSES_MIN, UNFINAL_PAGE_MAX } from "../rules.ts"
import { accountOf, deposit, put } from "./balance.ts"
import {
  accept,
  type Decision,
  type EventData,
  event,
  type LedgerEvent,
  paymentKey,
  paymentOf,
  refuse,
  transactionOf,
} from "./entry.ts"
import { exposedUnits, isAnother, notDeepEnough } from "./evidence.ts"
import { quotePaid } from "./quotes.ts"
import type { Purchase, PurchaseDoubt, State } from "./state.ts"

/** A purchase as its buyer sees it. */
export const purchaseSummaryOf = (purchase: Purchase): PurchaseSummary => ({
  payment: purchase.key,
  units: purchase.units,
  credits: purchase.credits,
  blockNumber: purchase.blockNumber,
  creditedAtMs: purchase.creditedAtMs,
  provisional: purchase.provisional && purchase.status !== "final",
  status: purchase.status,
})

/** The wallet that was paid, and the contract; nothing where they are not known. */
const paidTo = ({ wallet, contract }: Pick<Purchase, "wallet" | "contract">) => ({
  ...(wallet === undefined ? {} : { wallet }),
  ...(contract === undefined ? {} : { contract }),
})

/**
 * Whether a purchase is known to be paid to another wallet, in another contract or on another chain than those of today's
 * settings. A look through these sees other transfers, so it says nothing about this one.
 */
export const isPaidElsewhere = (
  { key, wallet, contract }: Pick<Purchase, "key" | "wallet" | "contract">,
  today: Pick<Chain["facts"], "chainId" | "wallet" | "contract">,
): boolean =>
  paymentOf(key).chainId !== today.chainId ||
  (wallet !== undefined && wallet.toLowerCase() !== today.wallet.toLowerCase()) ||
  (contract !== undefined && contract.toLowerCase() !== today.contract.toLowerCase())

/** A block as events store it. */
export const blockData = ({ hash, number, atMs }: Block) => ({ hash, number, at: instant(atMs) })

/** Reverses a purchase: takes what is left of the balance; the rest becomes shortfall. */
export const reversalOf = (
  { key, account, blockHash, credits }: Purchase,
  balance: number,
): Extract<LedgerEvent, { readonly type: "purchase.reversed" }> => {
  const taken = Math.min(balance, credits)
  const data = { account, payment: paymentOf(key), blockHash, taken, shortfall: credits - taken }
  return { type: "purchase.reversed", data }
}

type Seen = NonNullable<Observe["seen"]>

const creditAgain = (purchase: Purchase, { payment }: Observe, seen: Seen): LedgerEvent =>
  event("purchase.credited", {
    account: purchase.account,
    payment,
    payer: seen.payer,
    units: seen.units,
    credits: creditsOf(seen.units),
    block: blockData(seen.block),
    logIndex: seen.logIndex,
    evidence: purchase.evidence,
    memoHash: purchase.memoHash,
    namedHash: purchase.namedHash,
    claimant: purchase.claimant,
    provisional: seen.depth === "latest",
    ...paidTo(purchase),
  })

/** The units that decide the depth of a payment that is credited again: as when it is confirmed. */
const exposedBy = (state: State, { key, account, payer }: Purchase, { transactionUnits: units }: Seen): number =>
  exposedUnits(state, { transaction: transactionOf(key), units, account, payers: [payer] })

/**
 * Follows the chain: a payment that left it is reversed; one that moved to another block is reversed, and credited again
 * once that block is deep enough; one in a final block becomes final. A different payment at its position counts as gone.
 */
export const decideObserve = (state: State, command: Observe): Decision<Answers["observe"]> => {
  const purchase = state.purchases.get(paymentKey(command.payment))
  const account = purchase === undefined ? undefined : state.accounts.get(purchase.account)
  if (purchase === undefined || account === undefined) return refuse({ _tag: "no_payment" })
  const seen = command.seen !== null && isAnother(purchase, command.seen) ? null : command.seen
  const stays = seen !== null && seen.block.hash === purchase.blockHash
  if (purchase.status === "final")
    // No event follows, but the refusal raises an alarm: the chain, or its providers, contradict finality.
    return stays || purchase.evidence === "operator"
      ? accept({ became: "unchanged" })
      : refuse({ _tag: "final_purchase" })

  const events: Array<LedgerEvent> = []
  let became: Answers["observe"]["became"] = "unchanged"
  const stood = purchase.status === "credited"
  if (stood && !stays) {
    events.push(reversalOf(purchase, account.balance))
    became = "reversed"
  }
  const again =
    seen !== null && !(stood && stays) && notDeepEnough(seen, exposedBy(state, purchase, seen)) === undefined
  if (again) {
    events.push(creditAgain(purchase, command, seen))
    became = stood ? "moved" : "credited"
  }
  if (seen?.depth === "finalized" && (again || (stood && stays))) {
    const { payment } = command
    events.push(event("purchase.finalised", { account: account.id, payment, blockHash: seen.block.hash }))
    became = "final"
  }
  return accept({ became }, ...events)
}

/** Lists the payments that the chain may still change, in the order of their keys. */
export const decideListUnfinal = (state: State, { after }: ListUnfinal): Decision<Answers["listUnfinal"]> => {
  const keys = Array.from(state.unfinal.entries(), ([key]) => key)
    .filter((key) => after === null || key > after)
    .sort()
  const purchases = keys.slice(0, UNFINAL_PAGE_MAX).flatMap((key) => {
    const purchase = state.purchases.get(key)
    if (purchase === undefined || purchase.status === "final") return []
    const { payer, units, namedHash, blockHash, blockNumber, creditedAtMs, status } = purchase
    const doubted = purchase.doubt !== null
    const paid = { payer, units, namedHash, blockHash, blockNumber, creditedAtMs }
    return [{ key, payment: paymentOf(key), ...paid, doubted, status, ...paidTo(purchase) }]
  })
  return accept({ purchases, more: keys.length > UNFINAL_PAGE_MAX, creditedUnits: state.creditedUnits })
}

/**
 * Whether a missed purchase counts as gone: missed often enough, for long enough by the ledger's time, while the chain grew
 * far enough beyond its block and beyond the lowest head at the misses.
 */
const isGone = (doubt: PurchaseDoubt, blockNumber: number, head: number, nowMs: number): boolean =>
  doubt.misses >= MISSES_MIN &&
  nowMs - doubt.sinceMs >= MISSED_MIN_MS &&
  head >= Math.max(doubt.head, blockNumber) + MISSED_BLOCKS_MIN

/**
 * Records that a look did not find a purchase in the chain, and reverses it once it counts as gone. Misses are events, so
 * that their count survives a restart and a failover.
 */
export const decideDoubt = (state: State, command: Doubt, nowMs: number): Decision<Answers["doubt"]> => {
  const { payment, blockHash, head } = command
  const purchase = state.purchases.get(paymentKey(payment))
  const account = purchase === undefined ? undefined : state.accounts.get(purchase.account)
  if (purchase === undefined || account === undefined) return refuse({ _tag: "no_payment" })
  // The purchase changed after the look began, so the look says nothing about it.
  if (purchase.status !== "credited" || purchase.blockHash !== blockHash) return accept({ became: "unchanged" })
  const before = purchase.doubt
  const doubt = {
    sinceMs: before?.sinceMs ?? nowMs,
    // The lowest head of all misses: one wrong, high number must not make later growth invisible.
    head: Math.min(before?.head ?? head, head),
    misses: Math.min(MISSES_MIN, (before?.misses ?? 0) + 1),
  }
  if (isGone(doubt, purchase.blockNumber, head, nowMs))
    return accept({ became: "reversed" }, reversalOf(purchase, account.balance))
  if (before !== null && doubt.misses === before.misses && doubt.head === before.head)
    return accept({ became: "unchanged" })
  return accept(
    { became: "doubted" },
    event("purchase.doubted", { account: account.id, payment, blockHash, head, misses: doubt.misses }),
  )
}

/** Records that a look found a doubted purchase where it was credited: the count of misses starts again. */
export const decideTrust = (state: State, { payment, blockHash }: Trust): Decision<Answers["trust"]> => {
  const purchase = state.purchases.get(paymentKey(payment))
  if (purchase === undefined) return refuse({ _tag: "no_payment" })
  const { account, doubt } = purchase
  if (doubt === null || purchase.blockHash !== blockHash) return accept({ became: "unchanged" })
  return accept({ became: "trusted" }, event("purchase.trusted", { account, payment, blockHash }))
}

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
    ...paidTo(data),
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
