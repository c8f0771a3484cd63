/** Bytes as `0x` and hex digits. */
export type Hex = `0x${string}`;
/** The transaction and the memo of a purchase: together they claim its credits. Secret; store it before confirming. */
export interface Claim {
    readonly transactionHash: Hex;
    readonly memo: string;
}
