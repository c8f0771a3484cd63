import type { Opener } from "../../schemas/events/ledger.ts"
import type { Transaction, Transfer } from "../chain.port.ts"
import type { Confirm } from "../command.ts"
import { openerKey, paymentKey, transactionKey } from "../fold/event.ts"
import type { State } from "../fold/state.ts"
import type { Account, Purchase } from "../fold/values.ts"
import { identityOf, isAnother, type Match, matchOf, type PaymentIdentity } from "./evidence.ts"

// Who claims what of a transaction, and which account it belongs to. README.md states the rules by number.

/** Who claims: the account of the bearer token that was sent, else the holder of a memo, else the payer who has signed. */
export type Claimant =
  | { readonly by: "bearer"; readonly account: Account }
  | { readonly by: "memo"; readonly memoHash: string }
  | { readonly by: "payer"; readonly payer: string }

/** Rule 1: a confirm has one claimant; null where nothing is shown. */
export const claimantOf = (bearer: Account | undefined, { memoHash, signer }: Confirm): Claimant | null => {
  if (bearer !== undefined) return { by: "bearer", account: bearer }
  if (memoHash !== null) return { by: "memo", memoHash }
  return signer === null ? null : { by: "payer", payer: signer }
}

/** A claimant as purchases keep it. */
export const claimantText = (claimant: Claimant): string => {
  switch (claimant.by) {
    case "bearer":
      return `bearer/${claimant.account.id}`
    case "memo":
      return `memo/${claimant.memoHash}`
    case "payer":
      return `payer/${claimant.payer}`
  }
}

/** Rule 3: what an account is opened with by a claimant: a payer's signature speaks of one transaction alone. */
export const openerOf = (
  claimant: Exclude<Claimant, { readonly by: "bearer" }>,
  { chainId, hash: transaction }: Transaction,
): Opener => (claimant.by === "memo" ? claimant : { ...claimant, chainId, transaction })

/** Rule 5: where a claimant's payments go; undefined: to a new account. */
export const accountOf = (state: State, claimant: Claimant, transaction: Transaction): Account | undefined => {
  if (claimant.by === "bearer") return claimant.account
  const key = openerKey(openerOf(claimant, transaction))
  const id = key === null ? undefined : state.openers.get(key)
  return id === undefined ? undefined : state.accounts.get(id)
}

/** A transfer that a confirm may claim. */
export interface Claim {
  readonly key: string
  readonly transfer: Transfer
  readonly match: Match
  /** What it was credited as before, in this place or in another one of its transaction; undefined: never. */
  readonly purchase: Purchase | undefined
}

/** The claims of a confirm, by whose they are. */
export interface Claims {
  /** They stand in the claimant's account. */
  readonly standing: ReadonlyArray<Claim>
  /** They are to be credited to it: never credited before, or taken back from this very account. */
  readonly open: ReadonlyArray<Claim>
  /** They belong to other accounts: the first claim stands. */
  readonly taken: ReadonlyArray<Claim>
}

const identityText = ({ payer, units, namedHash }: PaymentIdentity): string => `${payer}/${units}/${namedHash}`

/** Purchases of a transaction as the chain has it now. */
export interface PlacedPurchases {
  /** The purchase of each transfer: of the same payment, in its place or moved there; by the payment's text. */
  readonly purchases: ReadonlyMap<string, Purchase>
  /** Purchases that stand, and are not final, though their place holds another payment now, or none. */
  readonly displaced: ReadonlyArray<Purchase>
}

/**
 * Rule 4: which purchase each transfer of a transaction is. A place holds the same payment only if payer, units and named
 * hash are equal. A payment that moved to another place of its transaction is still the one that it was: it keeps its
 * account, so that what was spent there is not forgotten.
 */
export const placeOf = (state: State, transaction: Transaction): PlacedPurchases => {
  const { chainId, hash } = transaction
  const purchases = new Map<string, Purchase>()
  const unplaced: Array<readonly [string, Transfer]> = []
  for (const transfer of transaction.transfers) {
    const key = paymentKey({ chainId, transaction: hash, position: transfer.position })
    const found = state.purchases.get(key)
    // What an operator granted for a payment, and what was final, is used up, whatever the chain shows there.
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

/** Rules 2, 6 and 8: what a confirm claims, and whose it is. */
export const claimsOf = (
  state: State,
  transaction: Transaction,
  command: Confirm,
  account: Account | undefined,
  { purchases }: PlacedPurchases,
): Claims => {
  const claims = { standing: [] as Array<Claim>, open: [] as Array<Claim>, taken: [] as Array<Claim> }
  for (const transfer of transaction.transfers) {
    const key = paymentKey({ chainId: transaction.chainId, transaction: transaction.hash, position: transfer.position })
    const purchase = purchases.get(key)
    const match = matchOf(state, transaction, transfer, command, purchase)
    if (match === null) continue
    // Credited in this very place, and neither taken back nor about to be.
    const stands = purchase !== undefined && purchase.key === key && purchase.status !== "reversed"
    const isTaken = purchase !== undefined && (purchase.evidence === "operator" || purchase.account !== account?.id)
    claims[isTaken ? "taken" : stands ? "standing" : "open"].push({ key, transfer, match, purchase })
  }
  return claims
}
