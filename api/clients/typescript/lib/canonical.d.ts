/**
 * The canonical text of a JSON value (RFC 8785): sorted members, shortest numbers, no white space. Throws a `TypeError` for
 * a value without one.
 */
export declare const canonicalJson: (value: unknown) => string;
/** SHA-256 over the canonical text, as 64 lower-case hex digits. */
export declare const canonicalSha256: (value: unknown) => Promise<string>;
