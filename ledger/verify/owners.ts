import type { Opener } from "../../schemas/events/ledger.ts"
import { isAnother, type PaymentIdentity } from "../decide/evidence.ts"
import { type EventData, type LedgerEvent, openerKey, paymentKey, transactionOf } from "../fold/event.ts"

/** What is known of an account: its opener once a token says it, and who claimed what it was credited. */
interface Ownership {
  opener: Opener | null
  readonly claims: Set<string>
}

/** A claimant of purchases in a transaction, as an opener names it; null for a bearer and for an operator. */
const keyOf = (claimant: string, transaction: string): string | null => {
  if (claimant.startsWith("memo/")) return claimant
  return claimant.startsWith("payer/") ? `${claimant}/${transaction}` : null
}

/**
 * Proves whose accounts are, entry by entry: an opener changes by an operator's reissue alone and opens one account; what
 * is credited was claimed by the account's bearer or by its opener; a payment that is credited again keeps its account
 * and its claimant. Gives what is wrong with an entry, or null.
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
      return `payment ${key} was ${before.account}'s, claimed by ${before.claimant}`
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
