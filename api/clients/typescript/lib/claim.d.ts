/** Bytes as `0x` and hex digits. */
export type Hex = `0x${string}`;
/** The transaction and the memo of a purchase: together they claim its credits. Secret; store it before confirming. */
export interface Claim {
    readonly transactionHash: Hex;
    readonly memo: string;
}
/**
 * The transaction and the claim key of a payment that its payer's signature claims: the credits go to the holder of the key, so
 * that the signature is of no use without it. Secret; store it before signing.
 */
export interface SignedClaim {
    readonly transactionHash: Hex;
    readonly claimKey: string;
}
/** A new claim key, drawn at random. */
export declare const newClaimKey: () => string;
