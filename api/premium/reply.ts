import * as Effect from "effect/Effect"
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
import { problem } from "../http/problems.ts"
import type { PremiumContent } from "./offer.ts"
import { type BodyMembers, OPEN, type PreparedBody, prepareBody } from "./reply-bytes.ts"

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

/** The kind of a fault of the service. `unavailable`: a retry may succeed. */
export type FailureKind = "unavailable" | "broken"

/** Writes replies of one endpoint, each with its billing and its signed receipt. */
export interface ReplyWriter {
  readonly served: (request: string, content: PremiumContent, price: CallPrice) => Effect.Effect<PremiumReply>
  readonly failed: (request: string, failure: FailureKind, price: CallPrice) => Effect.Effect<PremiumReply>
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
const PREPARED_BYTES_MAX = 64 * 1024

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
    if (body.bytes <= PREPARED_BYTES_MAX) prepared.set(of, body)
    return body
  }
  const sealed = (request: string, prepared: PreparedBody, price: CallPrice) => {
    const body = prepared.fill({ billing: JSON.stringify(billingOf(price)) })
    const signed = Effect.promise(() =>
      receipts.sign({
        endpoint: endpoint.path,
        requestHash: request,
        responseHash: body.hash,
        credits: price.charged,
        reason: price.reason,
        atMs: nowMs(),
        entry: price.entry,
      }),
    )
    return { body, signed }
  }

  return {
    served: (request, content, price) =>
      Effect.suspend(() => {
        const { generatedAt, meta } = content
        const values = { refreshedAt: generatedAt, meta }
        const prepared = bodyOf(content, content.isReused, () => membersOf("premium", endpoint, content, values))
        const { body, signed } = sealed(request, prepared, price)
        return Effect.map(signed, (receipt) => ({
          status: 200,
          body: body.with(receipt),
          receiptId: receipt.id,
          price,
          meta,
        }))
      }),
    failed: (request, failure, price) =>
      Effect.suspend(() => {
        const { status, body: words } = failures[failure]
        const failed = { data: words, isReused: true }
        const prepared = bodyOf(words, true, () =>
          membersOf("failure", endpoint, failed, { refreshedAt: null, meta: null }),
        )
        const { body, signed } = sealed(request, prepared, price)
        const unsigned = { status, body: body.with(null), receiptId: null, price, meta: null }
        return signed.pipe(
          Effect.map((receipt) => ({ ...unsigned, body: body.with(receipt), receiptId: receipt.id })),
          Effect.catchCause(() => Effect.succeed(unsigned)),
        )
      }),
  }
}
