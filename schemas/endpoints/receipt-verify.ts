import * as Schema from "effect/Schema"
import { endpoint } from "../contract/endpoint.ts"
import { shared } from "../contract/responses.ts"
import { Instant } from "../event.ts"
import { Sha256 } from "../events/ledger.ts"

/** Any text is accepted; one that is not a JWS gets the verdict `malformed`. */
const Jws = Schema.String.annotate({ description: "The receipt: a compact JWS" })

const Stated = Schema.Struct({
  id: Schema.NonEmptyString.annotate({ description: "Of the receipt: X-Service-Receipt-Id" }),
  issuer: Schema.NonEmptyString,
  kid: Schema.NonEmptyString.annotate({ description: "Which key of /.well-known/jwks.json signed it" }),
  time: Instant,
  endpoint: Schema.NonEmptyString,
  request_sha256: Sha256.annotate({
    description: "SHA-256 over the RFC 8785 form of {method, path, query}, 64 lower-case hex digits",
  }),
  response_sha256: Sha256.annotate({
    description: "SHA-256 over the RFC 8785 form of the reply without its member receipt, 64 lower-case hex digits",
  }),
  credits: Schema.Natural.annotate({ description: "Credits that the call cost" }),
  reason: Schema.NullOr(Schema.NonEmptyString).annotate({
    description: "Why it was free of charge; null when charged",
  }),
  ledger: Schema.NullOr(Schema.Struct({ account_sequence: Schema.Natural, entry_sha256: Sha256 })).annotate({
    description:
      "The ledger entry of the charge, by its place in the account and its hash; null where nothing was charged",
  }),
})

/** Verifies a receipt, and the reply that it belongs to. */
export const receiptVerifyEndpoint = endpoint({
  path: "/api/receipt/verify",
  name: "receipt_verify",
  method: "POST",
  kind: "command",
  tier: "service",
  counted: "receipts",
  summary: "Verify a receipt, or a whole reply with its receipt",
  description:
    "Send the JSON of a premium reply as it was received, or {receipt} with the JWS alone. Free of charge. The same can be done offline with the keys of /.well-known/jwks.json.",
  parameters: {},
  body: {
    schema: Schema.Struct({
      receipt: Schema.Union([
        Jws,
        Schema.Struct({ id: Schema.String, jws: Jws }).annotate({ description: "As it stands in a reply" }),
      ]),
    }),
    example: { receipt: "eyJhbGciOiJFZERTQSJ9.e30.c2lnbmF0dXJl" },
  },
  data: Schema.Struct({
    valid: Schema.Boolean.annotate({
      description: "Whether this service signed the receipt, and the reply sent with it is the signed one",
    }),
    reason: Schema.NullOr(
      Schema.Literals(["malformed", "unknown_key", "wrong_signature", "body_differs", "id_differs"]),
    ).annotate({ description: "Why it is not valid; null when it is" }),
    body: Schema.Literals(["matches", "differs", "not_given"]).annotate({
      description: "Whether the reply is the one that the receipt was signed for",
    }),
    receipt: Schema.NullOr(Stated).annotate({
      description: "The claims of the receipt; null unless its signature is valid",
    }),
  }),
  responses: { 503: shared.BillingUnavailable },
  example: {
    valid: true,
    reason: null,
    body: "matches",
    receipt: {
      id: "019aa751-6d78-7a15-a34f-b12837a03c73",
      issuer: "https://tidewire.example",
      kid: "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k",
      time: "2026-11-21T16:00:00.123Z",
      endpoint: "/api/pro/briefing",
      request_sha256: "5b2f6f9a4c2f3b0d5a3de0fa3fa0a7b27a3f7b0c7dd4a8f1cf3a8b8d1c1b7e55",
      response_sha256: "0f2d7a1f4bb8a6d1c3e9b7a5f1e3d7c9b5a3f1e7d9c7b5a3f1e9d7c5b3a1f9e7",
      credits: 1,
      reason: null,
      ledger: {
        account_sequence: 17,
        entry_sha256: "abababababababababababababababababababababababababababababababab",
      },
    },
  },
})
