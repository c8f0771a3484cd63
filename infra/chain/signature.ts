import { Effect } from "effect"
import {
  encodeDeployData,
  encodeFunctionData,
  erc6492SignatureValidatorAbi,
  erc6492SignatureValidatorByteCode,
  type Hex,
  isErc6492Signature,
  parseAbi,
  parseErc6492Signature,
  recoverMessageAddress,
  serializeErc6492Signature,
} from "viem"
import { decodeData } from "./receipt.ts"
import type { Provider, ProviderFailed } from "./rpc.ts"

/** Wrapped signatures of contract wallets hold their deployment and, with passkeys, a whole signed document. */
const SIGNATURE_BYTES_MAX = 8 * 1024
const SIGNATURE_PATTERN = /^0x(?:[0-9a-f]{2})*$/
const ECDSA_BYTES = 65
const MAGIC = `0x1626ba7e${"0".repeat(56)}`
const NO_CODE = "0x"
const erc1271Abi = parseAbi(["function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)"])
/** The validator answers one byte; a few nodes fill it up to a word. */
const VALID_PATTERN = /^0x0*1$/

/** A signature in lower-case hex, as long as any; null when it is none. */
export const signatureOf = (text: string): Hex | null => {
  if (text.length > 2 + 2 * SIGNATURE_BYTES_MAX) return null
  const signature = text.toLowerCase()
  return SIGNATURE_PATTERN.test(signature) ? (signature as Hex) : null
}

const bytesOf = (hex: Hex): number => (hex.length - 2) / 2

/**
 * Who signed a text (EIP-191) with a plain key, in lower case; null when nobody did. A signature can be turned into
 * another one of the same signer by anybody (its "high s" form): nothing may hang on which of the two was shown.
 */
export const recoveredFrom = (text: string, signature: Hex): Effect.Effect<string | null> =>
  bytesOf(signature) === ECDSA_BYTES
    ? Effect.tryPromise(() => recoverMessageAddress({ message: text, signature })).pipe(
        Effect.map((address) => address.toLowerCase()),
        Effect.catch(() => Effect.succeed(null)),
      )
    : Effect.succeed(null)

const asHex = (bytes: Uint8Array): Hex => `0x${Buffer.from(bytes).toString("hex")}`

/** What is shown to a contract: a hash and a signature of it. */
export interface SignedHash {
  readonly hash: Hex
  readonly signature: Hex
}

interface Parts {
  /** What deploys the contract (EIP-6492); null when the signature is not wrapped. */
  readonly wrapping: { readonly address: Hex; readonly data: Hex } | null
  readonly inner: Hex
}

/** The parts of a signature; null when it is marked as wrapped and cannot be unwrapped. */
const partsOf = (signature: Hex): Parts | null => {
  if (!isErc6492Signature(signature)) return { wrapping: null, inner: signature }
  try {
    const { address, data, signature: inner } = parseErc6492Signature(signature)
    return address === undefined ? null : { wrapping: { address, data }, inner }
  } catch {
    return null
  }
}

/** A source of random bytes. */
export type Random = (bytes: number) => Uint8Array

/** Random bytes which a contract can read as an ECDSA signature: both halves are in their range, the last byte is 27. */
const randomSignature = (random: Random, bytes: number): Hex => {
  const drawn = Uint8Array.from(random(bytes))
  for (const start of [0, 32]) if (start < bytes) drawn[start] = (drawn[start] ?? 0) & 0x3f
  if (bytes === ECDSA_BYTES) drawn[ECDSA_BYTES - 1] = 27
  return asHex(drawn)
}

/**
 * What nobody has signed, in the shapes of what was shown: other signatures of the same hash, and the same signature of
 * another hash. Whoever accepts one of them would accept anything.
 */
export const unsignedLike = ({ hash, signature }: SignedHash, random: Random): ReadonlyArray<SignedHash> => {
  const parts = partsOf(signature)
  if (parts === null) return []
  const { wrapping, inner } = parts
  const wrapped = (other: Hex): Hex =>
    wrapping === null ? other : serializeErc6492Signature({ ...wrapping, signature: other })
  const lengths = new Set([ECDSA_BYTES, bytesOf(inner)])
  lengths.delete(0)
  return [
    ...[...lengths].map((bytes) => ({ hash, signature: wrapped(randomSignature(random, bytes)) })),
    { hash: asHex(random(32)), signature },
  ]
}

/** Runs a call and reads its answer; a call that reverts answers nothing. */
const answerOf = (provider: Provider, transaction: { readonly to?: Hex; readonly data: Hex }) =>
  provider
    .call("eth_call", [transaction, "latest"], decodeData)
    .pipe(
      Effect.catchTag("ProviderFailed", (failure) =>
        failure.reason === "reverted" ? Effect.succeed(NO_CODE) : Effect.fail(failure),
      ),
    )

const accepts = (
  provider: Provider,
  signer: Hex,
  deployed: boolean,
  { hash, signature }: SignedHash,
): Effect.Effect<boolean, ProviderFailed> => {
  const parts = partsOf(signature)
  if (parts === null) return Effect.succeed(false)
  if (deployed)
    return answerOf(provider, {
      to: signer,
      data: encodeFunctionData({ abi: erc1271Abi, args: [hash, parts.inner] }),
    }).pipe(
      // The whole word is compared: a contract that echoes its input begins with the magic value too.
      Effect.map((answer) => answer.slice(0, MAGIC.length) === MAGIC),
    )
  if (parts.wrapping === null) return Effect.succeed(false)
  return answerOf(provider, {
    data: encodeDeployData({
      abi: erc6492SignatureValidatorAbi,
      bytecode: erc6492SignatureValidatorByteCode,
      args: [signer, hash, signature],
    }),
  }).pipe(Effect.map((answer) => VALID_PATTERN.test(answer)))
}

/**
 * Whether one provider says that the contract at an address has signed: it accepts what is shown (EIP-1271, or EIP-6492
 * where it is not deployed yet) and nothing of `unsigned`. What a wrapped signature would do before it is asked is done
 * only where no contract stands: a deployed one is asked as it is.
 */
export const contractSigned = (
  provider: Provider,
  signer: Hex,
  shown: SignedHash,
  unsigned: ReadonlyArray<SignedHash>,
): Effect.Effect<boolean, ProviderFailed> =>
  Effect.gen(function* () {
    const code = yield* provider.call("eth_getCode", [signer, "latest"], decodeData)
    const deployed = code !== NO_CODE
    if (!(yield* accepts(provider, signer, deployed, shown))) return false
    const accepted = yield* Effect.forEach(unsigned, (one) => accepts(provider, signer, deployed, one), {
      concurrency: "unbounded",
    })
    return !accepted.includes(true)
  })
