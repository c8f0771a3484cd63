import type { Operation } from "../operations.js";
import type { Deadline } from "./deadline.ts";
import { type FailedCall } from "./errors.ts";
import { type Sent } from "./sent.ts";
/** A request, ready to be sent any number of times. */
export interface PreparedRequest {
    readonly url: string;
    readonly init: RequestInit;
    readonly query: Readonly<Record<string, string>>;
}
/** A response whose body was read. */
export interface ReadResponse {
    readonly status: number;
    readonly headers: Headers;
    /** The decoded JSON, a text, or null without a body. */
    readonly body: unknown;
}
/** Makes the request of a call. `token` is sent only where the operation takes one. Throws a `TypeError` for a key or token that no header can hold. */
export declare const prepareRequest: (baseUrl: string, operation: Operation, { parameters, body }: Sent, { token, idempotencyKey }: {
    readonly token: string | undefined;
    readonly idempotencyKey: string | null;
}) => PreparedRequest;
/** Sends a request once, and reads the whole response. */
export declare const attempt: ({ url, init }: PreparedRequest, options: {
    readonly fetch: typeof fetch;
    readonly deadline: Deadline;
    readonly bodyBytesMax: number;
    readonly call: FailedCall;
}) => Promise<ReadResponse>;
