import type { Transaction } from "../chain.port.ts"
import type { State } from "../fold/state.ts"
import type { Purchase } from "../fold/values.ts"
import type { OpenerHint } from "../refusal.ts"
import { namedHashOf } from "./evidence.ts"

/**
 * The opener of the account of a purchase, for a caller with a proof of the payment. Its memo hash or payer is disclosed
 * only if this transaction makes it public; without a transaction, as for operators, never.
 */
export const openerHintOf = (
  state: State,
  purchase: Purchase | undefined,
  transaction: Transaction | null,
): OpenerHint => {
  const bearer = purchase?.claimant.startsWith("bearer/") === true
  const opener = purchase === undefined ? undefined : state.accounts.get(purchase.account)?.opener
  if (purchase?.evidence === "operator" || opener === undefined || opener === null || opener.by === "operator")
    return { by: "operator", shown: null, bearer }
  if (opener.by === "payer") {
    const here = opener.chainId === transaction?.chainId && opener.transaction === transaction.hash
    return { by: "payer", shown: here ? opener.payer : null, bearer }
  }
  const named = transaction?.transfers.some((transfer) => namedHashOf(transaction, transfer) === opener.memoHash)
  return { by: "memo", shown: named === true ? opener.memoHash : null, bearer }
}
