import { dayOf } from "../../schemas/day.ts"
import type { Opener } from "../../schemas/events/ledger.ts"
import type { Transaction, Transfer } from "../chain.port.ts"
import type { Confirm } from "../command.ts"
import { SIGNATURE_LIFE_DAYS } from "../rules.ts"
import { DAY_MS } from "./balance.ts"
import { openerKey, paymentKey, transactionKey } from "./entry.ts"
import { identityOf, isAnother, type Match, matchOf, type PaymentIdentity } from "./evidence.ts"
import type { Account, Purchase, State } from "./state.ts"

// The claimant of each transfer of a transaction, and the account that it belongs to. README.md numbers the rules.

/** The claimant: the account of the bearer token, else the memo, else the payer that signed, with the claim key that he named. */
export type Claimant =
  | { readonly by: "bearer"; readonly account: Account }
  | { readonly by: "memo"; readonly memoHash: string }
  | { readonly by: "payer"; readonly payer: string; readonly claimKeyHash: string }

/** Rule 1: a confirm has one claimant; null without any proof. */
export const claimantOf = (
  bearer: Account | undefined,
  { memoHash, signer, claimKeyHash }: Confirm,
): Claimant | null => {
  if (bearer !== undefined) return { by: "bearer", account: bearer }
  if (memoHash !== null) return { by: "memo", memoHash }
  return signer === null || claimKeyHash === null ? null : { by: "payer", payer: signer, claimKeyHash }
}

/**
 * Whether the signature of a confirm counts at a time: until the day that its text names is over. A day that is further away
 * than the life of a signature stands in no text of this service. `none`: it counts as if there were no signature.
 */
export const signatureAt = (
  { signer, signedUntil }: Pick<Confirm, "signer" | "signedUntil">,
  nowMs: number,
): "valid" | "expired" | "none" => {
  if (signer === null || signedUntil === null) return "none"
  if (signedUntil < dayOf(nowMs)) return "expired"
  return signedUntil <= lastDayOf(nowMs) ? "valid" : "none"
}

/** The day until which a signature may be used whose text is made now. */
export const lastDayOf = (nowMs: number): string => dayOf(nowMs + SIGNATURE_LIFE_DAYS * DAY_MS)

/** A claimant as purchases store it. */
export const claimantText = (claimant: Claimant): string => {
  switch (claimant.by) {
    case "bearer":
      return `bearer/${claimant.account.id}`
    case "memo":
      return `memo/${claimant.memoHash}`
    case "payer":
      return `payer/${claimant.payer}/${claimant.claimKeyHash}`
  }
}

/**
 * Rule 3: the opener of a claimant's new account. A payer's signature covers one transaction and one claim key, so the opener
 * names both.
 */
export const openerOf = (
  claimant: Exclude<Claimant, { readonly by: "bearer" }>,
  { chainId, hash: transaction }: Transaction,
): Opener => (claimant.by === "memo" ? claimant : { ...claimant, chainId, transaction })

/** Rule 5: the account that a claimant's payments are credited to; undefined for a new account. */
export const creditedAccountOf = (state: State, claimant: Claimant, transaction: Transaction): Account | undefined => {
  if (claimant.by === "bearer") return claimant.account
  const key = openerKey(openerOf(claimant, transaction))
  const id = key === null ? undefined : state.openers.get(key)
  return id === undefined ? undefined : state.accounts.get(id)
}

/** A transfer that a confirm may claim. */
export interface ClaimedTransfer {
  readonly key: string
  readonly transfer: Transfer
  readonly match: Match
  /** Its purchase, at this or another position of its transaction; undefined if it was never credited. */
  readonly purchase: Purchase | undefined
}

/** The claims of a confirm, by owner. */
export interface ClaimedTransfers {
  /** Credited to the claimant's account, and not reversed. */
  readonly standing: ReadonlyArray<ClaimedTransfer>
  /** Due to the claimant: never credited, or reversed in the same account. */
  readonly open: ReadonlyArray<ClaimedTransfer>
  /** Owned by other accounts: the first claim stands. */
  readonly taken: ReadonlyArray<ClaimedTransfer>
}

const identityText = ({ payer, units, namedHash }: PaymentIdentity): string => `${payer}/${units}/${namedHash}`

/** The purchases of a transaction, matched with its present transfers. */
export interface PlacedPurchases {
  /** By `paymentKey`: the purchase of the same payment, credited at this position or moved to it. */
  readonly purchases: ReadonlyMap<string, Purchase>
  /** Purchases that are credited and not final, but whose position now holds another payment, or none. */
  readonly displaced: ReadonlyArray<Purchase>
}

/**
 * Rule 4: matches the transfers of a transaction with its purchases. A position holds the same payment only if payer, units
 * and named hash are equal. A payment that moved to another position of its transaction stays the same purchase and keeps
 * its account, so that a shortfall there is not lost.
 */
export const placeOf = (state: State, transaction: Transaction): PlacedPurchases => {
  const { chainId, hash } = transaction
  const purchases = new Map<string, Purchase>()
  const unplaced: Array<readonly [string, Transfer]> = []
  for (const transfer of transaction.transfers) {
    const key = paymentKey({ chainId, transaction: hash, position: transfer.position })
    const found = state.purchases.get(key)
    // A payment that an operator granted credits for, or that was final, is used up, whatever the chain has there now.
    const usedUp = found?.evidence === "operator" || found?.status === "final"
    if (found !== undefined && (usedUp || !isAnother(found, identityOf(transaction, transfer))))
      purchases.set(key, found)
    else unplaced.push([key, transfer])
  }
  const homeless = (state.transactions.get(transactionKey(chainId, hash)) ?? []).flatMap((key) => {
    const purchase = purchases.has(key) ? undefined : state.purchases.get(key)
    return purchase === undefined || purchase.status === "final" ? [] : [purchase]
  })
  const alike = Map.groupBy(homeless, identityText)
  for (const [key, transfer] of unplaced) {
    const moved = alike.get(identityText(identityOf(transaction, transfer)))?.shift()
    if (moved !== undefined) purchases.set(key, moved)
  }
  return { purchases, displaced: homeless.filter(({ status }) => status === "credited") }
}

/** Rules 2, 6 and 8: the transfers that a confirm claims, by owner. */
export const claimsOf = (
  state: State,
  transaction: Transaction,
  command: Confirm,
  account: Account | undefined,
  { purchases }: PlacedPurchases,
): ClaimedTransfers => {
  const claims = {
    standing: [] as Array<ClaimedTransfer>,
    open: [] as Array<ClaimedTransfer>,
    taken: [] as Array<ClaimedTransfer>,
  }
  for (const transfer of transaction.transfers) {
    const key = paymentKey({ chainId: transaction.chainId, transaction: transaction.hash, position: transfer.position })
    const purchase = purchases.get(key)
    const match = matchOf(state, transaction, transfer, command, purchase)
    if (match === null) continue
    // Credited at this position, and neither reversed nor displaced.
    const stands = purchase !== undefined && purchase.key === key && purchase.status !== "reversed"
    const isTaken = purchase !== undefined && (purchase.evidence === "operator" || purchase.account !== account?.id)
    claims[isTaken ? "taken" : stands ? "standing" : "open"].push({ key, transfer, match, purchase })
  }
  return claims
}
