import * as Schema from "effect/Schema"
import { endpoint } from "../contract/endpoint.ts"
import { PurchaseRecord } from "../contract/payment.ts"
import { shared } from "../contract/responses.ts"

/** Purchases in one reply. */
export const HISTORY_PURCHASES_MAX = 1_000

/** The purchases of a token. */
export const paymentHistory = endpoint({
  path: "/api/payment/history",
  name: "payment_history",
  kind: "command",
  method: "GET",
  tier: "payment",
  counted: "payments",
  summary: "Purchases of a token",
  description: `Newest first, the newest ${HISTORY_PURCHASES_MAX} of them; \`totals\` are over all. Costs no credits.`,
  bearer: "required",
  parameters: {},
  data: Schema.Struct({
    purchases: Schema.Array(PurchaseRecord),
    current_balance: Schema.Natural,
    totals: Schema.Struct({
      total_purchased_usd: Schema.Finite.annotate({ description: "Dollars of all purchases that were not reversed" }),
      total_credits_added: Schema.Int.annotate({ description: "By purchases and grants, less what was reversed" }),
      total_credits_spent: Schema.Natural,
      purchase_count: Schema.Natural.annotate({ description: "Purchases that were not reversed" }),
    }),
  }),
  responses: { 401: shared.Unauthorized, 503: shared.BillingUnavailable },
  example: {
    purchases: [
      {
        tx_hash: "0x9fc76417374aa880d4449a1f7f31ec597f00b1f6f3dd2d66f4c9c6c445836d8b",
        amount_usd: 1.000417,
        credits_added: 50,
        block_number: 34_000_000,
        confirmed_at: "2026-08-17T20:36:10.000Z",
        status: "final",
      },
    ],
    current_balance: 47,
    totals: { total_purchased_usd: 1.000417, total_credits_added: 50, total_credits_spent: 3, purchase_count: 1 },
  },
})
