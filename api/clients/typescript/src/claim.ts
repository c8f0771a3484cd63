/** Bytes as `0x` and hex digits. */
export type Hex = `0x${string}`

/** The transaction and the memo of a purchase: together they claim its credits. Secret; store it before confirming. */
export interface Claim {
  readonly transactionHash: Hex
  readonly memo: string
}

/**
 * The transaction and the claim key of a payment that its payer's signature claims: the credits go to the holder of the key, so
 * that the signature is of no use without it. Secret; store it before signing.
 */
export interface SignedClaim {
  readonly transactionHash: Hex
  readonly claimKey: string
}

const KEY_BYTES = 32

/** A new claim key, drawn at random. */
export const newClaimKey = (): string => {
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES))
  return `tw_claim_${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`
}
