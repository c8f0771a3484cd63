import * as Schema from "effect/Schema"
import { endpoint } from "../contract/endpoint.ts"
import { shared } from "../contract/responses.ts"
import { Instant } from "../event.ts"

/** The credits of a token. */
export const paymentBalance = endpoint({
  path: "/api/payment/balance",
  name: "payment_balance",
  kind: "command",
  method: "GET",
  tier: "payment",
  counted: "payments",
  summary: "Credits of a token",
  description: "Costs no credits.",
  bearer: "required",
  parameters: {},
  data: Schema.Struct({
    credits: Schema.Natural.annotate({ description: "Credits that can be spent" }),
    issued_at: Instant.annotate({ description: "When this token was issued" }),
    shortfall: Schema.Natural.annotate({
      description: "Credits of a payment that left the chain after they were spent; new credits fill it first",
    }),
  }),
  responses: { 401: shared.Unauthorized, 503: shared.BillingUnavailable },
  example: { credits: 47, issued_at: "2026-08-17T20:36:10.000Z", shortfall: 0 },
})
