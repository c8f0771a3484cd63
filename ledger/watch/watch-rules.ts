import type { UnfinalPurchase } from "../answers.ts"
import type { Transaction, TransactionLookup, Transfer } from "../chain.port.ts"
import type { Doubt, Observe, Trust } from "../command.ts"
import { identityOf, isAnother, unitsOf } from "../decide/evidence.ts"
import { CONFIRMATIONS_MIN } from "../rules.ts"

// What follows from looking at a payment on the chain. Pure: the watcher looks, and says to the ledger what it saw.

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** How often a payment is looked at, by the time since it was credited: the first row that it is younger than. */
const PACES: ReadonlyArray<{ readonly youngerThanMs: number; readonly everyMs: number }> = [
  { youngerThanMs: 2 * MINUTE_MS, everyMs: 10 * SECOND_MS },
  { youngerThanMs: HOUR_MS, everyMs: 30 * SECOND_MS },
  { youngerThanMs: DAY_MS, everyMs: 5 * MINUTE_MS },
  { youngerThanMs: Number.POSITIVE_INFINITY, everyMs: HOUR_MS },
]
const UNSETTLED_EVERY_MS = 30 * SECOND_MS
/** A payment that was taken back is looked for so long; its buyer may confirm it again at any time. */
const REVERSED_WATCHED_MS = 7 * DAY_MS

/** What a look comes to. */
export interface Look {
  /** What the ledger must know; null for nothing. */
  readonly command: Observe | Doubt | Trust | null
  /** Whether something is going on with it: it is missed, or stands in a young block that is not the one it stood in. */
  readonly unsettled: boolean
}

/** When a payment is due for its next look, after one at `nowMs`; null for never. */
export const nextLookMs = (purchase: UnfinalPurchase, unsettled: boolean, nowMs: number): number | null => {
  const ageMs = nowMs - purchase.creditedAtMs
  if (purchase.status === "reversed" && ageMs > REVERSED_WATCHED_MS) return null
  const everyMs = PACES.find(({ youngerThanMs }) => ageMs < youngerThanMs)?.everyMs ?? HOUR_MS
  return nowMs + (unsettled ? Math.min(everyMs, UNSETTLED_EVERY_MS) : everyMs)
}

const nothing: Look = { command: null, unsettled: false }

const seenAs = (transfer: Transfer, transaction: Transaction): NonNullable<Observe["seen"]> => {
  const { block, confirmations, depth } = transaction
  const transactionUnits = unitsOf(transaction)
  return {
    block,
    logIndex: transfer.logIndex,
    ...identityOf(transaction, transfer),
    transactionUnits,
    confirmations,
    depth,
  }
}

/** A purchase that the chain did not show: only one that stands can be taken back. */
const missed = ({ status, payment, blockHash }: UnfinalPurchase, head: number): Look =>
  status === "reversed" ? nothing : { command: { _tag: "doubt", payment, blockHash, head }, unsettled: true }

/** A purchase that stands where it was credited. */
const shown = ({ doubted, payment, blockHash }: UnfinalPurchase): Look =>
  doubted ? { command: { _tag: "trust", payment, blockHash }, unsettled: false } : nothing

/** Judges that a purchase stands in its block, whose receipt no provider has any more. */
export const judgeHeld = shown

/**
 * Judges a look at a payment. Providers that are behind do not know young transactions, so one that is not found, or has
 * failed, is doubted, and the ledger decides when it is gone. One that stands elsewhere is observed when that block is as
 * deep as a payment's must be at least: no balance goes up and down with every fork of the newest blocks.
 */
export const judgeLook = (purchase: UnfinalPurchase, found: TransactionLookup, head: number): Look => {
  if (found._tag !== "mined") return missed(purchase, head)
  const { transaction } = found
  const { payment, blockHash, status } = purchase
  const transfer = transaction.transfers.find(({ position }) => position === payment.position)
  const deep = transaction.depth !== "latest" || transaction.confirmations >= CONFIRMATIONS_MIN
  const stays =
    transfer !== undefined &&
    transaction.block.hash === blockHash &&
    !isAnother(purchase, identityOf(transaction, transfer))
  if (status === "credited" && stays && transaction.depth !== "finalized") return shown(purchase)
  const elsewhere = transfer !== undefined && !(status === "credited" && stays)
  if (!deep) return { ...nothing, unsettled: elsewhere }
  // Nothing was found that could be credited again.
  if (status === "reversed" && transfer === undefined) return nothing
  const seen = transfer === undefined ? null : seenAs(transfer, transaction)
  return { command: { _tag: "observe", payment, seen }, unsettled: elsewhere }
}
