import * as Schema from "effect/Schema"
import { BillingFacts, PREMIUM_SOURCE, Problem, ReceiptMember } from "./reply.ts"

/** The page that explains how credits are bought: `signup` of a refusal. */
export const SIGNUP_PATH = "/developers/agent-payments"
/** Credits that one dollar buys. */
export const CREDITS_PER_USD = 50

/** The price of a number of credits in dollars, with cents. */
export const usdOfCredits = (credits: number): string => (credits / CREDITS_PER_USD).toFixed(2)

/**
 * Calls of an account that may end free of charge in a UTC day through acts of its callers. Each of them appends two
 * permanent entries to the ledger.
 */
export const FREE_ENDS_PER_DAY = 100

/** New tokens that an account may be issued in a UTC day. Each of them, and its revocation, is a permanent entry. */
export const TOKENS_PER_DAY = 10

/** Why a call that needs a token, credits or a payment is refused. */
export const RefusalError = Schema.Literals([
  "missing_token",
  "invalid_token",
  "insufficient_credits",
  "expired",
  "billing_unavailable",
  "payment_required",
])
export type RefusalError = typeof RefusalError.Type

/** The body of a refused call: problem details with the terms of buying credits. */
export const PremiumPaymentRequired = Schema.Struct({
  ...Problem.fields,
  error: RefusalError,
  reason: Schema.optionalKey(
    Schema.NonEmptyString.annotate({ description: "The exact cause, where `error` has several; for programs" }),
  ),
  signup: Schema.NonEmptyString.annotate({ description: "Address of the page that explains how credits are bought" }),
  pricing: Schema.Record(Schema.String, Schema.String).annotate({
    description: "Credits by price key: those that one dollar buys (`1_usd`), and those of a call by its path",
  }),
}).annotate({ identifier: "PremiumPaymentRequired" })
export type PremiumPaymentRequired = typeof PremiumPaymentRequired.Type

/** The body of a premium call that fails by a fault of the service: problem details with a receipt over no charge. */
export const PremiumFailure = Schema.Struct({
  ...Problem.fields,
  source: Schema.optionalKey(Schema.Literal(PREMIUM_SOURCE)),
  endpoint: Schema.optionalKey(Schema.NonEmptyString),
  billing: Schema.optionalKey(BillingFacts),
  receipt: Schema.optionalKey(Schema.NullOr(ReceiptMember).annotate({ description: "Null where signing failed too" })),
}).annotate({ identifier: "PremiumFailure" })
export type PremiumFailure = typeof PremiumFailure.Type

/** The terms of buying credits, as every refusal publishes them. */
export interface BuyingTerms {
  readonly signup: string
  readonly pricing: Readonly<Record<string, string>>
}

/** The members of an endpoint that `buyingTermsOf` reads. */
interface PricedEndpoint {
  readonly path: string
  readonly tier: string
  readonly credits?: number
}

const inWords = (credits: number): string => `${credits} credit${credits === 1 ? "" : "s"}`

/** The terms of a contract. `baseUrl` is the public address without a trailing slash; null: links are relative. */
export const buyingTermsOf = (endpoints: ReadonlyArray<PricedEndpoint>, baseUrl: string | null): BuyingTerms => ({
  signup: `${baseUrl ?? ""}${SIGNUP_PATH}`,
  pricing: Object.fromEntries([
    ["1_usd", inWords(CREDITS_PER_USD)],
    ...endpoints
      .filter(({ tier }) => tier === "premium")
      .map(({ path, credits = 0 }): [string, string] => [path, inWords(credits)]),
  ]),
})
