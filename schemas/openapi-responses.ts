import type { Schema } from "effect"
import { defaultParameters } from "./catalog.ts"
import type { Endpoint } from "./endpoint.ts"
import type { Json } from "./json.ts"
import { AlreadyCredited, PayerProofRequired, PaymentPending, PurchaseRecord } from "./payment.ts"
import { PremiumFailure, PremiumPaymentRequired } from "./refusal.ts"
import { BillingFacts, Problem, ReceiptMember } from "./reply.ts"

// The responses of the OpenAPI document beside the data itself: what is refused, what has to wait, and all headers.

export type JsonObject = { readonly [key: string]: Json }

/** Points to a schema of the document. */
export const component = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` })
const header = (name: string): JsonObject => ({ $ref: `#/components/headers/${name}` })
const response = (name: string): JsonObject => ({ $ref: `#/components/responses/${name}` })

/** Schemas that responses point to, beside those of the replies. */
export const responseSchemas: ReadonlyArray<Schema.Top> = [
  Problem,
  BillingFacts,
  ReceiptMember,
  PremiumPaymentRequired,
  PremiumFailure,
  AlreadyCredited,
  PayerProofRequired,
  PaymentPending,
  PurchaseRecord,
]

const text = { type: "string" }
const count = { type: "integer", minimum: 0 }
const rateHeaders = ["RateLimit", "RateLimit-Policy"]
const cacheHeaders = ["Cache-Control", "ETag", "Last-Modified", "Vary"]
const viewHeaders = ["X-Service-As-Of", "X-Service-Stale"]
const costHeaders = ["X-Credits-Charged", "X-Credits-Remaining", "X-Service-Receipt-Id"]

/** Every header that a reply may bring. */
export const headers: JsonObject = {
  Allow: { description: "Methods that the path takes", schema: text },
  "Cache-Control": { description: "For how long the reply may be reused", schema: text },
  ETag: { description: "Strong entity tag of these bytes in this coding", schema: text },
  "Idempotent-Replayed": {
    description: "true: this is the reply that was given before under the same Idempotency-Key, free of charge",
    schema: { type: "string", enum: ["true"] },
  },
  "Last-Modified": { description: "When the bytes last changed", schema: text },
  Vary: { description: "Accept-Encoding: each coding has bytes of its own", schema: text },
  "X-Credits-Charged": {
    description: "Credits that this call has cost; 0 for a reply that is replayed",
    schema: count,
  },
  "X-Credits-Remaining": { description: "Credits of the token after it", schema: count },
  "X-Service-As-Of": { description: "_meta.as_of, where there is one", schema: component("Instant") },
  "X-Service-Pricing": { description: "Address of the page that explains how credits are bought", schema: text },
  "X-Service-Receipt-Id": { description: "Id of the signed receipt of this reply", schema: text },
  "X-Service-Stale": { description: "_meta.stale", schema: { type: "string", enum: ["true", "false"] } },
  "Retry-After": { description: "Seconds after which asking again makes sense", schema: text },
  RateLimit: {
    description:
      "What is left of the daily share, or of the token's minute (structured field); absent where nothing is counted",
    schema: text,
  },
  "RateLimit-Policy": {
    description: "The daily share, or what a token may ask in a minute (structured field); absent with RateLimit",
    schema: text,
  },
  "WWW-Authenticate": { description: "Bearer", schema: text },
}

/** Points to headers by their names. */
const headersOf = (names: ReadonlyArray<string>): JsonObject =>
  Object.fromEntries(names.map((name) => [name, header(name)]))

/** Headers of what was not served, whoever refused it, beside its own. */
const refusedHeaders = (...own: ReadonlyArray<string>): JsonObject =>
  headersOf(["Cache-Control", ...own, ...rateHeaders])

const problemStatuses = {
  400: "A parameter is missing or wrong, or the request is not well-formed",
  404: "There is nothing at this path",
  405: "The path takes other methods: see Allow",
  408: "The request did not arrive in time",
  413: "The body is too large",
  414: "The address is too long",
  415: "The body is not JSON",
  429: "The client's share is used up: see Retry-After",
  431: "The headers are too large",
  500: "Something went wrong here",
} as const

const ofEveryPath = ["400", "405", "408", "414", "429", "431", "500"]
const ofBodies = ["413", "415"]

const problemHeaders: Readonly<Record<string, ReadonlyArray<string>>> = { 405: ["Allow"], 429: ["Retry-After"] }

const inProblem = (schema: JsonObject): JsonObject => ({ "application/problem+json": { schema } })

/** Every response that several paths share. */
export const sharedResponses: JsonObject = {
  ...Object.fromEntries(
    Object.entries(problemStatuses).map(([status, description]) => [
      `Problem${status}`,
      {
        description,
        headers: refusedHeaders(...(problemHeaders[status] ?? [])),
        content: inProblem(component("Problem")),
      },
    ]),
  ),
  Unauthorized: {
    description: "There is no token, or not a good one: missing_token, invalid_token, expired",
    headers: refusedHeaders("WWW-Authenticate", "X-Service-Pricing"),
    content: inProblem(component("PremiumPaymentRequired")),
  },
  PaymentRequired: {
    description: "The call has to be paid for: missing_token, invalid_token, expired, insufficient_credits",
    headers: refusedHeaders("X-Service-Pricing"),
    content: inProblem(component("PremiumPaymentRequired")),
  },
  BillingUnavailable: {
    description: "Billing cannot be reached now: billing_unavailable. Nothing was charged",
    headers: refusedHeaders("Retry-After", "X-Service-Pricing"),
    content: inProblem(component("PremiumPaymentRequired")),
  },
}

