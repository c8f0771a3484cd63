import type { Buying, LedgerClient, Receipts } from "../ledger/client.ts"
import type { History } from "../schemas/ports/history.ts"
import type { ReplyStore } from "./premium/replies.ts"

/** Everything that has to do with money, as the API is given it. */
export interface Billing {
  readonly ledger: LedgerClient
  /** The desk at which credits are bought. */
  readonly buying: Buying
  readonly receipts: Receipts
  /** The replies that were given under an Idempotency-Key. */
  readonly replies: ReplyStore
  /** For endpoints that ask the history; null where there is none: they answer 503 and charge nothing. */
  readonly history: History | null
}
