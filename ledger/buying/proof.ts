/** What a payer signs to claim a payment. */
export interface ProofFacts {
  /** Host of this service, so that the signature is of no use to another one. */
  readonly host: string
  readonly chainId: number
  readonly wallet: string
  /** 0x and 64 lower-case hex digits. */
  readonly transaction: string
  /** keccak-256 of the memo; null where the payer shows none. */
  readonly memoHash: string | null
}

/**
 * The one sentence that a payer signs (EIP-191). It names all that the signature is good for: whoever sees it later can
 * only claim the same payment here, for the same memo.
 */
export const textToSign = ({ host, chainId, wallet, transaction, memoHash }: ProofFacts): string =>
  `I claim the credits at ${host} for what I paid on chain ${chainId} to wallet ${wallet} in transaction ${transaction} with ${memoHash === null ? "no memo" : `memo hash ${memoHash}`}.`
