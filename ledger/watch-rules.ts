import type { Found, Transaction, Transfer } from "../infra/chain/chain.port.ts"
import type { Observe, UnfinalPurchase } from "./command.ts"
import { identityOf, isAnother, unitsOf } from "./evidence.ts"
import { CONFIRMATIONS_MIN } from "./rules.ts"

// What follows from looking at a payment on the chain. Pure: the watcher looks, remembers and tells.

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

/** A payment is taken for gone only when it was missed so often in a row, over so long, */
export const MISSES_MIN = 6
export const MISSED_MS_MIN = 10 * MINUTE_MS
/** and when the chain has grown by so many blocks meanwhile, some four minutes, and beyond the block it stood in. */
export const MISSED_BLOCKS_MIN = 120

/** Since when a payment is missed. */
export interface Doubt {
  readonly sinceMs: number
  readonly misses: number
  /** The newest block when it was first missed. */
  readonly head: number
}

/** What a look comes to. */
export interface Look {
  /** What the ledger is to be told; null for nothing. */
  readonly observe: Observe | null
  readonly doubt: Doubt | null
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

const nothing: Look = { observe: null, doubt: null, unsettled: false }

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

const missed = (purchase: UnfinalPurchase, before: Doubt | null, nowMs: number, head: number): Look => {
  // Nothing is to be taken back, and nothing was found that could be credited again.
  if (purchase.status === "reversed") return nothing
  const doubt = { sinceMs: before?.sinceMs ?? nowMs, misses: (before?.misses ?? 0) + 1, head: before?.head ?? head }
  const gone =
    doubt.misses >= MISSES_MIN &&
    nowMs - doubt.sinceMs >= MISSED_MS_MIN &&
    head >= Math.max(doubt.head, purchase.blockNumber) + MISSED_BLOCKS_MIN
  const observe: Observe | null = gone ? { _tag: "observe", payment: purchase.payment, seen: null } : null
  return { observe, doubt, unsettled: true }
}

/**
 * Judges a look at a payment. Providers that are behind do not know young transactions, so one that is not found, or has
 * failed, is doubted for a while before the ledger is told that it is gone. One that stands elsewhere is told when that
 * block is as deep as a payment's must be at least: no balance goes up and down with every fork of the newest blocks.
 */
export const judgeLook = (
  purchase: UnfinalPurchase,
  found: Found,
  before: Doubt | null,
  { nowMs, head }: { readonly nowMs: number; readonly head: number },
): Look => {
  if (found._tag !== "mined") return missed(purchase, before, nowMs, head)
  const { transaction } = found
  const { payment, blockHash, status } = purchase
  const transfer = transaction.transfers.find(({ position }) => position === payment.position)
  const deep = transaction.depth !== "latest" || transaction.confirmations >= CONFIRMATIONS_MIN
  const stays =
    transfer !== undefined &&
    transaction.block.hash === blockHash &&
    !isAnother(purchase, identityOf(transaction, transfer))
  const tell = status === "credited" && stays ? transaction.depth === "finalized" : deep
  const elsewhere = transfer !== undefined && !(status === "credited" && stays)
  if (!tell) return { ...nothing, unsettled: elsewhere }
  // Nothing was found that could be credited again.
  if (status === "reversed" && transfer === undefined) return nothing
  const seen = transfer === undefined ? null : seenAs(transfer, transaction)
  return { observe: { _tag: "observe", payment, seen }, doubt: null, unsettled: elsewhere }
}
