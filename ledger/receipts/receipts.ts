import { type KeyObject, sign } from "node:crypto"
import { instant } from "../../schemas/event.ts"
import { canonicalJson } from "../../schemas/json.ts"
import { newId } from "../ids.ts"
import { RECEIPT_ALG, RECEIPT_TYP, type ReceiptPayload } from "./format.ts"
import { type PublicJwks, publicJwkOf, type ReceiptKeys } from "./keys.ts"
import { makeVerifier, type ReceiptClaims, type VerifyReceipt } from "./verify.ts"

/** The member `receipt` of a reply. */
interface Receipt {
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

/** The payload, its members in the order of RFC 8785: as all values are plain, its JSON text is the canonical one. */
const payloadOf = (claims: ReceiptClaims, iss: string, jti: string): ReceiptPayload => ({
  credits: claims.credits,
  endpoint: claims.endpoint,
  iss,
  jti,
  ledger:
    claims.entry === null ? null : { account_sequence: claims.entry.accountSequence, entry_sha256: claims.entry.hash },
  reason: claims.reason,
  request_sha256: claims.requestHash,
  response_sha256: claims.responseHash,
  time: instant(claims.atMs),
  v: 1,
})

const base64url = (text: string): string => Buffer.from(text).toString("base64url")

/** Signs on a thread of the pool: a signature takes some 35 us of processor time, its order 5 us of this thread's. */
const signed = (input: string, key: KeyObject): Promise<string> =>
  new Promise((resolve, reject) => {
    sign(null, Buffer.from(input, "latin1"), key, (error, signature) => {
      if (error === null) resolve(signature.toString("base64url"))
      else reject(error)
    })
  })

/** Opens the receipts of an installation. `issuer` is its public address, where it has one. */
export const openReceipts = async (
  { signing, verifying }: ReceiptKeys,
  options: { readonly issuer?: string | null; readonly newId?: () => string } = {},
): Promise<Receipts> => {
  const { issuer } = options
  const idOf = options.newId ?? newId
  const iss = issuer ?? ISSUER
  const jwks = { keys: await Promise.all(verifying.map(publicJwkOf)) }
  const { kid } = await publicJwkOf(signing)
  const header = base64url(canonicalJson({ alg: RECEIPT_ALG, kid, typ: RECEIPT_TYP }))
  return {
    issuer: iss,
    jwks,
    verify: await makeVerifier(jwks),
    sign: async (claims) => {
      const id = idOf()
      const input = `${header}.${base64url(JSON.stringify(payloadOf(claims, iss, id)))}`
      return { id, jws: `${input}.${await signed(input, signing)}` }
    },
  }
}
