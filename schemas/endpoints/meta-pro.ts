import * as Schema from "effect/Schema"
import { endpoint } from "../contract/endpoint.ts"
import { PREMIUM_SOURCE } from "../contract/reply.ts"

const PremiumEntry = Schema.Struct({
  path: Schema.NonEmptyString,
  name: Schema.NonEmptyString,
  summary: Schema.String,
  credits: Schema.Natural.annotate({ description: "Credits a call costs" }),
  price_usd: Schema.Finite.annotate({ description: "The same in dollars" }),
  parameters: Schema.Array(Schema.NonEmptyString).annotate({ description: "Names; the catalog describes them" }),
  no_charge: Schema.Array(Schema.NonEmptyString).annotate({
    description: "Reasons for which a call is free of charge; `no_charge` of the document describes them",
  }),
  withheld_feeds: Schema.Array(Schema.NonEmptyString).annotate({
    description: "Feeds whose data is left out here, as the terms of a source forbid selling it",
  }),
})

/** The premium part of the contract on one page for programs. */
export const metaProEndpoint = endpoint({
  path: "/api/meta/pro",
  name: "meta_pro",
  kind: "document",
  tier: "service",
  ttl: "1 hour",
  summary: "Premium endpoints with prices and the reasons for no charge",
  description: "What is paid for with credits, what that costs, how credits are bought, and the limits of a token.",
  parameters: {},
  data: Schema.Struct({
    source: Schema.Literal(PREMIUM_SOURCE),
    contract_version: Schema.NonEmptyString,
    credits_per_usd: Schema.Natural,
    purchase_usd_min: Schema.Finite.annotate({ description: "The smallest purchase in dollars" }),
    purchase_usd_max: Schema.Finite.annotate({ description: "The largest quote in dollars" }),
    sold_here: Schema.Boolean.annotate({ description: "Whether credits can be bought from this installation" }),
    token_requests_per_minute: Schema.Natural.annotate({
      description: "Premium calls a minute of one account, whichever of its tokens they are made with",
    }),
    free_ends_per_day: Schema.Natural.annotate({
      description:
        "Calls of an account in a day (UTC) that may end free of charge through its callers (client_gone, empty_range)",
    }),
    tokens_per_day: Schema.Natural.annotate({
      description: "New tokens that an account is issued in a day (UTC), as after a revoke",
    }),
    signup: Schema.NonEmptyString.annotate({ description: "Address of the page that explains how credits are bought" }),
    payment_endpoints: Schema.Array(
      Schema.Struct({
        method: Schema.Literals(["GET", "POST"]),
        path: Schema.NonEmptyString,
        summary: Schema.String,
      }),
    ),
    no_charge: Schema.Record(Schema.String, Schema.String).annotate({ description: "What each reason means" }),
    endpoints: Schema.Array(PremiumEntry),
  }),
  example: {
    source: PREMIUM_SOURCE,
    contract_version: "1.15.0",
    credits_per_usd: 50,
    purchase_usd_min: 1,
    purchase_usd_max: 10_000,
    sold_here: true,
    token_requests_per_minute: 600,
    free_ends_per_day: 100,
    tokens_per_day: 10,
    signup: "/developers/agent-payments",
    payment_endpoints: [{ method: "POST", path: "/api/payment/buy-credits", summary: "A quote for credits" }],
    no_charge: { warming: "No requested part has data yet" },
    endpoints: [
      {
        path: "/api/pro/macro",
        name: "pro_macro",
        summary: "Economic series, exchange rates and commodities",
        credits: 2,
        price_usd: 0.04,
        parameters: ["history"],
        no_charge: ["warming"],
        withheld_feeds: [],
      },
    ],
  },
})
