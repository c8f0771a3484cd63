import { hash } from "node:crypto"

/** Length of a digest, in hexadecimal digits: eight bytes. */
const DIGEST_DIGITS = 16

/** The first eight bytes of the SHA-256 of a text, as 16 hexadecimal digits: enough to detect a change. */
export const digestOf = (text: string): string => hash("sha256", text, "hex").slice(0, DIGEST_DIGITS)

/** The digest before the first event. */
export const FIRST_DIGEST = "0".repeat(DIGEST_DIGITS)

/** Digits of a digest that are kept for each event: four bytes. */
const KEPT_DIGITS = 8

/**
 * The part of an event's digest that is kept. Digests roll: from the first event at which two builds differ, all later ones
 * differ, so four bytes suffice to find the first. Whether they differ is decided by the whole digest of the last event.
 */
export const keptDigits = (digest: string): string => digest.slice(0, KEPT_DIGITS)

/** Packs the kept digits of digests as base64. */
export const packDigests = (digests: ReadonlyArray<string>): string =>
  Buffer.from(digests.map(keptDigits).join(""), "hex").toString("base64")

/** The kept digits of packed digests. */
export const unpackDigests = (packed: string): ReadonlyArray<string> => {
  const digits = Buffer.from(packed, "base64").toString("hex")
  return Array.from({ length: digits.length / KEPT_DIGITS }, (_, index) =>
    digits.slice(index * KEPT_DIGITS, (index + 1) * KEPT_DIGITS),
  )
}

/** A JSON value as text, and the digest of that text. */
interface Rendered {
  readonly text: string
  readonly digest: string
}

const known = new WeakMap<object, Rendered>()

/** The JSON text of a value. Throws if the value has none. */
export const jsonText = (value: unknown): string => {
  const text: string | undefined = JSON.stringify(value)
  if (text === undefined) throw new TypeError("a value without a JSON form")
  return text
}

const render = (value: unknown): Rendered => {
  const text = jsonText(value)
  return { text, digest: digestOf(text) }
}

/**
 * The JSON text of a value and its digest. An object is rendered once, for as long as it is referenced: bodies are large,
 * and both the search for a change and the commit need the text. Objects must not change afterwards. Throws if the value
 * has no JSON form.
 */
export const rendered = (value: unknown): Rendered => {
  if (typeof value !== "object" || value === null) return render(value)
  const before = known.get(value)
  if (before !== undefined) return before
  const now = render(value)
  known.set(value, now)
  return now
}
