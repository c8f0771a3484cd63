import * as Effect from "effect/Effect"
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
import type { Provider } from "./rpc.ts"
import type { ProviderFailed } from "./rpc-http.ts"

/** Wrapped signatures of contract wallets contain their deployment and, with passkeys, a whole signed document. */
const SIGNATURE_MAX_BYTES = 8 * 1024
const SIGNATURE_PATTERN = /^0x(?:[0-9a-f]{2})*$/
const ECDSA_BYTES = 65
/** 10,000,000: a wallet with passkeys and its deployment need a tenth, and a node is done with it in a fraction of a second. */
const CALL_GAS_MAX = "0x989680"
const MAGIC = `0x1626ba7e${"0".repeat(56)}`
const NO_CODE = "0x"
const erc1271Abi = parseAbi(["function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)"])
/** The validator returns one byte; a few nodes pad it to a word. */
const VALID_PATTERN = /^0x0*1$/

/** A signature in lower-case hex; null if the text is none or too long. */
export const signatureOf = (text: string): Hex | null => {
  if (text.length > 2 + 2 * SIGNATURE_MAX_BYTES) return null
  const signature = text.toLowerCase()
  return SIGNATURE_PATTERN.test(signature) ? (signature as Hex) : null
}

const bytesOf = (hex: Hex): number => (hex.length - 2) / 2

/**
 * The signer of a text (EIP-191) with a plain key, in lower case; null if it cannot be recovered. Anyone can convert a
 * signature into its "high s" form of the same signer, so nothing may depend on which of the two was sent.
 */
export const recoveredFrom = (text: string, signature: Hex): Effect.Effect<string | null> =>
  bytesOf(signature) === ECDSA_BYTES
    ? Effect.tryPromise(() => recoverMessageAddress({ message: text, signature })).pipe(
        Effect.map((address) => address.toLowerCase()),
        Effect.catch(() => Effect.succeed(null)),
      )
    : Effect.succeed(null)

const asHex = (bytes: Uint8Array): Hex => `0x${Buffer.from(bytes).toString("hex")}`

/** A hash and a signature of it, as a contract checks them. */
export interface SignedHash {
  readonly hash: Hex
  readonly signature: Hex
}

interface Parts {
  /** The deployment of the contract (EIP-6492); null if the signature is not wrapped. */
  readonly wrapping: { readonly address: Hex; readonly data: Hex } | null
  readonly inner: Hex
}

/** The parts of a signature; null if it is marked as wrapped and cannot be unwrapped. */
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

/** Random bytes in the form of an ECDSA signature: both halves are in range, the last byte is 27. */
const randomSignature = (random: Random, bytes: number): Hex => {
  const drawn = Uint8Array.from(random(bytes))
  for (const start of [0, 32]) if (start < bytes) drawn[start] = (drawn[start] ?? 0) & 0x3f
  if (bytes === ECDSA_BYTES) drawn[ECDSA_BYTES - 1] = 27
  return asHex(drawn)
}

/**
 * Invalid signatures in the form of a given one: random signatures of the same hash, and the same signature of a random
 * hash. A contract that accepts one of them accepts anything, so its acceptance proves nothing.
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

/** Runs a call; one that reverts, runs out of gas or answers without end has an empty answer. */
const answerOf = (provider: Provider, transaction: { readonly to?: Hex; readonly data: Hex }) =>
  provider
    .call("eth_call", [{ ...transaction, gas: CALL_GAS_MAX }, "latest"], decodeData, "contract")
    .pipe(
      Effect.catchTag("ProviderFailed", (failure) =>
        failure.reason === "reverted" || failure.reason === "too_large"
          ? Effect.succeed(NO_CODE)
          : Effect.fail(failure),
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
      // The whole word is compared: a contract that echoes its input starts with the magic value too.
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
 * Whether, at one provider, the contract at an address accepts a signature (EIP-1271, or EIP-6492 before its deployment) and
 * none of `unsigned`. The deployment in a wrapped signature is run only if there is no contract yet: a deployed one is
 * called as it is.
 */
export const contractSigned = Effect.fnUntraced(function* (
  provider: Provider,
  signer: Hex,
  shown: SignedHash,
  unsigned: ReadonlyArray<SignedHash>,
): Effect.fn.Return<boolean, ProviderFailed> {
  const code = yield* provider.call("eth_getCode", [signer, "latest"], decodeData, "contract")
  const deployed = code !== NO_CODE
  if (!(yield* accepts(provider, signer, deployed, shown))) return false
  const accepted = yield* Effect.forEach(unsigned, (one) => accepts(provider, signer, deployed, one), {
    concurrency: "unbounded",
  })
  return !accepted.includes(true)
})
