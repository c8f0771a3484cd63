/** Base of every error of this client, except the reason of an aborted signal, which is thrown as it is. */
export class TidewireError extends Error {
    name = "TidewireError";
    operation;
    idempotencyKey;
    constructor(message, { operation, idempotencyKey }, cause) {
        super(`${operation}: ${message}`, cause === undefined ? undefined : { cause });
        this.operation = operation;
        this.idempotencyKey = idempotencyKey;
    }
}
/** The service refused the call, or failed, and said why. */
export class ProblemError extends TidewireError {
    name = "ProblemError";
    status;
    /** The code of the contract, such as `invalid_parameter` or `rate_limited`. */
    error;
    /** The parameter that was wrong; null where none was. */
    parameter;
    /** The values that it may have; null where they are not listed. */
    allowed;
    /** When a retry makes sense, in seconds; null where that is not known. */
    retryAfterSeconds;
    body;
    constructor(status, body, retryAfterSeconds, call) {
        super(`${status} ${body.error}: ${body.message}`, call);
        this.status = status;
        this.error = body.error;
        this.parameter = body.parameter ?? null;
        this.allowed = body.allowed ?? null;
        this.retryAfterSeconds = retryAfterSeconds;
        this.body = body;
    }
}
/** A token, credits or a payment are missing, or billing is unavailable: `body` holds prices and where credits are bought. */
export class PaymentRequiredError extends ProblemError {
    name = "PaymentRequiredError";
}
/** The payment must be proved: the payer signs `body.text_to_sign`, which is null where it is not said where the credits go. */
export class PayerProofError extends ProblemError {
    name = "PayerProofError";
}
/** The payment was credited to another claimant before: `body.next_step` says how its owner goes on. */
export class AlreadyCreditedError extends ProblemError {
    name = "AlreadyCreditedError";
}
/** There was no reply: the connection could not be made, or broke. A paid call may have been charged: repeat its key. */
export class NoReplyError extends TidewireError {
    name = "NoReplyError";
}
/** The call took longer than `timeoutMs`. A paid call may have been charged: repeat its key. */
export class TimedOutError extends TidewireError {
    name = "TimedOutError";
}
/** The reply is not one of the service: not JSON where JSON is documented, a redirect, or too large. */
export class UnreadableReplyError extends TidewireError {
    name = "UnreadableReplyError";
}
/** The data is older than `maxAgeMs`, or of unknown age. `reply` holds what was refused. */
export class StaleDataError extends TidewireError {
    name = "StaleDataError";
    /** Null where the reply does not say it. */
    asOf;
    reply;
    constructor(asOf, maxAgeMs, reply, call) {
        super(asOf === null ? "the age of the data is unknown" : `the data of ${asOf} is older than ${maxAgeMs} ms`, call);
        this.asOf = asOf;
        this.reply = reply;
    }
}
/** The receipt of a paid reply does not hold, or could not be verified. `reply` holds what was paid for. */
export class ReceiptError extends TidewireError {
    name = "ReceiptError";
    problem;
    reply;
    constructor(problem, reply, call, cause) {
        super(`the receipt is not verified: ${problem}`, call, cause);
        this.problem = problem;
        this.reply = reply;
    }
}
/** A purchase did not end. What is needed to claim a payment that was sent is in `claim`, which no listing of members shows. */
export class PurchaseError extends TidewireError {
    name = "PurchaseError";
    constructor(message, claim, cause) {
        super(message, { operation: "buy", idempotencyKey: null }, cause);
        Object.defineProperty(this, "claim", { value: claim, enumerable: false });
    }
}
