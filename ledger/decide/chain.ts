import type { Answers } from "../answers.ts"
import type { ListUnfinal, Observe } from "../command.ts"
import { event, type LedgerEvent, paymentKey, paymentOf, transactionOf } from "../fold/event.ts"
import type { State } from "../fold/state.ts"
import type { Purchase } from "../fold/values.ts"
import { creditsOf, UNFINAL_PAGE_MAX } from "../rules.ts"
import { accept, type Decision, refuse } from "./decision.ts"
import { exposedUnits, notDeepEnough } from "./depth.ts"
import { isAnother } from "./evidence.ts"
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
