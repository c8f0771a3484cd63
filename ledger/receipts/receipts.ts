import { CompactSign, importJWK } from "jose"
import { v7 } from "uuid"
import { instant } from "../../schemas/event.ts"
import { canonicalJson } from "../../schemas/json.ts"
import { RECEIPT_ALG, RECEIPT_TYP, type ReceiptPayload } from "./format.ts"
import { type PublicJwks, publicJwkOf, type ReceiptKeys } from "./keys.ts"
import { makeVerifier, type ReceiptClaims, type VerifyReceipt } from "./verify.ts"

/** The member `receipt` of a reply. */
export interface Receipt {
  /** UUIDv7; also the header `X-Service-Receipt-Id`. */
  readonly id: string
  /** Compact JWS. */
  readonly jws: string
}

/** Signs and verifies the receipts of one installation. */
export interface Receipts {
  /** The issuer: the public address, or the name of the service. */
  readonly issuer: string
  readonly sign: (claims: ReceiptClaims) => Promise<Receipt>
  /** The content of `/.well-known/jwks.json`, earlier keys included. */
  readonly jwks: PublicJwks
  readonly verify: VerifyReceipt
}

/** The issuer without a public address. */
const ISSUER = "tidewire"

const payloadOf = (claims: ReceiptClaims, iss: string, jti: string): ReceiptPayload => ({
  v: 1,
  iss,
  jti,
  time: instant(claims.atMs),
  endpoint: claims.endpoint,
  request_sha256: claims.requestHash,
  response_sha256: claims.responseHash,
  credits: claims.credits,
  reason: claims.reason,
  ledger: claims.entry === null ? null : { sequence: claims.entry.sequence, entry_sha256: claims.entry.hash },
})

/** Opens the receipts of an installation. `issuer` is its public address, where it has one. */
export const openReceipts = async (
  { signing, verifying }: ReceiptKeys,
  options: { readonly issuer?: string | null; readonly newId?: () => string } = {},
): Promise<Receipts> => {
  const { issuer, newId = () => v7() } = options
  const iss = issuer ?? ISSUER
  const jwks = { keys: await Promise.all(verifying.map(publicJwkOf)) }
  const { kid } = await publicJwkOf(signing)
  const key = await importJWK({ ...signing.export({ format: "jwk" }) }, RECEIPT_ALG)
  const header = { alg: RECEIPT_ALG, kid, typ: RECEIPT_TYP }
  const encoder = new TextEncoder()
  return {
    issuer: iss,
    jwks,
    verify: await makeVerifier(jwks),
    sign: async (claims) => {
      const id = newId()
      const payload = encoder.encode(canonicalJson(payloadOf(claims, iss, id)))
      return { id, jws: await new CompactSign(payload).setProtectedHeader(header).sign(key) }
    },
  }
}
