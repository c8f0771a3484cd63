/** A JSON Web Key Set, as `/.well-known/jwks.json` serves it. Keys of other kinds are passed over. */
export interface KeySet {
    readonly keys: ReadonlyArray<Readonly<Record<string, unknown>>>;
}
/** The request that a reply belongs to; its parameters as the texts that were sent. */
export interface ReceiptRequest {
    readonly method: string;
    readonly path: string;
    readonly query: Readonly<Record<string, string>>;
}
/**
 * Why a receipt is not valid. `malformed`: it is no receipt; `unknown_key`: the key set lacks its key; `wrong_signature`: it
 * was changed or forged; `body_differs`: the reply is not the signed one; `id_differs`: the reply names another receipt;
 * `request_differs`: it was signed for another request.
 */
export type ReceiptProblem = "malformed" | "unknown_key" | "wrong_signature" | "body_differs" | "id_differs" | "request_differs";
/** The members of a receipt's payload, in the words of the wire. */
export interface ReceiptPayload {
    readonly v: 1;
    /** Public address of the service that signed. */
    readonly iss: string;
    /** Id of the receipt. */
    readonly jti: string;
    readonly time: string;
    readonly endpoint: string;
    readonly request_sha256: string;
    readonly response_sha256: string;
    readonly credits: number;
    /** Why nothing was charged; null where it was. */
    readonly reason: string | null;
    /** The ledger entry of the charge, by its place in the account; null where nothing was charged. */
    readonly ledger: {
        readonly account_sequence: number;
        readonly entry_sha256: string;
    } | null;
}
/** The result of a verification. */
export type ReceiptVerdict = {
    readonly valid: true;
    readonly problem: null;
    readonly payload: ReceiptPayload;
} | {
    readonly valid: false;
    readonly problem: ReceiptProblem;
    readonly payload: null;
};
/**
 * Verifies a premium reply and its receipt offline: the signature, that the reply is the signed one, and, where `request` is
 * given, that it was signed for that request. Pin `keys`, or fetch them over https from the service itself.
 */
export declare const verifyReceipt: (options: {
    readonly reply: unknown;
    readonly keys: KeySet;
    readonly request?: ReceiptRequest | undefined;
}) => Promise<ReceiptVerdict>;
