import type { History } from "../infra/history/history.port.ts"
import type { LedgerClient } from "../ledger/client.ts"
import type { ReplyStore } from "./premium/replies.ts"

/** What a receipt says of a call. */
export interface ReceiptClaims {
  readonly endpoint: string
  /** SHA-256 over method, path and sorted query. */
  readonly requestHash: string
  /** SHA-256 over the RFC 8785 form of the body without its `receipt`. */
  readonly responseHash: string
  readonly credits: number
  /** Why it was free of charge; null when it was charged. */
  readonly reason: string | null
  readonly atMs: number
  /** The entry of the ledger that took the credits; null where none did. */
  readonly entry: { readonly sequence: number; readonly hash: string } | null
}

/** Signs receipts, and shows the keys to check them with. */
export interface Receipts {
  readonly issuer: string
  readonly sign: (claims: ReceiptClaims) => Promise<{ readonly id: string; readonly jws: string }>
  readonly jwks: unknown
}

/** Everything that has to do with money, as the API is given it. */
export interface Billing {
  readonly ledger: LedgerClient
  readonly receipts: Receipts
  /** The replies that were given under an Idempotency-Key. */
  readonly replies: ReplyStore
  /** For endpoints that ask the history; null where there is none: they answer 503 and charge nothing. */
  readonly history: History | null
}
