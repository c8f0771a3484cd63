import * as Schema from "effect/Schema"
import { endpoint } from "../contract/endpoint.ts"
import { Address, AskedUsd, Word } from "../contract/payment.ts"
import { shared } from "../contract/responses.ts"
import { Instant } from "../event.ts"

/** The body of a request for a quote. */
export const BuyCredits = Schema.Struct({ amount_usd: AskedUsd })

/** Issues a quote. */
export const paymentBuyCredits = endpoint({
  path: "/api/payment/buy-credits",
  name: "payment_buy_credits",
  method: "POST",
  kind: "command",
  tier: "payment",
  counted: "payments",
  summary: "A quote for credits",
  description:
    "Pay exactly `quote.amount_units` of USDC to `wallet` from any wallet; the exact amount identifies the quote. Keep `memo` secret: it claims the purchase at confirm. At most 10 quotes a minute and 20 open ones for one client. Members of the body that are not named here are ignored.",
  parameters: {},
  body: { schema: BuyCredits, example: { amount_usd: 1 } },
  data: Schema.Struct({
    wallet: Address.annotate({ description: "Where to pay" }),
    memo: Schema.NonEmptyString.annotate({
      description: "Your secret: send it to confirm as `nonce`, and nowhere else",
    }),
    quote: Schema.Struct({
      amount_usd: Schema.Finite.annotate({
        description:
          "Amount to pay, in dollars: the requested amount plus a fraction of a cent that is unique among open quotes",
      }),
      amount_units: Schema.String.check(Schema.isPattern(/^\d+$/u)).annotate({
        description: "The same in millionths of a dollar, as the token counts",
      }),
      credits: Schema.Natural.annotate({ description: "Credits for that amount" }),
      chain: Schema.NonEmptyString,
      chain_id: Schema.Natural,
      token_contract: Address.annotate({ description: "USDC; payments in other tokens are not detected" }),
      memo_hash: Word.annotate({
        description:
          "keccak-256 of the memo: may be used on the chain, as the nonce of an EIP-3009 authorization or behind the arguments of a plain transfer",
      }),
      proof: Schema.Literals(["amount", "signature"]).annotate({
        description:
          "amount: the exact amount identifies this quote; signature: it does not, so sign as payer at confirm",
      }),
    }),
    expires_at: Instant.annotate({ description: "End of the quote's validity; a later payment is credited too" }),
  }),
  responses: { 503: shared.BillingUnavailable },
  example: {
    wallet: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
    memo: "tw_buy_00112233445566778899aabbccddeeff",
    quote: {
      amount_usd: 1.000417,
      amount_units: "1000417",
      credits: 50,
      chain: "Base",
      chain_id: 8453,
      token_contract: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
      memo_hash: "0x71cd4156568ed3e03b00cd27fc9d413ef842c84be4c8463454488356603073a7",
      proof: "amount",
    },
    expires_at: "2026-08-17T21:05:00.000Z",
  },
})
