/** Bytes as `0x` and hex digits. */
export type Hex = `0x${string}`

/** What claims a purchase: whoever has both gets its credits. Store it before the payment is confirmed. */
export interface Claim {
  readonly transactionHash: Hex
  readonly memo: string
}
