import type { AlreadyCredited, PayerProofRequired, PremiumPaymentRequired } from "../types.js"
import type { ReadResponse } from "./attempt.ts"
import type { ProblemBody, TidewireError } from "./errors.ts"
import {
  AlreadyCreditedError,
  type FailedCall,
  PayerProofError,
  PaymentRequiredError,
  ProblemError,
  UnreadableReplyError,
} from "./errors.ts"
import { isObject } from "./json.ts"

const isProblem = (value: unknown): value is ProblemBody =>
  isObject(value) && typeof value.error === "string" && typeof value.message === "string"
const isPaymentRequired = (body: ProblemBody): body is PremiumPaymentRequired => "signup" in body && "pricing" in body
const isPayerProof = (body: ProblemBody): body is PayerProofRequired => body.error === "payer_proof_required"
const isAlreadyCredited = (body: ProblemBody): body is AlreadyCredited => body.error === "already_credited"

const SECONDS = /^\d{1,9}$/

/** The seconds of a `Retry-After`, which may be a date; null where there is none. */
export const retryAfterSecondsOf = (headers: Headers, body: unknown): number | null => {
  const text = headers.get("retry-after")
  if (text !== null && SECONDS.test(text)) return Number(text)
  const atMs = text === null ? Number.NaN : Date.parse(text)
  if (Number.isFinite(atMs)) return Math.max(0, Math.ceil((atMs - Date.now()) / 1000))
  return isObject(body) && typeof body.retry_after_seconds === "number" ? body.retry_after_seconds : null
}

/** The error that a refusal is. */
export const refusalOf = ({ status, headers, body }: ReadResponse, call: FailedCall): TidewireError => {
  if (!isProblem(body)) return new UnreadableReplyError(`status ${status} without a problem of the contract`, call)
  const seconds = retryAfterSecondsOf(headers, body)
  if (isPayerProof(body)) return new PayerProofError(status, body, seconds, call)
  if (isAlreadyCredited(body)) return new AlreadyCreditedError(status, body, seconds, call)
  if (isPaymentRequired(body)) return new PaymentRequiredError(status, body, seconds, call)
  return new ProblemError(status, body, seconds, call)
}
