import type { AlreadyCredited, PayerProofRequired, PremiumFailure, PremiumPaymentRequired, Problem } from "../types.js"
import type { Claim } from "./claim.ts"
import type { ReceiptProblem } from "./receipt.ts"

/** The body of a refusal: problem details (RFC 9457) with the code `error`. */
export type ProblemBody = Problem | PremiumPaymentRequired | PremiumFailure | PayerProofRequired | AlreadyCredited

/** What a failed call was: enough to send it again. */
export interface FailedCall {
  /** Name of the operation. */
  readonly operation: string
  /** The key of a premium call: under it the call can be sent again, charged once. Null where it had none. */
  readonly idempotencyKey: string | null
}

/** Base of every error of this client, except the reason of an aborted signal, which is thrown as it is. */
export class TidewireError extends Error {
  override readonly name: string = "TidewireError"
  readonly operation: string
  readonly idempotencyKey: string | null

  constructor(message: string, { operation, idempotencyKey }: FailedCall, cause?: unknown) {
    super(`${operation}: ${message}`, cause === undefined ? undefined : { cause })
    this.operation = operation
    this.idempotencyKey = idempotencyKey
  }
}

/** The service refused the call, or failed, and said why. */
export class ProblemError<Body extends ProblemBody = ProblemBody> extends TidewireError {
  override readonly name: string = "ProblemError"
  readonly status: number
  /** The code of the contract, such as `invalid_parameter` or `rate_limited`. */
  readonly error: string
  /** The parameter that was wrong; null where none was. */
  readonly parameter: string | null
  /** The values that it may have; null where they are not listed. */
  readonly allowed: ReadonlyArray<string> | null
  /** When a retry makes sense, in seconds; null where that is not known. */
  readonly retryAfterSeconds: number | null
  readonly body: Body

  constructor(status: number, body: Body, retryAfterSeconds: number | null, call: FailedCall) {
    super(`${status} ${body.error}: ${body.message}`, call)
    this.status = status
    this.error = body.error
    this.parameter = body.parameter ?? null
    this.allowed = body.allowed ?? null
    this.retryAfterSeconds = retryAfterSeconds
    this.body = body
  }
}

/** A token, credits or a payment are missing, or billing is unavailable: `body` holds prices and where credits are bought. */
export class PaymentRequiredError extends ProblemError<PremiumPaymentRequired> {
  override readonly name = "PaymentRequiredError"
}

/** The payment must be proved: the payer signs `body.text_to_sign`, which is null where it is not said where the credits go. */
export class PayerProofError extends ProblemError<PayerProofRequired> {
  override readonly name = "PayerProofError"
}

/** The payment was credited to another claimant before: `body.next_step` says how its owner goes on. */
export class AlreadyCreditedError extends ProblemError<AlreadyCredited> {
  override readonly name = "AlreadyCreditedError"
}

/** Why changes cannot be read on from a cursor. */
export type CursorProblem = "cursor_gone" | "other_log" | "future_cursor"

/**
 * Changes cannot be read on from a cursor, so what was made of them may lack some: read the data anew. `cursor_gone`: some of
 * them are no longer held; `other_log`, `future_cursor`: the service has another log than the one that gave the cursor.
 */
export class CursorError extends TidewireError {
  override readonly name = "CursorError"
  readonly error: CursorProblem
  /** The cursor that was refused. */
  readonly cursor: string
  /** The place before all changes that are still held; null where the cursor is of another log. */
  readonly oldest: string | null

  constructor(error: CursorProblem, cursor: string, oldest: string | null, call: FailedCall, cause?: unknown) {
    super(`${error}: changes cannot be read on from ${cursor}`, call, cause)
    this.error = error
    this.cursor = cursor
    this.oldest = oldest
  }
}

/** There was no reply: the connection could not be made, or broke. A paid call may have been charged: repeat its key. */
export class NoReplyError extends TidewireError {
  override readonly name = "NoReplyError"
}

/** The call took longer than `timeoutMs`. A paid call may have been charged: repeat its key. */
export class TimedOutError extends TidewireError {
  override readonly name = "TimedOutError"
}

/** The reply is not one of the service: not JSON where JSON is documented, a redirect, or too large. */
export class UnreadableReplyError extends TidewireError {
  override readonly name = "UnreadableReplyError"
}

/** The data is older than `maxAgeMs`, or of unknown age. `reply` holds what was refused. */
export class StaleDataError extends TidewireError {
  override readonly name = "StaleDataError"
  /** Null where the reply does not say it. */
  readonly asOf: string | null
  readonly reply: unknown

  constructor(asOf: string | null, maxAgeMs: number, reply: unknown, call: FailedCall) {
    super(asOf === null ? "the age of the data is unknown" : `the data of ${asOf} is older than ${maxAgeMs} ms`, call)
    this.asOf = asOf
    this.reply = reply
  }
}

/** The receipt of a paid reply does not hold, or could not be verified. `reply` holds what was paid for. */
export class ReceiptError extends TidewireError {
  override readonly name = "ReceiptError"
  readonly problem: ReceiptProblem | "keys_unavailable"
  readonly reply: unknown

  constructor(problem: ReceiptError["problem"], reply: unknown, call: FailedCall, cause?: unknown) {
    super(`the receipt is not verified: ${problem}`, call, cause)
    this.problem = problem
    this.reply = reply
  }
}

/** A purchase did not end. What is needed to claim a payment that was sent is in `claim`, which no listing of members shows. */
export class PurchaseError extends TidewireError {
  override readonly name = "PurchaseError"
  /** Null where nothing was paid. It is a secret: keep it out of logs. */
  declare readonly claim: Claim | null

  constructor(message: string, claim: Claim | null, cause?: unknown) {
    super(message, { operation: "buy", idempotencyKey: null }, cause)
    Object.defineProperty(this, "claim", { value: claim, enumerable: false })
  }
}
