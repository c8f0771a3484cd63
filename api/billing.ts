import type { Buying, LedgerClient, Receipts } from "../ledger/client.ts"
import type { History } from "../schemas/ports/history.ts"
import type { ReplyStore } from "./premium/replies.ts"

/** The dependencies of premium and payment endpoints. */
export interface Billing {
  readonly ledger: LedgerClient
  /** Quotes, confirms, accounts and revocations. */
  readonly buying: Buying
  readonly receipts: Receipts
  /** The replies that were sent under an Idempotency-Key. */
  readonly replies: ReplyStore
  /** The database of `queried` endpoints; null where there is none: they reply 503 and charge nothing. */
  readonly history: History | null
}
