import { createHash } from "node:crypto"
import { canonicalJson } from "../../schemas/json.ts"

/** The value of a member that is filled in for each reply. */
export const OPEN = Symbol("open")

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
interface UnsignedBody {
  /** SHA-256 over the RFC 8785 form of the body without its receipt, 64 hex digits. */
  readonly hash: string
  /** The bytes of the whole body. */
  readonly with: (receipt: { readonly id: string; readonly jws: string } | null) => Buffer
}

/** A body whose members are written, but for the open ones. */
export interface PreparedBody {
  /** The size of its written members in bytes. */
  readonly bytes: number
  /** Fills in the open members, by name: their RFC 8785 texts. */
  readonly fill: (open: Readonly<Record<string, string>>) => UnsignedBody
}

/** A member as text; null for an open one. */
type MemberText = readonly [name: string, text: string | null]

/** The bytes before, between and behind the open members, and the names of those. */
interface Gaps {
  readonly fixed: ReadonlyArray<Buffer>
  readonly open: ReadonlyArray<string>
}

const gapsOf = (members: ReadonlyArray<MemberText>): Gaps => {
  const fixed: Array<string> = []
  const open: Array<string> = []
  let written = "{"
  for (const [at, [name, text]] of members.entries()) {
    written += `${at === 0 ? "" : ","}${JSON.stringify(name)}:${text ?? ""}`
    if (text !== null) continue
    fixed.push(written)
    open.push(name)
    written = ""
  }
  return { fixed: [...fixed, `${written}}`].map((text) => Buffer.from(text)), open }
}

const filled = (open: Readonly<Record<string, string>>, name: string): string => {
  const text = open[name]
  if (text === undefined) throw new TypeError(`the open member ${name} is not filled in`)
  return text
}

/**
 * Prepares a body. Each member is encoded as RFC 8785 text once; the bytes and their hash are made of the same texts, so that
 * the sent bytes are the signed ones. What precedes the first open member in canonical order is hashed once.
 */
export const prepareBody = (members: BodyMembers): PreparedBody => {
  const written = members.map(([name, value, shared]): MemberText => {
    if (name === RECEIPT || value === OPEN) return [name, null]
    return [name, shared === true ? sharedTextOf(value) : textOf(value)]
  })
  const sent = gapsOf(written)
  const signed = gapsOf(written.filter(([name]) => name !== RECEIPT).sort(([a], [b]) => (a < b ? -1 : 1)))
  const [first = Buffer.alloc(0), ...behind] = signed.fixed
  const begun = createHash("sha256").update(first)
  return {
    bytes: sent.fixed.reduce((sum, { length }) => sum + length, 0),
    fill: (open) => {
      const hash = begun.copy()
      for (const [at, bytes] of behind.entries()) hash.update(filled(open, signed.open[at] ?? "")).update(bytes)
      return {
        hash: hash.digest("hex"),
        with: (receipt) => {
          const texts = { ...open, [RECEIPT]: JSON.stringify(receipt) }
          const [head = Buffer.alloc(0), ...rest] = sent.fixed
          return Buffer.concat([
            head,
            ...rest.flatMap((bytes, at) => [Buffer.from(filled(texts, sent.open[at] ?? "")), bytes]),
          ])
        },
      }
    },
  }
}
