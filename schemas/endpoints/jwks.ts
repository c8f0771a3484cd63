import * as Schema from "effect/Schema"
import { endpoint } from "../contract/endpoint.ts"
import { shared } from "../contract/responses.ts"

const PublicKey = Schema.Struct({
  kty: Schema.Literal("OKP"),
  crv: Schema.Literal("Ed25519"),
  x: Schema.NonEmptyString.annotate({ description: "The public key: 32 bytes as base64url" }),
  kid: Schema.NonEmptyString.annotate({ description: "Its RFC 7638 thumbprint, which receipts name" }),
  use: Schema.Literal("sig"),
  alg: Schema.Literal("EdDSA"),
})

/** The keys that receipts are verified with. */
export const jwksEndpoint = endpoint({
  path: "/.well-known/jwks.json",
  name: "jwks",
  kind: "document",
  tier: "service",
  ttl: "1 hour",
  summary: "Public keys of receipts, as a JSON Web Key Set",
  description:
    "The first one signs now. Keys that signed before stay, so that their receipts can be verified for ever.",
  parameters: {},
  data: Schema.Struct({ keys: Schema.Array(PublicKey) }),
  responses: { 503: shared.BillingUnavailable },
  example: {
    keys: [
      {
        kty: "OKP",
        crv: "Ed25519",
        x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
        kid: "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k",
        use: "sig",
        alg: "EdDSA",
      },
    ],
  },
})
