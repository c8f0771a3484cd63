import type { Opener } from "../../schemas/events/ledger.ts"
import { type EventData, type LedgerEvent, openerKey, paymentKey, transactionOf } from "../model/entry.ts"
import { isAnother, type PaymentIdentity } from "../model/evidence.ts"

/** The opener of an account, once a token names it, and the claimants of its purchases. */
interface Ownership {
  opener: Opener | null
  readonly claims: Set<string>
}

/** The `openerKey` of a claimant of purchases in a transaction; null for a bearer and for an operator. */
const keyOf = (claimant: string, transaction: string): string | null => {
  if (claimant.startsWith("memo/")) return claimant
  return claimant.startsWith("payer/") ? `${claimant}/${transaction}` : null
}

/**
 * Checks the ownership of accounts, entry by entry: an opener changes only by an operator's reissue and opens one account; a
 * credited payment was claimed by the account's bearer or its opener; a payment that is credited again keeps its account
 * and claimant. Returns the problem of an entry, or null.
 */
export const makeOwnershipCheck = (): ((entry: LedgerEvent) => string | null) => {
  const accounts = new Map<string, Ownership>()
  const openers = new Map<string, string>()
  const payments = new Map<string, PaymentIdentity & { readonly account: string; readonly claimant: string }>()
  const ownedBy = (account: string): Ownership => {
    const owned = accounts.get(account) ?? { opener: null, claims: new Set() }
    accounts.set(account, owned)
    return owned
  }

  const credited = (data: EventData<"purchase.credited">): string | null => {
    const { account, claimant, payer, units, namedHash } = data
    const key = paymentKey(data.payment)
    const before = payments.get(key)
    const isAgain = before !== undefined && !isAnother(before, { payer, units, namedHash })
    if (isAgain && (before.account !== account || before.claimant !== claimant))
      return `payment ${key} belonged to account ${before.account}, claimed by ${before.claimant}`
    payments.set(key, { account, claimant, payer, units, namedHash })
    const owned = ownedBy(account)
    const claim = keyOf(claimant, transactionOf(key))
    if (claim === null) return claimant === `bearer/${account}` ? null : `payment ${key} is claimed by ${claimant}`
    const isNew = !owned.claims.has(claim)
    owned.claims.add(claim)
    // Before its first token an account has no opener; that token is compared with these claims.
    return isNew && owned.opener !== null && openerKey(owned.opener) !== claim
      ? `payment ${key} is claimed by ${claimant}, who did not open account ${account}`
      : null
  }

  const issued = (data: EventData<"token.issued">): string | null => {
    const { account, opener, reissue } = data
    const owned = ownedBy(account)
    const key = openerKey(opener)
    const before = owned.opener === null ? undefined : openerKey(owned.opener)
    if (reissue === null && before !== undefined && before !== key) return `the opener of account ${account} changed`
    if (reissue === null && before === undefined && [...owned.claims].some((claim) => claim !== key))
      return `account ${account} was not opened by who claimed its purchases`
    if (key !== null && (openers.get(key) ?? account) !== account) return `${key} has opened another account`
    if (before !== undefined && before !== null) openers.delete(before)
    if (key !== null) openers.set(key, account)
    owned.opener = opener
    return null
  }

  return (entry) => {
    if (entry.type === "purchase.credited") return credited(entry.data)
    return entry.type === "token.issued" ? issued(entry.data) : null
  }
}
