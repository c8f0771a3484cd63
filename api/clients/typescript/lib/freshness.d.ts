import type { FailedCall } from "./errors.ts";
/** Throws a `StaleDataError` for data that is older than `maxAgeMs`, or of unknown age. */
export declare const refuseStale: (headers: Headers, body: unknown, maxAgeMs: number | undefined, call: FailedCall) => void;
