import { Schema } from "effect"
import { endpoint } from "../endpoint.ts"

/** Gives up a token. */
export const paymentRevoke = endpoint({
  path: "/api/payment/revoke",
  name: "payment_revoke",
  method: "POST",
  kind: "service",
  tier: "payment",
  ttl: 0,
  summary: "Revoke a token",
  description:
    "From now on the token is refused. What is left stays with its buyer: a confirm of one of its purchases, with the memo or the payer's signature, gives a new token for it. No body is read. Costs no credits.",
  bearer: "required",
  parameters: {},
  envelope: "none",
  data: Schema.Struct({
    revoked: Schema.Literal(true),
    credits: Schema.Natural.annotate({ description: "Credits that wait for a new token" }),
  }),
  example: { revoked: true, credits: 47 },
})
