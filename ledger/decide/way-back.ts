import type { WayBack } from "../answers.ts"
import { transactionOf } from "../fold/event.ts"
import type { State } from "../fold/state.ts"
import type { Account } from "../fold/values.ts"
import { PURCHASES_LISTED_MAX } from "../rules.ts"

/** The transaction of the first purchase of an account that stands and that its memo claimed; null where none does. */
const transactionOfMemo = (state: State, account: Account, memoHash: string): string | null => {
  for (const key of account.payments.slice(0, PURCHASES_LISTED_MAX)) {
    const purchase = state.purchases.get(key)
    if (purchase?.account !== account.id || purchase.status === "reversed") continue
    if (purchase.claimant === `memo/${memoHash}`) return transactionOf(key).split("/")[1] ?? null
  }
  return null
}

/** What brings a token of an account back after a revoke: only its opener is given one. */
export const wayBackOf = (state: State, account: Account): WayBack => {
  const { opener } = account
  switch (opener?.by) {
    case "memo":
      return { by: "memo", transaction: transactionOfMemo(state, account, opener.memoHash), shown: opener.memoHash }
    case "payer":
      return { by: "payer", transaction: opener.transaction, shown: opener.payer }
    default:
      return { by: "operator", transaction: null, shown: null }
  }
}
