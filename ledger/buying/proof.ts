import { hash } from "node:crypto"
import { keccak_256 } from "@noble/hashes/sha3.js"

/** Random bytes in a memo. */
export const MEMO_BYTES = 16

/**
 * The memo of a quote: `tw_buy_` and 32 hex digits. A bearer secret: it claims the purchase. Throws a `RangeError` unless
 * `randomBytes` has `MEMO_BYTES` bytes.
 */
export const makeMemo = (randomBytes: Uint8Array): string => {
  if (randomBytes.length !== MEMO_BYTES) throw new RangeError(`a memo is made of ${MEMO_BYTES} random bytes`)
  return `tw_buy_${Buffer.from(randomBytes).toString("hex")}`
}

/** The public form of a memo, also on the chain: keccak-256 of its UTF-8 text, `0x` and 64 lower-case hex digits. */
export const memoHashOf = (memo: string): string => `0x${Buffer.from(keccak_256(Buffer.from(memo))).toString("hex")}`

/**
 * The public form of a claim key, which the claimant draws at random (`tw_claim_` and 64 hex digits): SHA-256 of its text, 64 hex
 * digits. The payer signs it, and the credits go to the key's holder.
 */
export const claimKeyHashOf = (claimKey: string): string => hash("sha256", claimKey, "hex")

/**
 * The public form of a bearer token: the SHA-256 of its SHA-256, both as hex. The holder of the token can compare it, and it
 * is not the hash by which the ledger knows the token.
 */
export const bearerFingerprintOf = (tokenHash: string): string => hash("sha256", tokenHash, "hex")

/** Where the credits of a signed claim go. */
type Beneficiary =
  | { readonly by: "bearer"; readonly fingerprint: string }
  | { readonly by: "memo" }
  | { readonly by: "claimKey"; readonly claimKeyHash: string }

/**
 * The beneficiary of a confirm: the account of the bearer token, else the memo's holder, else the holder of the claim key; null
 * if the confirm names none of them.
 */
export const beneficiaryOf = (shown: {
  /** Hash of the bearer token. */
  readonly bearer: string | null
  readonly memoHash: string | null
  readonly claimKeyHash: string | null
}): Beneficiary | null => {
  if (shown.bearer !== null) return { by: "bearer", fingerprint: bearerFingerprintOf(shown.bearer) }
  if (shown.memoHash !== null) return { by: "memo" }
  return shown.claimKeyHash === null ? null : { by: "claimKey", claimKeyHash: shown.claimKeyHash }
}

/** The facts in the text that a payer signs to claim a payment. */
interface ProofFacts {
  /** This service: its public host, or the id of this installation, so that the signature is void at any other. */
  readonly service: string
  readonly chainId: number
  readonly wallet: string
  /** 0x and 64 lower-case hex digits. */
  readonly transaction: string
  /** keccak-256 of the memo; null without one. */
  readonly memoHash: string | null
  readonly beneficiary: Beneficiary
  /** The last day (UTC, ISO) of the signature, at most `SIGNATURE_LIFE_DAYS` after that of the text. */
  readonly until: string
}

const beneficiaryWords = (beneficiary: Beneficiary): string => {
  switch (beneficiary.by) {
    case "bearer":
      return `the account of the bearer token with fingerprint ${beneficiary.fingerprint}`
    case "memo":
      return "the holder of this memo"
    case "claimKey":
      return `the holder of the claim key with SHA-256 ${beneficiary.claimKeyHash}`
  }
}

/**
 * The sentence that a payer signs (EIP-191). It limits what a signature is good for: a reader of it can claim nothing, as the
 * credits go to a token, memo or key that only the claimant can show; and it is void elsewhere, for other payments, and later.
 */
export const textToSign = ({
  service,
  chainId,
  wallet,
  transaction,
  memoHash,
  beneficiary,
  until,
}: ProofFacts): string => {
  const memo = memoHash === null ? "no memo" : `memo hash ${memoHash}`
  return `I claim the credits at ${service} for what I paid on chain ${chainId} to wallet ${wallet} in transaction ${transaction} with ${memo}; the credits go to ${beneficiaryWords(beneficiary)}; this may be used until the end of ${until} (UTC).`
}
