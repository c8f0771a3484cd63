import { createCipheriv, createDecipheriv, hkdfSync } from "node:crypto"

// Encryption of texts between two processes that are worth credits to any reader: a memo, a signature. Pure: the caller
// passes the random bytes.

/** Random bytes of each sealed text; never reused with a secret. */
export const SEAL_RANDOM_BYTES = 12
const TAG_BYTES = 16
const CIPHER = "aes-256-gcm"

const keyOf = (secret: string, purpose: string): Uint8Array =>
  new Uint8Array(hkdfSync("sha256", secret, "", `tidewire/sealed/v1/${purpose}`, 32))

/** Encrypts a text (AES-256-GCM, under a key that is derived from the secret for this purpose). Base64url. */
export const sealText = (secret: string, purpose: string, text: string, random: Uint8Array): string => {
  const cipher = createCipheriv(CIPHER, keyOf(secret, purpose), random)
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()])
  return Buffer.concat([random, sealed, cipher.getAuthTag()]).toString("base64url")
}

const openWith = (secret: string, purpose: string, bytes: Buffer): string | null => {
  const decipher = createDecipheriv(CIPHER, keyOf(secret, purpose), bytes.subarray(0, SEAL_RANDOM_BYTES), {
    authTagLength: TAG_BYTES,
  })
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
  try {
    const text = decipher.update(bytes.subarray(SEAL_RANDOM_BYTES, -TAG_BYTES))
    return Buffer.concat([text, decipher.final()]).toString("utf8")
  } catch {
    return null
  }
}

/** Decrypts a text that one of the secrets sealed for this purpose; null if none did. */
export const openSealedText = (secrets: ReadonlyArray<string>, purpose: string, sealed: string): string | null => {
  const bytes = Buffer.from(sealed, "base64url")
  if (bytes.length < SEAL_RANDOM_BYTES + TAG_BYTES) return null
  for (const secret of secrets) {
    const text = openWith(secret, purpose, bytes)
    if (text !== null) return text
  }
  return null
}
