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
import type { PremiumContent } from "./content.ts"
import { type BodyMembers, writeBody } from "./reply-bytes.ts"

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

const billingOf = ({ charged, remaining, reason }: CallPrice): BillingFacts => ({
  credits_charged: charged,
  credits_remaining: remaining,
  ...(reason === null ? {} : { no_charge_reason: reason }),
})

/** The members of a body in the order of its layout; those of the data are shared. */
const membersOf = (
  envelope: "premium" | "failure",
  endpoint: PremiumEndpoint,
  data: object,
  values: EnvelopeValues,
): BodyMembers => {
  const reserved = reservedMembers(envelope)
  return layoutOf(envelope).flatMap((place): BodyMembers => {
    if (place === "data") return []
    if (place !== MEMBERS_OF_DATA) return [[place, memberValue(place, envelope, endpoint, values)]]
    return Object.entries(data).flatMap(([name, value]) => (reserved.has(name) ? [] : [[name, value, true] as const]))
  })
}

/** Makes the writer of an endpoint's replies. `request` is the hash of method, path and query. */
export const makeReplyWriter = (
  endpoint: PremiumEndpoint,
  receipts: Pick<Receipts, "sign">,
  nowMs: () => number,
): ReplyWriter => {
  const sealed = (request: string, members: BodyMembers, { charged, reason, entry }: CallPrice) => {
    const body = writeBody(members)
    const signed = Effect.promise(() =>
      receipts.sign({
        endpoint: endpoint.path,
        requestHash: request,
        responseHash: body.hash,
        credits: charged,
        reason,
        atMs: nowMs(),
        entry,
      }),
    )
    return { body, signed }
  }

  return {
    served: (request, { data, generatedAt, meta }, price) =>
      Effect.suspend(() => {
        const values = { refreshedAt: generatedAt, meta, billing: billingOf(price) }
        const members = membersOf("premium", endpoint, data, values)
        const { body, signed } = sealed(request, members, price)
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
        const values = { refreshedAt: null, meta: null, billing: billingOf(price) }
        const members = membersOf("failure", endpoint, words, values)
        const { body, signed } = sealed(request, members, price)
        const unsigned = { status, body: body.with(null), receiptId: null, price, meta: null }
        return signed.pipe(
          Effect.map((receipt) => ({ ...unsigned, body: body.with(receipt), receiptId: receipt.id })),
          Effect.catchCause(() => Effect.succeed(unsigned)),
        )
      }),
  }
}
