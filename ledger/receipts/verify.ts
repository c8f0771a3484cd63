import { timingSafeEqual } from "node:crypto"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { base64url, compactVerify, decodeProtectedHeader, errors, importJWK } from "jose"
import type { EntryRef } from "../answers.ts"
import { JWS_LENGTH_MAX, RECEIPT_ALG, ReceiptHeader, ReceiptPayload, responseHashOf } from "./format.ts"

/**
 * The entry that a receipt anchors, by its place in its account: a place in the whole ledger would show its holder the
 * volume of all others.
 */
export type AnchoredEntry = Pick<EntryRef, "accountSequence" | "hash">

/** What a receipt states. */
export interface ReceiptClaims {
  readonly endpoint: string
  /** `requestHashOf` the request. */
  readonly requestHash: string
  /** `responseHashOf` the reply's body. */
  readonly responseHash: string
  /** Credits that the call cost; 0 where it was free of charge. */
  readonly credits: number
  /** Why nothing was charged; null where it was. */
  readonly reason: string | null
  /** In milliseconds since the epoch. */
  readonly atMs: number
  /** The entry of the ledger that it anchors; null where nothing was debited. */
  readonly entry: AnchoredEntry | null
}

/** What a verified receipt states, and who issued it. */
export interface VerifiedClaims extends ReceiptClaims {
  readonly id: string
  readonly issuer: string
  /** Which key signed it. */
  readonly kid: string
}

/**
 * Why a receipt is not valid. `malformed`: it is no receipt; `unknown_key`: the key set lacks its key; `wrong_signature`: it
 * was changed or forged; `body_differs`: a valid receipt of another reply; `id_differs`: the reply names another receipt
 * than the one that it contains.
 */
export type ReceiptProblem = "malformed" | "unknown_key" | "wrong_signature" | "body_differs" | "id_differs"

/** The result of a verification. */
export interface ReceiptVerdict {
  readonly valid: boolean
  /** Null when it is valid. */
  readonly reason: ReceiptProblem | null
  /** Its claims; null unless its signature is valid. */
  readonly claims: VerifiedClaims | null
  /** Whether the reply is the one that it was issued for; also `not_given` if its signature is invalid. */
  readonly body: "matches" | "differs" | "not_given"
}

/** Verifies a receipt, and the reply's body where one is given (with or without its member `receipt`). Never rejects. */
export type VerifyReceipt = (jws: string, body?: unknown) => Promise<ReceiptVerdict>

/** Public keys that a verifier takes at most. */
const KEYS_MAX = 256

const PublicKey = Schema.Struct({
  kty: Schema.Literal("OKP"),
  crv: Schema.Literal("Ed25519"),
  x: Schema.String.check(Schema.isPattern(/^[A-Za-z0-9_-]{43}$/u)),
  kid: Schema.NonEmptyString,
})
const KeySet = Schema.Struct({ keys: Schema.Array(Schema.Unknown).check(Schema.isMaxLength(KEYS_MAX)) })

const decodeKeySet = Schema.decodeUnknownResult(KeySet)
const isPublicKey = Schema.is(PublicKey)
const isHeader = Schema.is(ReceiptHeader)
const decodePayload = Schema.decodeUnknownResult(Schema.fromJsonString(ReceiptPayload))
const utf8 = new TextDecoder("utf-8", { fatal: true })

const refused = (reason: ReceiptProblem): ReceiptVerdict => ({ valid: false, reason, claims: null, body: "not_given" })

const claimsOf = (payload: ReceiptPayload, kid: string): VerifiedClaims => ({
  id: payload.jti,
  issuer: payload.iss,
  kid,
  endpoint: payload.endpoint,
  requestHash: payload.request_sha256,
  responseHash: payload.response_sha256,
  credits: payload.credits,
  reason: payload.reason,
  atMs: Date.parse(payload.time),
  entry:
    payload.ledger === null
      ? null
      : { accountSequence: payload.ledger.account_sequence, hash: payload.ledger.entry_sha256 },
})

