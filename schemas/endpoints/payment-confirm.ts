import * as Schema from "effect/Schema"
import { endpoint } from "../contract/endpoint.ts"
import {
  Address,
  AlreadyCredited,
  ClaimKey,
  CONFIRMS_PER_MINUTE,
  PayerProofRequired,
  PaymentPending,
  PurchaseRecord,
  SignatureUntil,
} from "../contract/payment.ts"
import { PremiumPaymentRequired } from "../contract/refusal.ts"
import { otherReply, problemResponse, shared } from "../contract/responses.ts"

const SIGNATURE_LENGTH_MAX = 20_000

/** The body of a confirm. */
export const ConfirmPayment = Schema.Struct({
  tx_hash: Schema.String.check(Schema.isPattern(/^0x[0-9a-fA-F]{64}$/u)).annotate({
    description: "Hash of the transaction that paid",
  }),
  nonce: Schema.optionalKey(
    Schema.NullOr(Schema.String.check(Schema.isPattern(/^tw_buy_[0-9a-f]{32}$/u))).annotate({
      description: "The memo of the quote",
    }),
  ),
  signature: Schema.optionalKey(
    Schema.NullOr(
      Schema.String.check(Schema.isPattern(/^0x([0-9a-fA-F]{2})+$/u), Schema.isMaxLength(SIGNATURE_LENGTH_MAX)),
    ).annotate({
      description: "The paying wallet's signature of `text_to_sign` (EIP-191; EIP-1271 and EIP-6492 for contracts)",
    }),
  ),
  signature_until: Schema.optionalKey(
    Schema.NullOr(SignatureUntil).annotate({
      description: "The day that the signed text names, as it stands beside `text_to_sign`",
    }),
  ),
  claim_key: Schema.optionalKey(
    Schema.NullOr(ClaimKey).annotate({
      description:
        "Where the credits go that are claimed by signature, without token and memo: a secret of yours, `tw_claim_` and 64 random hex digits. Keep it, and send it with each confirm: the signature is void without it",
    }),
  ),
  claim_key_hash: Schema.optionalKey(
    Schema.NullOr(Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/u))).annotate({
      description: "SHA-256 of the claim key, in hex: enough to get the text to sign, while the key stays with you",
    }),
  ),
  payer: Schema.optionalKey(
    Schema.NullOr(Address).annotate({
      description: "The wallet that signed, for contract wallets: it is checked before other payers of the transaction",
    }),
  ),
})

/** Claims a payment. */
export const paymentConfirm = endpoint({
  path: "/api/payment/confirm",
  name: "payment_confirm",
  method: "POST",
  kind: "command",
  tier: "payment",
  counted: "confirms",
  summary: "Credits for a payment, and the token to spend them with",
  description: `Verifies the transaction on the chain and credits its payments, each once. A repeated confirm returns the same token to the same claimant and to no other: the one with the memo, else the one with the payer's signature and the claim key. Send the memo of the quote as \`nonce\`, or a \`signature\` of the paying wallet, or both. Without a proof the reply is 409 with the text to sign, which names where the credits go: to the bearer token, else to the memo, else to the \`claim_key\`, a secret that you draw and keep. So a signature is of no use to who reads it, and it may be used until the day in its text, for a week. With a bearer token the credits are added to it; any other Authorization header is refused. A payment that was credited to another claimant stays there: 409 names the proof that opened that account and the next step. 202: not mined or not deep enough yet, confirm again after Retry-After. At most ${CONFIRMS_PER_MINUTE} times a minute for one client. Members of the body that are not named here are ignored.`,
  bearer: "optional",
  parameters: {},
  body: {
    schema: ConfirmPayment,
    example: {
      tx_hash: "0x9fc76417374aa880d4449a1f7f31ec597f00b1f6f3dd2d66f4c9c6c445836d8b",
      nonce: "tw_buy_00112233445566778899aabbccddeeff",
    },
  },
  data: Schema.Struct({
    token: Schema.String.check(Schema.isPattern(/^svc_live_[0-9a-f]{64}$/u)).annotate({
      description: "Send it as Authorization: Bearer; the one that was sent, where the credits were added to that",
    }),
    credits: Schema.Natural.annotate({ description: "Credits of this transaction, added now or before" }),
    balance: Schema.Natural.annotate({ description: "Credits of the token now" }),
    provisional: Schema.Boolean.annotate({
      description: "Whether a reorganisation of the chain could still reverse the payment, and with it the credits",
    }),
    purchases: Schema.Array(PurchaseRecord).annotate({ description: "One for each transfer of the transaction" }),
  }),
  responses: {
    202: otherReply("Not mined, or not deep enough in the chain yet: confirm again after Retry-After", PaymentPending, [
      "Retry-After",
    ]),
    401: shared.Unauthorized,
    402: problemResponse(
      "The transaction credits nothing: payment_required with a reason (no_payment, failed_transaction, too_small), or the quote has expired unpaid",
      ["X-Service-Pricing"],
      PremiumPaymentRequired,
    ),
    404: problemResponse("This transaction was in no block for 30 minutes"),
    409: problemResponse(
      "Proof of the payment is required (payer_proof_required, with the text to sign), or it was credited to another claimant before (already_credited, with the next step)",
      [],
      { payer_proof_required: PayerProofRequired, already_credited: AlreadyCredited },
    ),
    429: problemResponse(
      "The share of the client is used up (rate_limited), or the account was issued its new tokens of today (token_allowance_spent): see Retry-After",
      ["Retry-After"],
    ),
    503: shared.BillingUnavailable,
  },
  example: {
    token: "svc_live_00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff",
    credits: 50,
    balance: 50,
    provisional: true,
    purchases: [
      {
        tx_hash: "0x9fc76417374aa880d4449a1f7f31ec597f00b1f6f3dd2d66f4c9c6c445836d8b",
        amount_usd: 1.000417,
        credits_added: 50,
        block_number: 34_000_000,
        confirmed_at: "2026-08-17T20:36:10.000Z",
        status: "provisional",
      },
    ],
  },
})