const ofPremium: JsonObject = {
  "402": response("PaymentRequired"),
  "409": {
    description: "The first request under this Idempotency-Key is not answered yet",
    headers: refusedHeaders("Retry-After"),
    content: inProblem(component("Problem")),
  },
  "422": {
    description: "The Idempotency-Key was sent with another request, or its reply is not kept",
    headers: refusedHeaders(),
    content: inProblem(component("Problem")),
  },
  "429": {
    description:
      "The share of the client or of its token is used up (rate_limited), or too many calls of the account have ended free of charge today, which only concerns calls that may do so (free_allowance_spent): see Retry-After",
    headers: refusedHeaders("Retry-After"),
    content: inProblem(component("Problem")),
  },
  "500": {
    description: "Something went wrong here. Nothing was charged, and a receipt says so",
    headers: refusedHeaders(...costHeaders),
    content: inProblem(component("PremiumFailure")),
  },
  "503": {
    description:
      "Billing cannot be reached now (billing_unavailable), or the data cannot (history_unavailable, with a receipt). Nothing was charged",
    headers: refusedHeaders("Retry-After", "X-Service-Pricing", ...costHeaders),
    content: inProblem({
      oneOf: [component("PremiumPaymentRequired"), component("PremiumFailure")],
      discriminator: {
        propertyName: "error",
        mapping: {
          billing_unavailable: "#/components/schemas/PremiumPaymentRequired",
          history_unavailable: "#/components/schemas/PremiumFailure",
        },
      },
    }),
  },
}

const ofConfirm: JsonObject = {
  "202": {
    description: "Not mined, or not deep enough in the chain yet: ask again after Retry-After",
    headers: headersOf(["Cache-Control", "Retry-After"]),
    content: { "application/json": { schema: component("PaymentPending") } },
  },
  "401": response("Unauthorized"),
  "402": {
    description:
      "The transaction credits nothing: payment_required with a reason (no_payment, failed_transaction, too_small), or the quote has expired unpaid",
    headers: refusedHeaders("X-Service-Pricing"),
    content: inProblem(component("PremiumPaymentRequired")),
  },
  "404": {
    description: "No block has held this transaction for 30 minutes",
    headers: refusedHeaders(),
    content: inProblem(component("Problem")),
  },
  "409": {
    description:
      "Nothing shows that the payment is yours (payer_proof_required, with the text to sign), or another claimant had it credited first (already_credited, with the way back to it)",
    headers: refusedHeaders(),
    content: inProblem({
      oneOf: [component("PayerProofRequired"), component("AlreadyCredited")],
      discriminator: {
        propertyName: "error",
        mapping: {
          payer_proof_required: "#/components/schemas/PayerProofRequired",
          already_credited: "#/components/schemas/AlreadyCredited",
        },
      },
    }),
  },
}

const ofRevoke: JsonObject = {
  "409": {
    description:
      'Only the operator of this service could bring a token back (confirmation_required): send {"confirm": true}',
    headers: refusedHeaders(),
    content: inProblem(component("Problem")),
  },
}

const needsKeys = new Set(["jwks", "receipt_verify"])

/** Whether the bytes of an endpoint stand ready under an entity tag. Premium replies are nobody else's. */
export const isCached = (endpoint: Endpoint): boolean =>
  endpoint.tier !== "premium" && endpoint.ttlMs(defaultParameters(endpoint)) > 0

/** Whether the replies of an endpoint carry `_meta`. */
export const hasMeta = ({ kind }: Endpoint): boolean => kind !== "service"

/** Whether requests are counted, and replies say what is left. */
const isCounted = ({ name, tier }: Endpoint): boolean => name !== "health" && tier !== "payment"

/** The headers of an endpoint's 200. */
export const servedHeaders = (endpoint: Endpoint): JsonObject =>
  headersOf([
    ...(isCached(endpoint) ? cacheHeaders : ["Cache-Control"]),
    ...(hasMeta(endpoint) ? [...viewHeaders, "Retry-After"] : []),
    ...(endpoint.tier === "premium" ? ["Idempotent-Replayed", "Vary", ...costHeaders] : []),
    ...(isCounted(endpoint) ? rateHeaders : []),
  ])

const notModified = (endpoint: Endpoint): JsonObject => ({
  description: "You hold these bytes already",
  headers: headersOf([...cacheHeaders, ...(hasMeta(endpoint) ? viewHeaders : []), ...rateHeaders]),
})

/** The responses of an endpoint beside its 200. */
export const otherResponses = (endpoint: Endpoint): JsonObject => {
  const { tier, bearer, method, name } = endpoint
  const problems = [...ofEveryPath, ...(method === "POST" ? ofBodies : [])]
  return {
    ...(isCached(endpoint) ? { "304": notModified(endpoint) } : {}),
    ...Object.fromEntries(problems.map((status) => [status, response(`Problem${status}`)])),
    ...(tier === "payment" || needsKeys.has(name) ? { "503": response("BillingUnavailable") } : {}),
    ...(tier === "payment" && bearer === "required" ? { "401": response("Unauthorized") } : {}),
    ...(tier === "premium" ? ofPremium : {}),
    ...(name === "payment_confirm" ? ofConfirm : {}),
    ...(name === "payment_revoke" ? ofRevoke : {}),
  }
}
