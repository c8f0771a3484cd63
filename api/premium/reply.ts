import { createHash } from "node:crypto"
import type { EntryRef, Receipts } from "../../ledger/client.ts"
import type { PremiumEndpoint } from "../../schemas/contract/endpoint-kinds.ts"
import {
  type EnvelopeValues,
  layoutOf,
  MEMBERS_OF_DATA,
  memberValue,
  reservedMembers,
} from "../../schemas/contract/envelope.ts"
import type { BillingFacts, Meta } from "../../schemas/contract/reply.ts"
import { canonicalJson } from "../../schemas/json.ts"
import { problem } from "../http/problems.ts"
import type { PremiumContent } from "./offers.ts"

/** The price of a call: the credits that were charged, or why none were. */
export interface CallPrice {
  readonly charged: number
  readonly remaining: number
  /** Null when it was charged. */
  readonly reason: string | null
  /** The ledger entry of the debit; null when none was charged. */
  readonly entry: EntryRef | null
}

/** A premium reply, ready to be sent. */
export interface PremiumReply {
  readonly status: number
  readonly body: Buffer
  /** Null for a failure whose receipt could not be signed either. */
  readonly receiptId: string | null
  readonly price: CallPrice
  /** Null for a failure, which has no data. */
  readonly meta: Meta | null
}

/** Writes replies of one endpoint, each with its billing and its signed receipt. */
export interface ReplyWriter {
  readonly served: (request: string, content: PremiumContent, price: CallPrice) => Promise<PremiumReply>
  /** The reply to a call that failed; it never rejects. `unavailable`: a retry may succeed. */
  readonly failed: (request: string, failure: keyof typeof failures, price: CallPrice) => Promise<PremiumReply>
}

const failures = {
  unavailable: problem(503, "history_unavailable", "The data cannot be read at the moment. Nothing was charged."),
  broken: problem(500, "internal_error", "The service failed. The fault was logged, and nothing was charged."),
}

/** `billing`. Its members are plain and in the order of RFC 8785, so that its JSON text is the canonical one. */
const billingOf = ({ charged, remaining, reason }: CallPrice): BillingFacts => ({
  credits_charged: charged,
  credits_remaining: remaining,
  ...(reason === null ? {} : { no_charge_reason: reason }),
})

/** The members of a body in the order of its layout; `billing` is open, and those of data that is reused are shared. */
const membersOf = (
  envelope: "premium" | "failure",
  endpoint: PremiumEndpoint,
  { data, isReused }: Pick<PremiumContent, "data" | "isReused">,
  values: EnvelopeValues,
): BodyMembers => {
  const reserved = reservedMembers(envelope)
  return layoutOf(envelope).flatMap((place): BodyMembers => {
    if (place === "data") return []
    if (place === "billing") return [[place, OPEN]]
    if (place !== MEMBERS_OF_DATA) return [[place, memberValue(place, envelope, endpoint, values)]]
    return Object.entries(data).flatMap(([name, value]) =>
      reserved.has(name) ? [] : [[name, value, isReused] as const],
    )
  })
}

/** Larger bodies are prepared for each call, as an endpoint may have a body for each selection of its view. */
const PREPARED_MAX_BYTES = 64 * 1024

/**
 * Makes the writer of an endpoint's replies. `request` is the hash of method, path and query. The body of a content is
 * prepared once: its next reply costs its billing and its receipt.
 */
export const makeReplyWriter = (
  endpoint: PremiumEndpoint,
  receipts: Pick<Receipts, "sign">,
  nowMs: () => number,
): ReplyWriter => {
  const prepared = new WeakMap<object, PreparedBody>()
  const bodyOf = (of: object, isReused: boolean, members: () => BodyMembers): PreparedBody => {
    // Not kept: the values of a WeakMap outlive a content of a single reply until the next major collection.
    if (!isReused) return prepareBody(members())
    const before = prepared.get(of)
    if (before !== undefined) return before
    const body = prepareBody(members())
    if (body.bytes <= PREPARED_MAX_BYTES) prepared.set(of, body)
    return body
  }
  const signed = (requestHash: string, { hash: responseHash }: UnsignedBody, { charged, reason, entry }: CallPrice) =>
    receipts.sign({
      endpoint: endpoint.path,
      requestHash,
      responseHash,
      credits: charged,
      reason,
      atMs: nowMs(),
      entry,
    })
  const unsignedBody = (prepared: PreparedBody, price: CallPrice): UnsignedBody =>
    prepared.fill({ billing: JSON.stringify(billingOf(price)) })

  return {
    served: async (request, content, price) => {
      const { generatedAt, meta } = content
      const prepared = bodyOf(content, content.isReused, () =>
        membersOf("premium", endpoint, content, { refreshedAt: generatedAt, meta }),
      )
      const body = unsignedBody(prepared, price)
      const receipt = await signed(request, body, price)
      return { status: 200, body: body.with(receipt), receiptId: receipt.id, price, meta }
    },
    failed: async (request, failure, price) => {
      const { status, body: words } = failures[failure]
      const prepared = bodyOf(words, true, () =>
        membersOf("failure", endpoint, { data: words, isReused: true }, { refreshedAt: null, meta: null }),
      )
      const body = unsignedBody(prepared, price)
      const receipt = await signed(request, body, price).catch(() => null)
      return { status, body: body.with(receipt), receiptId: receipt?.id ?? null, price, meta: null }
    },
  }
}

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
interface PreparedBody {
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
