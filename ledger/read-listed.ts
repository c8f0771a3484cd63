import * as Effect from "effect/Effect"
import type { Answers, LedgerClient, PurchaseSummary } from "./answers.ts"
import type { ReadAccount } from "./command.ts"
import type { BillingUnavailable, Refusal } from "./refusal.ts"
import { PURCHASES_LISTED_MAX, PURCHASES_PAGE_MAX } from "./rules.ts"

const PAGES_MAX = PURCHASES_LISTED_MAX / PURCHASES_PAGE_MAX

/**
 * Reads an account with the newest of its purchases, `PURCHASES_LISTED_MAX` at most. Each page is a command of its own, so that
 * other callers' commands are decided between them. Balance and sums are those of the first page.
 */
export const readListed: (
  ledger: LedgerClient,
  by: ReadAccount["by"],
) => Effect.Effect<Answers["readAccount"], Refusal | BillingUnavailable> = Effect.fnUntraced(function* (ledger, by) {
  const pageBefore = (before: number | null) =>
    Effect.map(ledger.submit({ _tag: "readAccount", by, purchases: true, before }), ({ answer }) => answer)
  const { earlier: older = 0, ...account } = yield* pageBefore(null)
  const pages: Array<ReadonlyArray<PurchaseSummary>> = [account.purchases]
  for (let before = older; before > 0 && pages.length < PAGES_MAX; ) {
    const { purchases, earlier = 0 } = yield* pageBefore(before)
    pages.unshift(purchases)
    before = earlier
  }
  return { ...account, purchases: pages.flat() }
})
