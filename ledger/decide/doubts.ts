import type { Answers } from "../answers.ts"
import type { Doubt, Trust } from "../command.ts"
import { event, paymentKey } from "../fold/event.ts"
import type { State } from "../fold/state.ts"
import type { PurchaseDoubt } from "../fold/values.ts"
import { MISSED_BLOCKS_MIN, MISSED_MS_MIN, MISSES_MIN } from "../rules.ts"
import { accept, type Decision, refuse } from "./decision.ts"
import { reversalOf } from "./purchases.ts"

/**
 * Whether a purchase that was missed so often is taken for gone: long enough, by the ledger's time, and while the chain
 * grew beyond its block and beyond where it ended at the misses.
 */
const isGone = (doubt: PurchaseDoubt, blockNumber: number, head: number, nowMs: number): boolean =>
  doubt.misses >= MISSES_MIN &&
  nowMs - doubt.sinceMs >= MISSED_MS_MIN &&
  head >= Math.max(doubt.head, blockNumber) + MISSED_BLOCKS_MIN

/**
 * Notes that a look did not find a purchase in the chain, and takes it back when it was missed for long enough. Misses
 * are facts of the log, so that neither a restart nor another process begins to count anew.
 */
export const decideDoubt = (state: State, command: Doubt, nowMs: number): Decision<Answers["doubt"]> => {
  const { payment, blockHash, head } = command
  const purchase = state.purchases.get(paymentKey(payment))
  const account = purchase === undefined ? undefined : state.accounts.get(purchase.account)
  if (purchase === undefined || account === undefined) return refuse({ _tag: "no_payment" })
  // It was credited, reversed or finalised meanwhile: the look was at something else.
  if (purchase.status !== "credited" || purchase.blockHash !== blockHash) return accept({ became: "unchanged" })
  const before = purchase.doubt
  const doubt = {
    sinceMs: before?.sinceMs ?? nowMs,
    // The lowest in the row: one provider's wrong number must not keep the chain from ever having grown.
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

/** Notes that a look has found a doubted purchase where it was credited: misses are counted anew. */
export const decideTrust = (state: State, { payment, blockHash }: Trust): Decision<Answers["trust"]> => {
  const purchase = state.purchases.get(paymentKey(payment))
  if (purchase === undefined) return refuse({ _tag: "no_payment" })
  const { account, doubt } = purchase
  if (doubt === null || purchase.blockHash !== blockHash) return accept({ became: "unchanged" })
  return accept({ became: "trusted" }, event("purchase.trusted", { account, payment, blockHash }))
}
