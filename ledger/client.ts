import type * as Effect from "effect/Effect"
import type { AnswerTo } from "./answers.ts"
import type { Command } from "./command.ts"
import type { Refusal } from "./refusal.ts"
import type { BillingUnavailable } from "./unavailable.ts"
import type { DurableAnswer } from "./write/queue.ts"

// The public interface of the ledger: `api/` imports nothing else of it.

export type { Answers as LedgerAnswers, AnswerTo, PurchaseSummary } from "./answers.ts"
export {
  type Buying,
  buyingRules,
  type ConfirmOutcome,
  type IssuedQuote,
} from "./buying/buying.ts"
export { type Claim, type ClaimOutcome, makePayments, type Payments } from "./buying/payments.ts"
export type { Command } from "./command.ts"
export { memoHashOf } from "./memo.ts"
export { newId } from "./new-id.ts"
export { requestHashOf, responseHashOf } from "./receipts/format.ts"
export { type JsonLimits, type JsonProblem, jsonProblemWords, type ReadJson, readIJson } from "./receipts/i-json.ts"
export { openReceipts, type Receipts } from "./receipts/receipts.ts"
export {
  findReceipt,
  type ReceiptVerdict,
  type VerifiedClaims,
  verifySent,
} from "./receipts/verify.ts"
export type { Refusal } from "./refusal.ts"
export { onBehalfOf, REQUEST_ID } from "./request-id.ts"
export { KEY_LIFE_MS } from "./rules.ts"
export { bearerOf, isToken, makeToken, tokenHashOf } from "./token.ts"
export { BillingUnavailable } from "./unavailable.ts"
export type { DurableAnswer, EntryRef } from "./write/queue.ts"

/** The ledger as its callers use it, in whichever process its one writer runs. */
export interface LedgerClient {
  /**
   * Decides a command, and succeeds when its events are durable. Fails with a refusal or with `BillingUnavailable`; then
   * nothing was written, except for the reason `unknown`.
   */
  readonly submit: <C extends Command>(
    command: C,
  ) => Effect.Effect<DurableAnswer<AnswerTo<C>>, Refusal | BillingUnavailable>
}
