import { noFreeEnds } from "./free-ends.ts"
import type { State } from "./state.ts"
import type { Account } from "./values.ts"

/** An account that is being made: a copy of what the state holds, and not in the state before it is put there. */
export type Draft = { -readonly [Member in keyof Account]: Account[Member] }

/** The account of an entry, which counts one more; a new one gets its number. */
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
    added: 0,
    token: null,
    opener: null,
    freeEnds: noFreeEnds,
    purchaseCount: 0,
    purchasedUnits: 0,
    payments: [],
  }
}

/** Puts an account in its place. */
export const put = (state: State, account: Draft): void => {
  state.accounts.set(account.id, account)
}

/** What comes in fills the shortfall first. */
export const deposit = (account: Draft, credits: number): void => {
  const filled = Math.min(account.shortfall, credits)
  account.shortfall -= filled
  account.balance += credits - filled
}
