// The public interface of the ledger: `api/` imports nothing else of it.

export type {
  Answers as LedgerAnswers,
  AnswerTo,
  DurableAnswer,
  EntryRef,
  LedgerClient,
  PurchaseSummary,
} from "./answers.ts"
export {
  type Buying,
  buyingRules,
  type ConfirmOutcome,
  type IssuedQuote,
} from "./buying/buying.ts"
export type { Claim, Payments } from "./buying/claim.ts"
export { makePayments } from "./buying/payments.ts"
export { memoHashOf } from "./buying/proof.ts"
export type { Command } from "./command.ts"
export { newId, onBehalfOf, REQUEST_ID } from "./ids.ts"
export { requestHashOf, responseHashOf } from "./receipts/format.ts"
export { type JsonLimits, type JsonProblem, jsonProblemWords, type ReadJson, readIJson } from "./receipts/i-json.ts"
export { openReceipts, type Receipts } from "./receipts/receipts.ts"
export {
  findReceipt,
  type ReceiptVerdict,
  type VerifiedClaims,
  verifySent,
} from "./receipts/verify.ts"
export { BillingUnavailable, type Refusal } from "./refusal.ts"
export { KEY_LIFE_MS } from "./rules.ts"
export { bearerOf, isToken, makeToken, tokenHashOf } from "./token.ts"
