import * as Schema from "effect/Schema"
import { endpoint } from "../contract/endpoint.ts"
import { Word } from "../contract/payment.ts"
import { problemResponse, shared } from "../contract/responses.ts"

/** The optional body of a revoke. */
export const RevokeToken = Schema.Struct({
  confirm: Schema.optionalKey(
    Schema.Boolean.annotate({
      description: "true: revoke also where only the operator of this service can issue a new token",
    }),
  ),
})

/** Revokes a token. */
export const paymentRevoke = endpoint({
  path: "/api/payment/revoke",
  name: "payment_revoke",
  method: "POST",
  kind: "command",
  tier: "payment",
  counted: "payments",
  summary: "Revoke a token",
  description:
    'The token is refused from now on. The remaining credits stay with its account, and the reply names the proof that issues a new token: a confirm with the memo of a purchase, or with the signature of a payer and its claim key. Where only the operator of this service can issue one, as for granted credits, the reply is 409 confirmation_required until the body is `{"confirm": true}`. Costs no credits.',
  bearer: "required",
  parameters: {},
  body: { schema: RevokeToken, example: { confirm: true }, optional: true },
  data: Schema.Struct({
    revoked: Schema.Literal(true),
    credits: Schema.Natural.annotate({ description: "Remaining credits, for a new token" }),
    way_back: Schema.Struct({
      by: Schema.Literals(["memo", "payer", "operator"]).annotate({
        description:
          "The proof that issues a new token. memo: confirm `tx_hash` with the memo as `nonce`; payer: confirm it with the payer's signature and the same claim key; operator: ask the operator of this service",
      }),
      tx_hash: Schema.NullOr(Word).annotate({
        description: "The transaction to confirm; null for an operator, or where the payment was reversed",
      }),
      shown: Schema.NullOr(Schema.String).annotate({
        description: "The hash of the memo, or the address of the payer; null for an operator",
      }),
      message: Schema.NonEmptyString,
    }),
  }),
  responses: {
    401: shared.Unauthorized,
    409: problemResponse(
      'Only the operator of this service could issue a new token (confirmation_required): send {"confirm": true}',
    ),
    503: shared.BillingUnavailable,
  },
  example: {
    revoked: true,
    credits: 47,
    way_back: {
      by: "payer",
      tx_hash: "0x9fc76417374aa880d4449a1f7f31ec597f00b1f6f3dd2d66f4c9c6c445836d8b",
      shown: "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
      message:
        "Confirm transaction 0x9fc76417374aa880d4449a1f7f31ec597f00b1f6f3dd2d66f4c9c6c445836d8b with a signature of payer 0x70997970c51812dc3a010c7d01b50e0d17dc79c8 and the claim key that opened the account.",
    },
  },
})
