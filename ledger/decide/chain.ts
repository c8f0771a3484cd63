import type { Answers } from "../answers.ts"
import type { Doubt, ListUnfinal, Observe, Trust } from "../command.ts"
import { event, type LedgerEvent, paymentKey, paymentOf, transactionOf } from "../fold/entry.ts"
import type { Purchase, PurchaseDoubt, State } from "../fold/state.ts"
import { creditsOf, MISSED_BLOCKS_MIN, MISSED_MIN_MS, MISSES_MIN, UNFINAL_PAGE_MAX } from "../rules.ts"
import { accept, type Decision, refuse } from "./decision.ts"
import { exposedUnits, isAnother, notDeepEnough } from "./evidence.ts"
import { blockData, reversalOf } from "./purchases.ts"

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
    return [{ key, payment: paymentOf(key), ...paid, doubted, status }]
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
