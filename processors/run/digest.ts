import { hash } from "node:crypto"

/** Length of a digest, in hexadecimal digits: eight bytes. */
export const DIGEST_DIGITS = 16

/** The first eight bytes of the SHA-256 of a text, as 16 hexadecimal digits: enough to detect a change. */
export const digestOf = (text: string): string => hash("sha256", text, "hex").slice(0, DIGEST_DIGITS)

/** The digest before the first event. */
export const FIRST_DIGEST = "0".repeat(DIGEST_DIGITS)

/** Packs digests of 16 hexadecimal digits, eight bytes each, as base64. */
export const packDigests = (digests: ReadonlyArray<string>): string =>
  Buffer.from(digests.join(""), "hex").toString("base64")

/** The inverse of `packDigests`. */
export const unpackDigests = (packed: string): ReadonlyArray<string> => {
  const digits = Buffer.from(packed, "base64").toString("hex")
  return Array.from({ length: digits.length / DIGEST_DIGITS }, (_, index) =>
    digits.slice(index * DIGEST_DIGITS, (index + 1) * DIGEST_DIGITS),
  )
}
