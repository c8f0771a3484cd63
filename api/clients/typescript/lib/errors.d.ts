import type { AlreadyCredited, PayerProofRequired, PremiumFailure, PremiumPaymentRequired, Problem } from "../types.js";
import type { Claim } from "./claim.ts";
import type { ReceiptProblem } from "./receipt.ts";
/** The body of a refusal: problem details (RFC 9457) with the code `error`. */
export type ProblemBody = Problem | PremiumPaymentRequired | PremiumFailure | PayerProofRequired | AlreadyCredited;
/** What a failed call was: enough to send it again. */
export interface FailedCall {
    /** Name of the operation. */
    readonly operation: string;
    /** The key of a premium call: under it the call can be sent again, charged once. Null where it had none. */
    readonly idempotencyKey: string | null;
}
/** Base of every error of this client, except the reason of an aborted signal, which is thrown as it is. */
export declare class TidewireError extends Error {
    readonly name: string;
    readonly operation: string;
    readonly idempotencyKey: string | null;
    constructor(message: string, { operation, idempotencyKey }: FailedCall, cause?: unknown);
}
/** The service refused the call, or failed, and said why. */
export declare class ProblemError<Body extends ProblemBody = ProblemBody> extends TidewireError {
    readonly name: string;
    readonly status: number;
    /** The code of the contract, such as `invalid_parameter` or `rate_limited`. */
    readonly error: string;
    /** The parameter that was wrong; null where none was. */
    readonly parameter: string | null;
    /** The values that it may have; null where they are not listed. */
    readonly allowed: ReadonlyArray<string> | null;
    /** When a retry makes sense, in seconds; null where that is not known. */
    readonly retryAfterSeconds: number | null;
    readonly body: Body;
    constructor(status: number, body: Body, retryAfterSeconds: number | null, call: FailedCall);
}
/** A token, credits or a payment are missing, or billing is unavailable: `body` holds prices and where credits are bought. */
export declare class PaymentRequiredError extends ProblemError<PremiumPaymentRequired> {
    readonly name = "PaymentRequiredError";
}
/** The payment must be proved: the payer signs `body.text_to_sign`, which is null where it is not said where the credits go. */
export declare class PayerProofError extends ProblemError<PayerProofRequired> {
    readonly name = "PayerProofError";
}
/** The payment was credited to another claimant before: `body.next_step` says how its owner goes on. */
export declare class AlreadyCreditedError extends ProblemError<AlreadyCredited> {
    readonly name = "AlreadyCreditedError";
}
/** There was no reply: the connection could not be made, or broke. A paid call may have been charged: repeat its key. */
export declare class NoReplyError extends TidewireError {
    readonly name = "NoReplyError";
}
/** The call took longer than `timeoutMs`. A paid call may have been charged: repeat its key. */
export declare class TimedOutError extends TidewireError {
    readonly name = "TimedOutError";
}
/** The reply is not one of the service: not JSON where JSON is documented, a redirect, or too large. */
export declare class UnreadableReplyError extends TidewireError {
    readonly name = "UnreadableReplyError";
}
/** The data is older than `maxAgeMs`, or of unknown age. `reply` holds what was refused. */
export declare class StaleDataError extends TidewireError {
    readonly name = "StaleDataError";
    /** Null where the reply does not say it. */
    readonly asOf: string | null;
    readonly reply: unknown;
    constructor(asOf: string | null, maxAgeMs: number, reply: unknown, call: FailedCall);
}
/** The receipt of a paid reply does not hold, or could not be verified. `reply` holds what was paid for. */
export declare class ReceiptError extends TidewireError {
    readonly name = "ReceiptError";
    readonly problem: ReceiptProblem | "keys_unavailable";
    readonly reply: unknown;
    constructor(problem: ReceiptError["problem"], reply: unknown, call: FailedCall, cause?: unknown);
}
/** A purchase did not end. What is needed to claim a payment that was sent is in `claim`, which no listing of members shows. */
export declare class PurchaseError extends TidewireError {
    readonly name = "PurchaseError";
    /** Null where nothing was paid. It is a secret: keep it out of logs. */
    readonly claim: Claim | null;
    constructor(message: string, claim: Claim | null, cause?: unknown);
}
