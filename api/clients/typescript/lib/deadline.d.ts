import { type FailedCall } from "./errors.ts";
/** The time that a call may take, and its cancellation. */
export interface Deadline {
    /** Aborted when the time is over, or when the caller cancels. */
    readonly signal: AbortSignal;
    /** Waits; rejects when the signal is aborted meanwhile. */
    readonly sleep: (durationMs: number) => Promise<void>;
    /** Whether a pause ends before the time is over. */
    readonly allows: (durationMs: number) => boolean;
    /** The error of a step that failed: the caller's own reason where the caller cancelled. */
    readonly errorOf: (cause: unknown, call: FailedCall) => unknown;
}
/** Begins the time of a call. Throws a `RangeError` where no timer can wait for its end. */
export declare const deadlineOf: (timeoutMs: number, cancelled: AbortSignal | undefined) => Deadline;
