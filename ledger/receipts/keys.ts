import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto"
import { calculateJwkThumbprint, type JWK } from "jose"
import { RECEIPT_ALG } from "./format.ts"

/** The keys of receipts, all Ed25519. */
export interface ReceiptKeys {
  /** The private key that signs. */
  readonly signing: KeyObject
  /** Public keys that are published, that of `signing` among them: receipts of all of them are verified. */
  readonly verifying: ReadonlyArray<KeyObject>
}

/** A public key as it is published. */
export interface PublicJwk {
  readonly kty: "OKP"
  readonly crv: "Ed25519"
  /** 32 bytes, base64url. */
  readonly x: string
  /** The RFC 7638 thumbprint. */
  readonly kid: string
  readonly use: "sig"
  readonly alg: typeof RECEIPT_ALG
}

/** A JSON Web Key Set of public keys. */
export interface PublicJwks {
  readonly keys: ReadonlyArray<PublicJwk>
}

const SEED = /^[A-Za-z0-9_-]{43}$/u
/** What stands before the 32 bytes of an Ed25519 private key in its PKCS #8 form (RFC 8410). */
const PKCS8_PREFIX = Buffer.from("302e020100300506032b657004220420", "hex")

/**
 * Reads a key: the 32 bytes of a private one as base64url, or PEM (private in PKCS #8, or public, of a key that signs no
 * more). Null when the text is none of these, or a key of another kind; the text stands in no error.
 */
export const readReceiptKey = (text: string): KeyObject | null => {
  const trimmed = text.trim()
  try {
    if (SEED.test(trimmed)) {
      const key = Buffer.concat([PKCS8_PREFIX, Buffer.from(trimmed, "base64url")])
      return createPrivateKey({ key, format: "der", type: "pkcs8" })
    }
    const key = trimmed.includes("PRIVATE KEY-----") ? createPrivateKey(trimmed) : createPublicKey(trimmed)
    return key.asymmetricKeyType === "ed25519" ? key : null
  } catch {
    return null
  }
}

/** Makes a new private key, as PEM. */
export const newReceiptKey = (): string =>
  generateKeyPairSync("ed25519").privateKey.export({ format: "pem", type: "pkcs8" }).toString()

/** The keys of an installation: the first signs, all are verified, each once. Null when the first is not a private one. */
export const receiptKeysOf = (keys: ReadonlyArray<KeyObject>): ReceiptKeys | null => {
  const [signing] = keys
  if (signing?.type !== "private") return null
  const all = keys.map((key) => (key.type === "private" ? createPublicKey(key) : key))
  return { signing, verifying: all.filter((key, at) => all.findIndex((other) => other.equals(key)) === at) }
}

/** A public Ed25519 key, or the public half of a private one, as it is published. */
export const publicJwkOf = async (key: KeyObject): Promise<PublicJwk> => {
  const { x }: JWK = (key.type === "private" ? createPublicKey(key) : key).export({ format: "jwk" })
  if (key.asymmetricKeyType !== "ed25519" || x === undefined) throw new TypeError("receipts are signed with Ed25519")
  const kid = await calculateJwkThumbprint({ kty: "OKP", crv: "Ed25519", x })
  return { kty: "OKP", crv: "Ed25519", x, kid, use: "sig", alg: RECEIPT_ALG }
}
