/** A random UUID, also on pages whose origin is not secure, where `randomUUID` is missing. */
export declare const newIdempotencyKey: () => string;
