/** The facts in the text that a payer signs to claim a payment. */
export interface ProofFacts {
  /** Public host of this service, so that the signature is void at any other. */
  readonly host: string
  readonly chainId: number
  readonly wallet: string
  /** 0x and 64 lower-case hex digits. */
  readonly transaction: string
  /** keccak-256 of the memo; null without one. */
  readonly memoHash: string | null
}

/**
 * The sentence that a payer signs (EIP-191). It limits what a signature is good for: a later observer can only claim the same
 * payment at this service, for the same memo.
 */
export const textToSign = ({ host, chainId, wallet, transaction, memoHash }: ProofFacts): string =>
  `I claim the credits at ${host} for what I paid on chain ${chainId} to wallet ${wallet} in transaction ${transaction} with ${memoHash === null ? "no memo" : `memo hash ${memoHash}`}.`