/** The `kid` of a text that looks like a receipt; null when it does not. */
const kidOf = (jws: string): string | null => {
  if (jws.length > JWS_LENGTH_MAX) return null
  const parts = jws.split(".")
  try {
    // Decoders ignore stray bits at the end of a part; a receipt must have exactly one spelling.
    if (parts.length !== 3 || parts.some((part) => base64url.encode(base64url.decode(part)) !== part)) return null
    const header: Readonly<Record<string, unknown>> = decodeProtectedHeader(jws)
    return isHeader(header) && Object.keys(header).length === 3 ? header.kid : null
  } catch {
    return null
  }
}

const matches = (claims: VerifiedClaims, body: unknown): boolean => {
  if (typeof body !== "object" || body === null) return false
  try {
    return timingSafeEqual(Buffer.from(responseHashOf(body)), Buffer.from(claims.responseHash))
  } catch {
    // A body without a canonical form was never served.
    return false
  }
}

/**
 * Makes a verifier of a JSON Web Key Set, such as `/.well-known/jwks.json`; keys of other kinds are passed over. Rejects
 * with a `TypeError` when the value is no key set, or none of its keys is one of receipts.
 */
export const makeVerifier = async (jwks: unknown): Promise<VerifyReceipt> => {
  const set = decodeKeySet(jwks)
  if (Result.isFailure(set)) throw new TypeError("this is no JSON Web Key Set")
  const usable = set.success.keys.filter(isPublicKey)
  if (usable.length === 0) throw new TypeError("the JSON Web Key Set has no Ed25519 key")
  // Only the public half is taken, whatever else the key holds.
  const keys = new Map(
    await Promise.all(
      usable.map(async ({ kty, crv, x, kid }) => [kid, await importJWK({ kty, crv, x }, RECEIPT_ALG)] as const),
    ),
  )
  return async (jws, body) => {
    const kid = kidOf(jws)
    if (kid === null) return refused("malformed")
    const key = keys.get(kid)
    if (key === undefined) return refused("unknown_key")
    try {
      const { payload: bytes } = await compactVerify(jws, key, { algorithms: [RECEIPT_ALG] })
      const payload = decodePayload(utf8.decode(bytes))
      if (Result.isFailure(payload)) return refused("malformed")
      const claims = claimsOf(payload.success, kid)
      if (body === undefined) return { valid: true, reason: null, claims, body: "not_given" }
      return matches(claims, body)
        ? { valid: true, reason: null, claims, body: "matches" }
        : { valid: false, reason: "body_differs", claims, body: "differs" }
    } catch (cause) {
      return refused(cause instanceof errors.JWSSignatureVerificationFailed ? "wrong_signature" : "malformed")
    }
  }
}

/** A receipt as it was sent: by itself, or inside its reply. */
export interface SentReceipt {
  readonly jws: string
  /** Its id in the reply; null without a reply. */
  readonly id: string | null
  /** The whole reply; undefined without one. */
  readonly body: object | undefined
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/**
 * Finds the receipt in a decoded JSON value: `{receipt: "<jws>"}`, or a reply whose member `receipt` is `{id, jws}`. Null
 * when there is none.
 */
export const findReceipt = (value: unknown): SentReceipt | null => {
  if (!isRecord(value)) return null
  const { receipt } = value
  if (typeof receipt === "string") return { jws: receipt, id: null, body: undefined }
  if (!isRecord(receipt) || typeof receipt.id !== "string" || typeof receipt.jws !== "string") return null
  return { jws: receipt.jws, id: receipt.id, body: Object.keys(value).length === 1 ? undefined : value }
}

/** Verifies the result of `findReceipt`. */
export const verifySent = async (verify: VerifyReceipt, { jws, id, body }: SentReceipt): Promise<ReceiptVerdict> => {
  const verdict = await verify(jws, body)
  return verdict.valid && id !== null && id !== verdict.claims?.id
    ? { ...verdict, valid: false, reason: "id_differs" }
    : verdict
}
