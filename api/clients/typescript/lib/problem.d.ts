import { type FailedCall, ProblemError } from "./errors.ts";
/** The seconds of a `Retry-After`, which may be a date; null where there is none. */
export declare const retryAfterSecondsOf: (headers: Headers, body: unknown) => number | null;
/** The error that a refusal is; null where the body is no problem of the contract. */
export declare const problemErrorOf: (status: number, headers: Headers, body: unknown, call: FailedCall) => ProblemError | null;
