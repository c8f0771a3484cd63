import type { Answers } from "../answers.ts"
import type { Doubt, Trust } from "../command.ts"
import { event, paymentKey } from "../fold/event.ts"
import type { State } from "../fold/state.ts"
import type { PurchaseDoubt } from "../fold/values.ts"
import { MISSED_BLOCKS_MIN, MISSED_MS_MIN, MISSES_MIN } from "../rules.ts"
import { accept, type Decision, refuse } from "./decision.ts"
import { reversalOf } from "./purchases.ts"

/**
 * Whether a missed purchase counts as gone: missed often enough, for long enough by the ledger's time, while the chain grew
 * far enough beyond its block and beyond the lowest head at the misses.
 */
const isGone = (doubt: PurchaseDoubt, blockNumber: number, head: number, nowMs: number): boolean =>
  doubt.misses >= MISSES_MIN &&
  nowMs - doubt.sinceMs >= MISSED_MS_MIN &&
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
