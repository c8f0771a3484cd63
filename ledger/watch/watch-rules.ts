import type { UnfinalPurchase } from "../answers.ts"
import type { Transaction, TransactionLookup, Transfer } from "../chain.port.ts"
import type { Doubt, Observe, Trust } from "../command.ts"
import { identityOf, isAnother, unitsOf } from "../model/evidence.ts"
import { CONFIRMATIONS_MIN } from "../rules.ts"

// The command that follows from a look at a payment on the chain. Pure: the watcher does the look-ups and submits.

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** The interval of looks by the age of a payment since it was credited: the first row with a greater age applies. */
const PACES: ReadonlyArray<{ readonly youngerThanMs: number; readonly everyMs: number }> = [
  { youngerThanMs: 2 * MINUTE_MS, everyMs: 10 * SECOND_MS },
  { youngerThanMs: HOUR_MS, everyMs: 30 * SECOND_MS },
  { youngerThanMs: DAY_MS, everyMs: 5 * MINUTE_MS },
  { youngerThanMs: Number.POSITIVE_INFINITY, everyMs: HOUR_MS },
]
const UNSETTLED_EVERY_MS = 30 * SECOND_MS
/** How long a reversed payment is looked for; its buyer may confirm it again at any time. */
const REVERSED_WATCHED_MS = 7 * DAY_MS

/** The result of a look. */
export interface Look {
  /** The command to submit; null for none. */
  readonly command: Observe | Doubt | Trust | null
  /** Whether the next look is due sooner: the payment was missed, or is in a young block other than its own. */
  readonly unsettled: boolean
}

/** When a payment is due for its next look, after one at `nowMs`; null for never. */
export const nextLookMs = (purchase: UnfinalPurchase, unsettled: boolean, nowMs: number): number | null => {
  const ageMs = nowMs - purchase.creditedAtMs
  if (purchase.status === "reversed" && ageMs > REVERSED_WATCHED_MS) return null
  const everyMs = PACES.find(({ youngerThanMs }) => ageMs < youngerThanMs)?.everyMs ?? HOUR_MS
  return nowMs + (unsettled ? Math.min(everyMs, UNSETTLED_EVERY_MS) : everyMs)
}

const noLook: Look = { command: null, unsettled: false }

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

/** A purchase that the look missed: only a credited one can be reversed. */
const missed = ({ status, payment, blockHash }: UnfinalPurchase, head: number): Look =>
  status === "reversed" ? noLook : { command: { _tag: "doubt", payment, blockHash, head }, unsettled: true }

/** A purchase that is where it was credited. */
const shown = ({ doubted, payment, blockHash }: UnfinalPurchase): Look =>
  doubted ? { command: { _tag: "trust", payment, blockHash }, unsettled: false } : noLook

/** The look at a purchase that is in its block, though no provider has its receipt any more. */
export const judgeHeld = shown

/**
 * Judges a look at a payment. Lagging providers do not have young transactions, so a missing or failed one is only doubted;
 * the ledger decides when it is gone. A payment in another block is observed once that block has the least depth of a
 * payment, so that balances do not follow every fork of the newest blocks.
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
  if (!deep) return { ...noLook, unsettled: elsewhere }
  // A reversed payment that is not there cannot be credited again.
  if (status === "reversed" && transfer === undefined) return noLook
  const seen = transfer === undefined ? null : seenAs(transfer, transaction)
  return { command: { _tag: "observe", payment, seen }, unsettled: elsewhere }
}
