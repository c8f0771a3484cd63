import { hash } from "node:crypto"
import { canonicalJson } from "../../schemas/json.ts"

/**
 * The members of a reply's body in the order in which they are sent; a member `receipt` marks the place of the receipt.
 * `shared` values are immutable and used by several replies, so their texts are cached.
 */
export type BodyMembers = ReadonlyArray<readonly [name: string, value: unknown, shared?: boolean]>

const RECEIPT = "receipt"

/** Texts of shared values. */
const texts = new WeakMap<object, string>()

const wellFormed = (value: unknown): unknown => {
  if (typeof value === "string") return value.toWellFormed()
  if (Array.isArray(value)) return value.map(wellFormed)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name.toWellFormed(), wellFormed(member)]))
}

/** The RFC 8785 text. An unpaired surrogate, which has none, becomes the replacement character. */
const textOf = (value: unknown): string => {
  try {
    return canonicalJson(value)
  } catch (cause) {
    if (JSON.stringify(value) === undefined) throw cause
    return canonicalJson(wellFormed(value))
  }
}

const sharedTextOf = (value: unknown): string => {
  if (typeof value !== "object" || value === null) return textOf(value)
  const existing = texts.get(value)
  if (existing !== undefined) return existing
  const text = textOf(value)
  texts.set(value, text)
  return text
}

/** A body before its receipt is signed. */
export interface UnsignedBody {
  /** SHA-256 over the RFC 8785 form of the body without its receipt, 64 hex digits. */
  readonly hash: string
  /** The bytes of the whole body. */
  readonly with: (receipt: { readonly id: string; readonly jws: string } | null) => Buffer
}

/**
 * Writes a body. Each member is encoded as RFC 8785 text once; the bytes and their hash are made of the same texts, so that
 * the sent bytes are the signed ones.
 */
export const writeBody = (members: BodyMembers): UnsignedBody => {
  const receiptAt = members.findIndex(([name]) => name === RECEIPT)
  const parts = members
    .filter(([name]) => name !== RECEIPT)
    .map(([name, value, shared]) => ({
      name,
      text: `${JSON.stringify(name)}:${shared === true ? sharedTextOf(value) : textOf(value)}`,
    }))
  const sorted = [...parts].sort((a, b) => (a.name < b.name ? -1 : 1))
  return {
    hash: hash("sha256", `{${sorted.map(({ text }) => text).join(",")}}`, "hex"),
    with: (receipt) => {
      const sent = parts.map(({ text }) => text)
      if (receiptAt >= 0) sent.splice(receiptAt, 0, `"${RECEIPT}":${JSON.stringify(receipt)}`)
      return Buffer.from(`{${sent.join(",")}}`)
    },
  }
}
