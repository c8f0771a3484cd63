import { bytesOfBase64url } from "./base64url.ts"
import { canonicalSha256 } from "./canonical.ts"
import { isObject } from "./json.ts"

/** A JSON Web Key Set, as `/.well-known/jwks.json` serves it. Keys of other kinds are passed over. */
export interface KeySet {
  readonly keys: ReadonlyArray<Readonly<Record<string, unknown>>>
}

/** The request that a reply belongs to; its parameters as the texts that were sent. */
export interface ReceiptRequest {
  readonly method: string
  readonly path: string
  readonly query: Readonly<Record<string, string>>
}

/**
 * Why a receipt is not valid. `malformed`: it is no receipt; `unknown_key`: the key set lacks its key; `wrong_signature`: it
 * was changed or forged; `body_differs`: the reply is not the signed one; `id_differs`: the reply names another receipt;
 * `request_differs`: it was signed for another request.
 */
export type ReceiptProblem =
  | "malformed"
  | "unknown_key"
  | "wrong_signature"
  | "body_differs"
  | "id_differs"
  | "request_differs"

/** The members of a receipt's payload, in the words of the wire. */
export interface ReceiptPayload {
  readonly v: 1
  /** Public address of the service that signed. */
  readonly iss: string
  /** Id of the receipt. */
  readonly jti: string
  readonly time: string
  readonly endpoint: string
  readonly request_sha256: string
  readonly response_sha256: string
  readonly credits: number
  /** Why nothing was charged; null where it was. */
  readonly reason: string | null
  /** The ledger entry of the charge, by its place in the account; null where nothing was charged. */
  readonly ledger: { readonly account_sequence: number; readonly entry_sha256: string } | null
}

/** The result of a verification. */
export type ReceiptVerdict =
  | { readonly valid: true; readonly problem: null; readonly payload: ReceiptPayload }
  | { readonly valid: false; readonly problem: ReceiptProblem; readonly payload: null }

const JWS_MAX_CHARACTERS = 4_096
const ALGORITHM = "EdDSA"
const TYPE = "tidewire-receipt+jws"

const refused = (problem: ReceiptProblem): ReceiptVerdict => ({ valid: false, problem, payload: null })
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

const jsonOf = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch {
    return null
  }
}

const isText = (value: unknown): value is string => typeof value === "string" && value !== ""
const isCount = (value: unknown): value is number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0
const isEntry = (value: unknown): boolean =>
  isObject(value) && isCount(value.account_sequence) && isText(value.entry_sha256)
const isPayload = (value: unknown): value is ReceiptPayload =>
  isObject(value) &&
  value.v === 1 &&
  [value.iss, value.jti, value.time, value.endpoint, value.request_sha256, value.response_sha256].every(isText) &&
  isCount(value.credits) &&
  (value.reason === null || isText(value.reason)) &&
  (value.ledger === null || isEntry(value.ledger))

/** The key of a header; null where it is not the header of a receipt, which has three members and no others. */
const keyIdOf = (header: unknown): string | null =>
  isObject(header) &&
  Object.keys(header).length === 3 &&
  header.alg === ALGORITHM &&
  header.typ === TYPE &&
  isText(header.kid)
    ? header.kid
    : null

const publicKey = async ({ keys }: KeySet, kid: string) => {
  const found = keys.find((key) => key.kid === kid && key.kty === "OKP" && key.crv === "Ed25519")
  const bytes = typeof found?.x === "string" ? bytesOfBase64url(found.x) : null
  return bytes === null || bytes.length !== 32
    ? null
    : crypto.subtle.importKey("raw", bytes, "Ed25519", false, ["verify"])
}

const sentReceipt = (reply: unknown): { readonly id: string; readonly jws: string } | null =>
  isObject(reply) && isObject(reply.receipt) && isText(reply.receipt.id) && isText(reply.receipt.jws)
    ? { id: reply.receipt.id, jws: reply.receipt.jws }
    : null

/** Verifies the signature of a receipt alone: a compact JWS. */
const verifySignature = async (jws: string, keys: KeySet): Promise<ReceiptVerdict> => {
  const parts = jws.length > JWS_MAX_CHARACTERS ? [] : jws.split(".")
  const [header, payload, signature] = parts.map(bytesOfBase64url)
  if (parts.length !== 3 || !header || !payload || !signature) return refused("malformed")
  const kid = keyIdOf(jsonOf(header))
  if (kid === null) return refused("malformed")
  const key = await publicKey(keys, kid)
  if (key === null) return refused("unknown_key")
  const signed = new TextEncoder().encode(jws.slice(0, jws.lastIndexOf(".")))
  if (!(await crypto.subtle.verify("Ed25519", key, signature, signed))) return refused("wrong_signature")
  const stated = jsonOf(payload)
  return isPayload(stated) ? { valid: true, problem: null, payload: stated } : refused("malformed")
}

/**
 * Verifies a premium reply and its receipt offline: the signature, that the reply is the signed one, and, where `request` is
 * given, that it was signed for that request. Pin `keys`, or fetch them over https from the service itself.
 */
export const verifyReceipt = async (options: {
  readonly reply: unknown
  readonly keys: KeySet
  readonly request?: ReceiptRequest | undefined
}): Promise<ReceiptVerdict> => {
  const { reply, keys, request } = options
  const sent = sentReceipt(reply)
  if (sent === null || !isObject(reply)) return refused("malformed")
  const verdict = await verifySignature(sent.jws, keys)
  if (!verdict.valid) return verdict
  const { receipt: _, ...body } = reply
  const bodySha256 = await canonicalSha256(body).catch(() => null)
  if (bodySha256 !== verdict.payload.response_sha256) return refused("body_differs")
  if (sent.id !== verdict.payload.jti) return refused("id_differs")
  if (request === undefined) return verdict
  const { method, path, query } = request
  const requestSha256 = await canonicalSha256({ method: method.toUpperCase(), path, query })
  return requestSha256 === verdict.payload.request_sha256 ? verdict : refused("request_differs")
}
