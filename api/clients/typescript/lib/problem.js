import { AlreadyCreditedError, PayerProofError, PaymentRequiredError, ProblemError } from "./errors.js";
import { isObject } from "./json.js";
const isProblem = (value) => isObject(value) && typeof value.error === "string" && typeof value.message === "string";
const isPaymentRequired = (body) => "signup" in body && "pricing" in body;
const isPayerProof = (body) => body.error === "payer_proof_required";
const isAlreadyCredited = (body) => body.error === "already_credited";
const SECONDS = /^\d{1,9}$/;
/** The seconds of a `Retry-After`, which may be a date; null where there is none. */
export const retryAfterSecondsOf = (headers, body) => {
    const text = headers.get("retry-after");
    if (text !== null && SECONDS.test(text))
        return Number(text);
    const atMs = text === null ? Number.NaN : Date.parse(text);
    if (Number.isFinite(atMs))
        return Math.max(0, Math.ceil((atMs - Date.now()) / 1000));
    return isObject(body) && typeof body.retry_after_seconds === "number" ? body.retry_after_seconds : null;
};
/** The error that a refusal is; null where the body is no problem of the contract. */
export const problemErrorOf = (status, headers, body, call) => {
    if (!isProblem(body))
        return null;
    const seconds = retryAfterSecondsOf(headers, body);
    if (isPayerProof(body))
        return new PayerProofError(status, body, seconds, call);
    if (isAlreadyCredited(body))
        return new AlreadyCreditedError(status, body, seconds, call);
    if (isPaymentRequired(body))
        return new PaymentRequiredError(status, body, seconds, call);
    return new ProblemError(status, body, seconds, call);
};
