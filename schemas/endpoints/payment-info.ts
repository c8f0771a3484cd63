import * as Schema from "effect/Schema"
import { endpoint } from "../contract/endpoint.ts"
import { Address } from "../contract/payment.ts"
import { shared } from "../contract/responses.ts"

/** Wallet, chain, prices and rules for buying credits. */
export const paymentInfo = endpoint({
  path: "/api/payment/info",
  name: "payment_info",
  kind: "document",
  tier: "payment",
  counted: "payments",
  ttl: 0,
  summary: "Wallet, chain, prices and rules of buying",
  description: "Everything that a payment needs beside its quote.",
  parameters: {},
  data: Schema.Struct({
    wallet: Address,
    chain: Schema.Struct({ name: Schema.NonEmptyString, chain_id: Schema.Natural }),
    token: Schema.Struct({ symbol: Schema.Literal("USDC"), contract: Address, decimals: Schema.Literal(6) }),
    prices: Schema.Struct({
      credits_per_usd: Schema.Natural,
      minimum_usd: Schema.Natural.annotate({ description: "Less than this in one transaction credits nothing" }),
      maximum_quote_usd: Schema.Natural,
      credits_by_endpoint: Schema.Record(Schema.String, Schema.Natural).annotate({
        description: "Credits of a call, by its path",
      }),
    }),
    confirmation: Schema.Struct({
      up_to_usd: Schema.Natural.annotate({ description: "Amounts up to this need only a few blocks" }),
      blocks: Schema.Natural.annotate({
        description: "Number of blocks, the payment's own included; credited as provisional",
      }),
      above: Schema.Literal("safe").annotate({ description: "Block tag that larger amounts wait for" }),
      final: Schema.Literal("finalized").annotate({ description: "Block tag at which a purchase is final" }),
    }),
    verification: Schema.Struct({
      providers: Schema.NullOr(Schema.Natural).annotate({
        description: "Providers of the chain that verify a payment; null where unknown",
      }),
      agreement: Schema.NullOr(Schema.Natural).annotate({
        description: "How many of them must agree; null where unknown",
      }),
      trusted: Schema.NonEmptyString.annotate({
        description: "The rule by which a payment is accepted, in a sentence",
      }),
    }),
    quote_minutes: Schema.Natural.annotate({ description: "Validity of a quote" }),
    signup: Schema.NonEmptyString.annotate({ description: "Address of the page that explains buying step by step" }),
  }),
  responses: { 503: shared.BillingUnavailable },
  example: {
    wallet: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
    chain: { name: "Base", chain_id: 8453 },
    token: { symbol: "USDC", contract: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", decimals: 6 },
    prices: {
      credits_per_usd: 50,
      minimum_usd: 1,
      maximum_quote_usd: 10_000,
      credits_by_endpoint: { "/api/pro/briefing": 1 },
    },
    confirmation: { up_to_usd: 20, blocks: 5, above: "safe", final: "finalized" },
    verification: {
      providers: 3,
      agreement: 2,
      trusted: "A payment is accepted when 2 of 3 providers of the chain agree.",
    },
    quote_minutes: 30,
    signup: "/developers/agent-payments",
  },
})
