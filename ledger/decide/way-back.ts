import type { WayBack } from "../answers.ts"
import { transactionOf } from "../fold/event.ts"
import type { State } from "../fold/state.ts"
import type { Account } from "../fold/values.ts"
import { PURCHASES_LISTED_MAX } from "../rules.ts"

/** The transaction of the first standing purchase of an account that its memo claimed; null without one. */
const transactionOfMemo = (state: State, account: Account, memoHash: string): string | null => {
  for (const key of account.payments.slice(0, PURCHASES_LISTED_MAX)) {
    const purchase = state.purchases.get(key)
    if (purchase?.account !== account.id || purchase.status === "reversed") continue
    if (purchase.claimant === `memo/${memoHash}`) return transactionOf(key).split("/")[1] ?? null
  }
  return null
}

/** How an account gets its next token after a revoke: only its opener is issued one. */
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
