import { noneYet } from "./day-count.ts"
import type { State } from "./state.ts"
import type { Account } from "./values.ts"

/** A mutable copy of an account. It takes effect once `put` stores it. */
export type Draft = { -readonly [Member in keyof Account]: Account[Member] }

/** The account of an entry, with its sequence raised by one; a new account gets the next place. */
export const accountOf = (state: State, id: string): Draft => {
  const account = state.accounts.get(id)
  if (account !== undefined) return { ...account, sequence: account.sequence + 1 }
  state.accountOrder.set(state.nextAccount, id)
  state.nextAccount += 1
  return {
    id,
    sequence: 1,
    balance: 0,
    shortfall: 0,
    spent: 0,
    spentBySister: 0,
    open: 0,
    added: 0,
    token: null,
    opener: null,
    freeEnds: noneYet,
    sisterFreeEnds: noneYet,
    tokensIssued: noneYet,
    purchaseCount: 0,
    purchasedUnits: 0,
    payments: [],
  }
}

/** Stores an account. */
export const put = (state: State, account: Draft): void => {
  state.accounts.set(account.id, account)
}

/** Adds credits, which fill the shortfall first. */
export const deposit = (account: Draft, credits: number): void => {
  const filled = Math.min(account.shortfall, credits)
  account.shortfall -= filled
  account.balance += credits - filled
}
