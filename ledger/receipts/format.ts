import { hash } from "node:crypto"
import * as Schema from "effect/Schema"
import { Instant } from "../../schemas/event.ts"
import { Sha256 } from "../../schemas/events/ledger.ts"
import { canonicalJson } from "../../schemas/json.ts"
import { NonEmptyTextUpTo } from "../../schemas/values.ts"

/** The signature of receipts: Ed25519. Nothing else is ever accepted. */
export const RECEIPT_ALG = "EdDSA"
/** Type of a receipt's JWS, so that nothing else that is signed with the same key can pass for one. */
export const RECEIPT_TYP = "tidewire-receipt+jws"
/** The longest JWS that is parsed, in characters. Receipts have some 900. */
export const JWS_LENGTH_MAX = 4_096

/** What is signed. The names are those of the wire. */
export const ReceiptPayload = Schema.Struct({
  v: Schema.Literal(1),
  iss: NonEmptyTextUpTo(1_024),
  jti: NonEmptyTextUpTo(64),
  time: Instant,
  endpoint: NonEmptyTextUpTo(256),
  request_sha256: Sha256,
  response_sha256: Sha256,
  credits: Schema.Natural,
  reason: Schema.NullOr(NonEmptyTextUpTo(64)),
  ledger: Schema.NullOr(Schema.Struct({ account_sequence: Schema.Natural, entry_sha256: Sha256 })),
})
export type ReceiptPayload = typeof ReceiptPayload.Type

/** The protected header, which has these members and no others. */
export const ReceiptHeader = Schema.Struct({
  alg: Schema.Literal(RECEIPT_ALG),
  kid: NonEmptyTextUpTo(128),
  typ: Schema.Literal(RECEIPT_TYP),
})

const sha256Of = (value: unknown): string => hash("sha256", canonicalJson(value), "hex")

/**
 * The hash of a request, as 64 hex digits: SHA-256 over the RFC 8785 form of `{method, path, query}`. `path` has no query in it;
 * the order of the parameters does not matter.
 */
export const requestHashOf = (method: string, path: string, query: Readonly<Record<string, string>>): string =>
  sha256Of({ method: method.toUpperCase(), path, query })

/**
 * The hash of a reply, as 64 hex digits: SHA-256 over the RFC 8785 form of the body without its member `receipt`. Throws a
 * `TypeError` or an `Error` for what has no such form: an array, a number that is not finite, half a surrogate pair.
 */
export const responseHashOf = (body: object): string => {
  if (Array.isArray(body)) throw new TypeError("the body of a reply is an object")
  const { receipt: _, ...rest }: { readonly receipt?: unknown } = body
  return sha256Of(rest)
}
